import { lockKey } from '../../database/advisory-locks.js';
import { orgTable } from '../../database/org-schema.js';
import { execute, type Queryable } from '../../database/queryable.js';
import { literal, param, render, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, tableOf } from '../collection-shape.js';
import { rowJson } from '../records/row-json.js';

type Feed = Pick<CollectionShape, 'id' | 'orgId'>;

/** Where the changes of an organization's records are kept, and which of its collections are followed. */
export function changesTable(orgId: string): Sql {
  return orgTable(orgId, 'record_changes');
}

export function feedsTable(orgId: string): Sql {
  return orgTable(orgId, 'record_feeds');
}

/** SQL of the lock that a transaction holds from before its changes get their place until it ends. */
export function feedLock(collectionId: Sql): Sql {
  return lockKey('changeFeed', sql`${collectionId}::text`);
}

/** Whether changes are kept, in the caller's transaction. */
export async function isFollowed(transaction: Queryable, { id, orgId }: Feed): Promise<boolean> {
  const found = await execute(
    transaction,
    sql`SELECT FROM ${feedsTable(orgId)} WHERE collection_id = ${param(id, 'uuid')}`,
  );
  return found.length > 0;
}

/** Begins a feed; the caller has locked the collection's row. False when there is one. */
export async function beginFeed(
  transaction: Queryable,
  shape: CollectionShape,
  feed: string,
): Promise<boolean> {
  const id = param(shape.id, 'uuid');
  const begun = await execute(
    transaction,
    sql`INSERT INTO ${feedsTable(shape.orgId)} (collection_id, feed, kept_xid, kept_seq)
     SELECT ${id}, ${param(feed, 'uuid')}, coalesce(n.xid, 0), coalesce(n.seq, 0)
     FROM (SELECT) f LEFT JOIN (${newest(shape.orgId, id)}) n ON true
     ON CONFLICT DO NOTHING RETURNING collection_id`,
  );
  if (begun.length > 0) await keepChanges(transaction, shape);
  return begun.length > 0;
}

/** SQL of the place of the newest change of a collection; no row when there is none. */
export function newest(orgId: string, collectionId: Sql): Sql {
  return sql`SELECT xid, seq FROM ${changesTable(orgId)} WHERE collection_id = ${collectionId} ORDER BY xid DESC, seq DESC LIMIT 1`;
}

/** Ends a feed. What it has kept is removed later. */
export async function endFeed(transaction: Queryable, feed: Feed): Promise<void> {
  const ended = sql`DELETE FROM ${feedsTable(feed.orgId)} WHERE collection_id = ${param(feed.id, 'uuid')}`;
  await execute(transaction, ended);
  await forgetChanges(transaction, feed);
}

/**
 * Puts triggers on the table, so that every way of writing is seen and a collection that nobody follows pays nothing. Each
 * change keeps the record as it was shown then. Its place is `(xid, seq)`: `xid` is at least that of its own transaction and
 * of every one that had ended when it was made, so that a record's changes lie in the order in which they were made, and
 * `seq` orders those with equal ones.
 */
export async function keepChanges(transaction: Queryable, shape: CollectionShape): Promise<void> {
  const record = rowJson(shape);
  const [name, id] = [follower(shape), literal(shape.id)];
  const keep = (type: Sql, rows: Sql) => sql`
        INSERT INTO ${changesTable(shape.orgId)} (collection_id, xid, type, record_id, record)
        SELECT ${id}, (SELECT greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)),
          ${type}, t._id, ${record.text} FROM ${rows} t ${record.join};`;
  const body = sql`
    BEGIN
      -- A statement of its own: what follows must have a snapshot that is younger than the lock (read committed).
      PERFORM pg_advisory_xact_lock_shared(${feedLock(sql`${id}::uuid`)});
      IF TG_OP = 'DELETE' THEN ${keep(sql`CASE WHEN t.expires_at <= statement_timestamp() THEN 'expired' ELSE 'deleted' END`, sql`removed`)}
      ELSE ${keep(sql`CASE TG_OP WHEN 'INSERT' THEN 'inserted' ELSE 'updated' END`, sql`written`)}
      END IF;
      RETURN NULL;
    END`;
  // As a literal: a name in the body could hold whatever else marks its end.
  const source = literal(render(body).text);
  await execute(
    transaction,
    sql`CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET "TimeZone" = 'UTC' AS ${source}`,
  );
  for (const event of FOLLOWED_EVENTS) {
    const trigger = sql`
      CREATE TRIGGER ${event(tableOf(shape))} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`;
    await execute(transaction, trigger);
  }
}

/** Each trigger's name, event and rows. */
const FOLLOWED_EVENTS: readonly ((table: Sql) => Sql)[] = [
  table => sql`follow_insert AFTER insert ON ${table} REFERENCING NEW TABLE AS written`,
  table => sql`follow_update AFTER update ON ${table} REFERENCING NEW TABLE AS written`,
  table => sql`follow_delete AFTER delete ON ${table} REFERENCING OLD TABLE AS removed`,
];

/** Takes the triggers away; fine where there are none, or no table. */
export async function forgetChanges(transaction: Queryable, feed: Feed): Promise<void> {
  await execute(transaction, sql`DROP FUNCTION IF EXISTS ${follower(feed)}() CASCADE`);
}

function follower({ id, orgId }: Feed): Sql {
  return orgTable(orgId, `follow_${id.replaceAll('-', '').toLowerCase()}`);
}
