import { literal, looseIndexScan, param, type Sql, sql } from '../../../base/sql/index.js';

/** Maximum number of messages that an instance sends at once. */
export const MOST_AT_ONCE = 32;
/** Of these, for one organization, so that slow endpoints of one do not delay the others. */
const MOST_OF_ORG = 8;
/** Of these, for one webhook, so that a slow endpoint does not delay other webhooks of its organization. */
const MOST_OF_WEBHOOK = 4;
/** As above, for a webhook whose last attempt failed. */
const MOST_OF_FAILING = 1;
/** For all failing webhooks together, so that endpoints that are down leave room for those that work. */
const MOST_OF_ALL_FAILING = 8;

/**
 * Lease of a message while it is being sent. If the instance is killed, another one sends the message after this time.
 */
const LEASE = sql`interval '60 seconds'`;

/** A message that this instance has to send. */
export interface DueMessage {
  readonly id: string;
  readonly webhook_id: string;
  /** Null for a long payload, which is read when memory for it is available. */
  readonly payload: string | null;
  readonly bytes: number;
  readonly org_id: string;
  readonly attempts: number;
  readonly url: string;
  readonly sealed_secret: string;
  /** Null when there is only one signing secret. */
  readonly sealed_previous_secret: string | null;
}

/**
 * Leases due messages. `sending`: the webhook of each message that this instance is sending now. The organizations with
 * the fewest messages in delivery come first, and within an organization the webhooks with the fewest; among equals the
 * oldest message does. Webhooks without pending messages cost nothing, and of one webhook at most `MOST_OF_WEBHOOK`
 * messages are read, however many are due. Only the chosen messages are locked; those that another instance has locked are
 * passed over.
 */
export function claimStatement(sending: readonly string[]): Sql {
  const waiting = looseIndexScan(
    sql`waiting`,
    sql`webhook_deliveries`,
    sql`webhook_id`,
    sql`status = 'pending'`,
  );
  return sql`
    WITH RECURSIVE waiting AS (${waiting}),
    sending AS (
      SELECT w.id, w.org_id, w.failing_since IS NOT NULL AS failing, count(*) AS count
      FROM unnest(${param(sending, 'uuid[]')}) s(id) JOIN webhooks w ON w.id = s.id GROUP BY w.id),
    candidates AS (
      SELECT d.id, d.due_at, w.org_id, w.failing_since IS NOT NULL AS failing,
        coalesce(s.count, 0) + row_number() OVER (PARTITION BY w.id ORDER BY d.due_at) AS of_webhook
      FROM waiting p JOIN webhooks w ON w.id = p.value LEFT JOIN sending s ON s.id = w.id CROSS JOIN LATERAL (
        SELECT id, due_at FROM webhook_deliveries
        WHERE webhook_id = w.id AND status = 'pending' AND due_at <= statement_timestamp()
        ORDER BY due_at LIMIT greatest(0, ${MOST_OF_THIS} - coalesce(s.count, 0))) d
      WHERE w.status = 'active'),
    of_orgs AS (
      SELECT c.*, coalesce((SELECT sum(count) FROM sending s WHERE s.org_id = c.org_id), 0)
        + row_number() OVER (PARTITION BY c.org_id ORDER BY c.of_webhook, c.due_at) AS of_org
      FROM candidates c),
    ranked AS MATERIALIZED (
      SELECT o.*, coalesce((SELECT sum(count) FROM sending s WHERE s.failing), 0)
        + row_number() OVER (PARTITION BY o.failing ORDER BY o.of_org, o.due_at) AS of_failing
      FROM of_orgs o WHERE o.of_org <= ${literal(MOST_OF_ORG)}),
    due AS MATERIALIZED (
      SELECT d.id FROM ranked r JOIN webhook_deliveries d ON d.id = r.id
      WHERE (NOT r.failing OR r.of_failing <= ${literal(MOST_OF_ALL_FAILING)})
        AND d.status = 'pending' AND d.due_at <= statement_timestamp()
      ORDER BY r.of_org, r.due_at LIMIT ${param(MOST_AT_ONCE - sending.length, 'bigint')} FOR UPDATE OF d SKIP LOCKED)
    UPDATE webhook_deliveries d SET attempts = d.attempts + 1, due_at = clock_timestamp() + ${LEASE}, attempted_at = clock_timestamp()
    FROM due, webhooks w WHERE d.id = due.id AND w.id = d.webhook_id RETURNING ${DUE}`;
}

const MOST_OF_THIS = sql`CASE WHEN w.failing_since IS NULL THEN ${literal(MOST_OF_WEBHOOK)} ELSE ${literal(MOST_OF_FAILING)} END`;

/** Larger payloads take memory from the budget. Only a message with a single change can be larger. */
const LONG_BYTES = literal(512 * 1024);

const DUE = sql`d.id, d.webhook_id, w.org_id, octet_length(d.payload) AS bytes,
  CASE WHEN octet_length(d.payload) <= ${LONG_BYTES} THEN d.payload END AS payload, d.attempts, w.url, w.sealed_secret,
  CASE WHEN w.previous_until > now() THEN w.sealed_previous_secret END AS sealed_previous_secret`;
