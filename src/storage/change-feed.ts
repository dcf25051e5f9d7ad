import { orgSchema } from '../database/org-schema.js';
import type { Queryable } from '../database/queryable.js';
import { SqlParameters } from '../filter/index.js';
import { type CollectionShape, tableOf } from './collection-shape.js';
import { rowJson } from './row-json.js';

type Feed = Pick<CollectionShape, 'id' | 'orgId'>;

/** Where the changes of an organization's records are kept, and which of its collections are followed. */
export function changesTable(orgId: string): string {
  return `${orgSchema(orgId)}.record_changes`;
}

export function feedsTable(orgId: string): string {
  return `${orgSchema(orgId)}.record_feeds`;
}

/** SQL of the lock that a transaction holds from before its changes get their place until it ends. */
export function feedLock(collectionId: string): string {
  return `hashtextextended(${collectionId}::text, 4)`;
}

/** Whether changes are kept, in the caller's transaction. */
export async function isFollowed(transaction: Queryable, { id, orgId }: Feed): Promise<boolean> {
  const found = await transaction.query(`SELECT FROM ${feedsTable(orgId)} WHERE collection_id = $1`, [id]);
  return found.length > 0;
}

/** Begins a feed; the caller has locked the collection's row. False when there is one. */
export async function beginFeed(
  transaction: Queryable,
  shape: CollectionShape,
  feed: string,
): Promise<boolean> {
  const begun = await transaction.query(
    `INSERT INTO ${feedsTable(shape.orgId)} (collection_id, feed, kept_xid, kept_seq)
     SELECT $1, $2, coalesce(n.xid, 0), coalesce(n.seq, 0) FROM (SELECT) f LEFT JOIN (${newest(shape.orgId, '$1')}) n ON true
     ON CONFLICT DO NOTHING RETURNING collection_id`,
    [shape.id, feed],
  );
  if (begun.length > 0) await keepChanges(transaction, shape);
  return begun.length > 0;
}

/** SQL of the place of the newest change of a collection; no row when there is none. */
export function newest(orgId: string, collectionId: string): string {
  return `SELECT xid, seq FROM ${changesTable(orgId)} WHERE collection_id = ${collectionId} ORDER BY xid DESC, seq DESC LIMIT 1`;
}

/** Ends a feed. What it has kept is removed later. */
export async function endFeed(transaction: Queryable, feed: Feed): Promise<void> {
  await transaction.query(`DELETE FROM ${feedsTable(feed.orgId)} WHERE collection_id = $1`, [feed.id]);
  await forgetChanges(transaction, feed);
}

/**
 * Puts triggers on the table, so that every way of writing is seen and a collection that nobody follows pays nothing. Each
 * change keeps the record as it was shown then. Its place is `(xid, seq)`: `xid` is at least that of its own transaction and
 * of every one that had ended when it was made, so that a record's changes lie in the order in which they were made, and
 * `seq` orders those with equal ones.
 */
export async function keepChanges(transaction: Queryable, shape: CollectionShape): Promise<void> {
  const record = rowJson(shape, undefined, new SqlParameters());
  const name = follower(shape);
  const keep = (type: string, rows: string) => `
        INSERT INTO ${changesTable(shape.orgId)} (collection_id, xid, type, record_id, record)
        SELECT '${shape.id}', (SELECT greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)),
          ${type}, t._id, ${record.text} FROM ${rows} t ${record.join};`;
  await transaction.query(`
    CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET "TimeZone" = 'UTC' AS $f$
    BEGIN
      -- A statement of its own: what follows must have a snapshot that is younger than the lock (read committed).
      PERFORM pg_advisory_xact_lock_shared(${feedLock(`'${shape.id}'::uuid`)});
      IF TG_OP = 'DELETE' THEN ${keep(`CASE WHEN t.expires_at <= statement_timestamp() THEN 'expired' ELSE 'deleted' END`, 'removed')}
      ELSE ${keep(`CASE TG_OP WHEN 'INSERT' THEN 'inserted' ELSE 'updated' END`, 'written')}
      END IF;
      RETURN NULL;
    END $f$`);
  for (const [operation, rows] of OPERATIONS) {
    await transaction.query(`
      CREATE TRIGGER follow_${operation} AFTER ${operation} ON ${tableOf(shape)}
      REFERENCING ${rows} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`);
  }
}

const OPERATIONS = [
  ['insert', 'NEW TABLE AS written'],
  ['update', 'NEW TABLE AS written'],
  ['delete', 'OLD TABLE AS removed'],
] as const;

/** Takes the triggers away; fine where there are none, or no table. */
export async function forgetChanges(transaction: Queryable, feed: Feed): Promise<void> {
  await transaction.query(`DROP FUNCTION IF EXISTS ${follower(feed)}() CASCADE`);
}

function follower({ id, orgId }: Feed): string {
  return `${orgSchema(orgId)}.follow_${id.replaceAll('-', '').toLowerCase()}`;
}
