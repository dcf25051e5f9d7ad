import { literal, param, type Sql, sql } from '../../../base/sql/index.js';
import type { FeedOffset } from '../../../engine/storage/changes/change-feed.js';
import { newest } from '../../../engine/storage/changes/change-feed.js';
import { LEFT } from '../../../engine/storage/changes/changes.js';
import { erasedRecord } from '../../../engine/storage/changes/erase-changes.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { MAX_ATTEMPTS, type Message } from './messages.js';
import type { Webhook } from './webhook.entity.js';

/** Active webhooks of an organization that have changes to send, possibly not settled yet. Rows: `{id}`. */
export function behindStatement(orgId: string): Sql {
  return sql`
    SELECT w.id FROM webhooks w JOIN LATERAL (${newest(orgId, sql`w.collection_id`)}) n ON true
    WHERE w.org_id = ${param(orgId, 'uuid')} AND w.status = 'active' AND (n.xid, n.seq) > (w.after_xid, w.after_seq)`;
}

/** A message to store. */
interface KeptMessage extends Message {
  readonly id: string;
  /** The records of its changes. */
  readonly recordIds: readonly string[];
}

/**
 * Advances the position of a webhook and stores the messages up to it, unless another instance has advanced it, or a
 * record was erased since the webhook was read. Rows: `{id}` of each message.
 */
export function movedStatement(
  { id, feed, afterXid, afterSeq, erasures }: Webhook,
  next: FeedOffset & { readonly feed: string },
  messages: readonly KeptMessage[],
): Sql {
  const bigint = (value: number) => param(value, 'bigint');
  const ids = param(
    messages.map(message => message.id),
    'uuid[]',
  );
  const counts = param(
    messages.map(({ changes }) => changes),
    'integer[]',
  );
  const payloads = param(
    messages.map(({ payload }) => payload),
    'text[]',
  );
  const records = param(
    messages.map(({ recordIds }) => `{${recordIds.join()}}`),
    'text[]',
  );
  return sql`
    WITH moved AS (
      UPDATE webhooks
      SET feed = ${param(next.feed, 'uuid')}, after_xid = ${bigint(next.xid)}, after_seq = ${bigint(next.seq)}
      WHERE id = ${param(id, 'uuid')} AND feed = ${param(feed, 'uuid')}
        AND after_xid = ${bigint(afterXid)} AND after_seq = ${bigint(afterSeq)}
        AND erasures = ${param(erasures, 'integer')} AND status = 'active' RETURNING id),
    message AS (
      SELECT m.*, moved.id AS webhook_id
      FROM moved, unnest(${ids}, ${counts}, ${payloads}, ${records}) AS m(id, changes, payload, record_ids)),
    named AS (
      INSERT INTO webhook_delivery_records (delivery_id, record_ids)
      SELECT id, record_ids::uuid[] FROM message WHERE changes > 0)
    INSERT INTO webhook_deliveries (id, webhook_id, changes, payload)
    SELECT id, webhook_id, changes, payload FROM message RETURNING id`;
}

/** Rows: `{payload}`; none when the message was deleted. */
export function payloadStatement(id: string): Sql {
  return sql`SELECT payload FROM webhook_deliveries WHERE id = ${param(id, 'uuid')}`;
}

/** Stores that a message was delivered, and that its webhook works. */
export function deliveredStatement(id: string, status: number): Sql {
  return sql`
    WITH delivered AS (
      UPDATE webhook_deliveries SET status = 'delivered', last_status = ${param(status, 'integer')}
      WHERE id = ${param(id, 'uuid')} RETURNING webhook_id)
    UPDATE webhooks SET failing_since = NULL
    WHERE id = (SELECT webhook_id FROM delivered) AND failing_since IS NOT NULL`;
}

/**
 * Stores a failed attempt: the message is sent again after `wait` seconds, or is dead. Rows: `{tooLong}`, true when all
 * attempts of its webhook have failed for `days`. `status` is null without a response.
 */
export function failedStatement(id: string, status: number | null, wait: number, days: number): Sql {
  return sql`
    WITH failed AS (
      UPDATE webhook_deliveries SET last_status = ${param(status, 'integer')},
        due_at = clock_timestamp() + make_interval(secs => ${param(wait, 'double precision')}),
        status = CASE WHEN attempts >= ${literal(MAX_ATTEMPTS)} THEN 'dead' ELSE 'pending' END
      WHERE id = ${param(id, 'uuid')} AND status = 'pending' RETURNING webhook_id)
    UPDATE webhooks SET failing_since = coalesce(failing_since, now())
    WHERE id = (SELECT webhook_id FROM failed)
    RETURNING failing_since < now() - make_interval(days => ${param(days, 'integer')}) AS "tooLong"`;
}

/** The beginning of the changes in a payload, as `messages.ts` builds it. */
const CHANGES = literal('"changes":[');
const RECORD = literal(',"record":');

/**
 * Removes the content of an erased record from all messages of the webhooks of its collection, also from those that
 * have been delivered. Resolves to the number of these messages.
 */
export async function eraseFromMessages(
  transaction: Queryable,
  collectionId: string,
  recordId: string,
): Promise<number> {
  const webhooks = sql`webhooks WHERE collection_id = ${param(collectionId, 'uuid')}`;
  // From here on, no instance stores messages with changes that it has read before.
  await execute(
    transaction,
    sql`UPDATE webhooks SET erasures = erasures + 1 WHERE id IN (SELECT id FROM ${webhooks})`,
  );
  const id = param(recordId, 'text');
  const named = sql`
    SELECT delivery_id FROM webhook_delivery_records WHERE record_ids @> ARRAY[${param(recordId, 'uuid')}]`;
  // A record that has left has no content.
  const isErased = sql`c.text::json ->> 'record_id' = ${id} AND c.text::json ->> 'type' <> ${literal(LEFT)}`;
  const erased = sql`left(c.text, strpos(c.text, ${RECORD}) - 1) || ${RECORD} || ${erasedRecord(id)} || '}'`;
  const [{ count }] = await execute(
    transaction,
    sql`
    WITH emptied AS (
      UPDATE webhook_deliveries d
      SET payload = left(d.payload, strpos(d.payload, ${CHANGES}) + length(${CHANGES}) - 1) || (
        SELECT string_agg(CASE WHEN ${isErased} THEN ${erased} ELSE c.text END, ',' ORDER BY c.n)
        FROM (SELECT value::text AS text, n FROM json_array_elements(d.payload::json #> '{data,changes}') WITH ORDINALITY AS each(value, n)) c
      ) || ']}}'
      WHERE d.webhook_id IN (SELECT id FROM ${webhooks}) AND d.id IN (${named}) RETURNING 1)
    SELECT count(*)::int AS count FROM emptied`,
  );
  return count;
}
