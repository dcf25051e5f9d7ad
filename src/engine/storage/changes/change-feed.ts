import { literal, looseIndexScan, NOTHING, param, render, type Sql, sql } from '../../../base/sql/index.js';
import { lockKey } from '../../../platform/database/advisory-locks.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { type CollectionShape } from '../collection-shape.js';
import { rowJson } from '../records/row-json.js';
import { lockOutMaintenance } from '../table-lock.js';
import { type Table, tableNamed, tableOf } from '../table-sql.js';
import { createRecordingFunction, dropTriggerFunction, inUtc, triggerFunction } from '../trigger-function.js';
import { replacedValues } from './replaced-values.js';

/** Where a change is in the feed of its collection. Both numbers grow and stay below 2^53. */
export interface FeedOffset {
  readonly xid: number;
  readonly seq: number;
}

/** Negative when `a` is before `b`. */
export function compareOffsets(a: FeedOffset, b: FeedOffset): number {
  return a.xid - b.xid || a.seq - b.seq;
}

/** The table with the changes of an organization's records. */
export function changesTable(orgId: string): Sql {
  return orgTable(orgId, 'record_changes');
}

export function feedsTable(orgId: string): Sql {
  return orgTable(orgId, 'record_feeds');
}

/**
 * SQL of a feed's advisory lock. A transaction takes it before its changes get their positions and holds it until it
 * ends.
 */
export function feedLock(collectionId: Sql): Sql {
  return lockKey('changeFeed', sql`${collectionId}::text`);
}

/** True when the changes of a collection are recorded, as seen by the caller's transaction. */
export async function isFollowed(transaction: Queryable, { id, orgId }: Table): Promise<boolean> {
  const found = await execute(
    transaction,
    sql`SELECT FROM ${feedsTable(orgId)} WHERE collection_id = ${param(id, 'uuid')}`,
  );
  return found.length > 0;
}

/** Begins a feed. The caller has locked the collection's row. Returns false when there is a feed already. */
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
  if (begun.length > 0) {
    await lockOutMaintenance(transaction, tableOf(shape));
    await keepChanges(transaction, shape);
  }
  return begun.length > 0;
}

/** SQL of the position of the newest change of a collection; no row when there is no change. */
export function newest(orgId: string, collectionId: Sql): Sql {
  return sql`SELECT xid, seq FROM ${changesTable(orgId)} WHERE collection_id = ${collectionId} ORDER BY xid DESC, seq DESC LIMIT 1`;
}

/** Ends a feed. Its recorded changes are removed later. */
export async function endFeed(transaction: Queryable, feed: Table): Promise<void> {
  const ended = sql`DELETE FROM ${feedsTable(feed.orgId)} WHERE collection_id = ${param(feed.id, 'uuid')}`;
  await execute(transaction, ended);
  await forgetChanges(transaction, feed);
}

/**
 * Creates triggers on the table of a followed collection, so that every kind of write is recorded and a collection
 * without followers has no cost. Each change stores the record as it was shown at that time, and its authors. Its position is `(xid,
 * seq)`. `xid` is at least the xid of its own transaction and of every transaction that had ended when the change was
 * made, so the changes of a record are in the order in which they were made. `seq` orders changes with equal `xid`.
 */
export async function keepChanges(transaction: Queryable, shape: CollectionShape): Promise<void> {
  await describeChanges(transaction, shape);
  for (const { event, argument } of FOLLOWED_EVENTS) {
    const trigger = sql`
      CREATE OR REPLACE TRIGGER ${event(tableOf(shape))}
      FOR EACH STATEMENT EXECUTE FUNCTION ${triggerFunction(shape, 'follow')}(${argument})`;
    await execute(transaction, trigger);
  }
}

/**
 * Makes the function of the triggers that `keepChanges` creates, for the columns of `shape`. It ignores what a
 * transaction writes after `MOVES_VALUES`.
 */
export async function describeChanges(transaction: Queryable, shape: CollectionShape): Promise<void> {
  const record = rowJson(shape);
  const id = literal(shape.id);
  const columns = sql`collection_id, created_by, updated_by, xid, type, record_id, record`;
  const xid = sql`(SELECT greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1))`;
  const keep = (type: Sql, rows: Sql) => sql`
        INSERT INTO ${changesTable(shape.orgId)} (${columns})
        SELECT ${id}, t.created_by, t.updated_by, ${xid}, ${type}, t._id, ${record.text} FROM ${rows} t ${record.join};`;
  const shown = (rows: Sql) => sql`
          SELECT t._id, t.created_by, t.updated_by, ${record.text} AS record FROM ${rows} t ${record.join}`;
  // A full join is never a nested loop, which the plan of a first update of one record would be for a million records too.
  const keepUpdated = sql`
        INSERT INTO ${changesTable(shape.orgId)} (${columns}, replaced)
        SELECT ${id}, n.created_by, n.updated_by, ${xid}, 'updated', n._id, n.record, ${replacedValues(sql`o`, sql`d`)}
        FROM (${shown(sql`written`)}) n FULL JOIN (${shown(sql`replaced`)}) o ON o._id = n._id
        CROSS JOIN LATERAL (SELECT o.record::jsonb AS was, n.record::jsonb AS now OFFSET 0) d;`;
  const statements = sql`
      -- A statement of its own: what follows must have a snapshot that is younger than the lock (read committed).
      PERFORM pg_advisory_xact_lock_shared(${feedLock(sql`${id}::uuid`)});
      IF TG_OP = 'DELETE' THEN ${keep(sql`CASE WHEN t.expires_at <= statement_timestamp() THEN 'expired' ELSE 'deleted' END`, sql`removed`)}
      -- begin of updates
      -- A trigger of an earlier version has no argument, and no table of the rows before.
      ELSIF TG_NARGS = 1 THEN ${keepUpdated}
      -- end of updates
      ELSE ${keep(sql`CASE TG_OP WHEN 'INSERT' THEN 'inserted' ELSE 'updated' END`, sql`written`)}
      END IF;`;
  await createRecordingFunction(transaction, shape, 'follow', {
    variables: NOTHING,
    statements: inUtc(statements),
  });
}

/** Name, event and transition tables of each trigger. An argument of the function tells that it has the rows before. */
const FOLLOWED_EVENTS: readonly { readonly event: (table: Sql) => Sql; readonly argument: Sql }[] = [
  {
    event: table => sql`follow_insert AFTER insert ON ${table} REFERENCING NEW TABLE AS written`,
    argument: NOTHING,
  },
  {
    event: table =>
      sql`follow_update AFTER update ON ${table} REFERENCING OLD TABLE AS replaced NEW TABLE AS written`,
    argument: sql`'replaced'`,
  },
  {
    event: table => sql`follow_delete AFTER delete ON ${table} REFERENCING OLD TABLE AS removed`,
    argument: NOTHING,
  },
];

/**
 * SQL that is true if the triggers of a feed are those of an earlier version, which did not store what updates replace.
 * `keepChanges` replaces them.
 */
export function areTriggersEarlier(table: Table): Sql {
  const name = literal(render(tableNamed(table)).text);
  return sql`NOT EXISTS (SELECT FROM pg_trigger g
      WHERE g.tgrelid = to_regclass(${name}) AND g.tgname = 'follow_update' AND g.tgoldtable IS NOT NULL)`;
}

/** Drops the triggers, if there are any. */
export function forgetChanges(transaction: Queryable, feed: Table): Promise<void> {
  return dropTriggerFunction(transaction, feed, 'follow');
}

/** Changes that one statement removes. */
export const PRUNED_AT_ONCE = 5_000;

/** SQL that is false when an organization has no changes, and its feeds were all asked for within a day. */
export function hasChangesOrIdleFeeds(orgId: string): Sql {
  return sql`EXISTS (SELECT FROM ${changesTable(orgId)})
    OR EXISTS (SELECT FROM ${feedsTable(orgId)} WHERE asked_at < now() - interval '1 day')`;
}

/**
 * Collections of an organization that are followed or still have changes. Rows: `{id, followed, unused}`; `unused` is
 * true when no client has asked for `idleDays`.
 */
export function keptFeedsStatement(orgId: string, idleDays: number): Sql {
  return sql`
    WITH RECURSIVE kept AS (${looseIndexScan(sql`kept`, changesTable(orgId), sql`collection_id`)})
    SELECT coalesce(f.collection_id, k.value) AS id, f.collection_id IS NOT NULL AS followed,
      coalesce(f.asked_at < now() - make_interval(days => ${param(idleDays, 'integer')}), false) AS unused
    FROM kept k FULL JOIN ${feedsTable(orgId)} f ON f.collection_id = k.value`;
}

/**
 * Removes the oldest changes of a collection if they are old enough, and stores the position of the last one removed.
 * One row: `{removed}`.
 */
export function pruneStatement(orgId: string, collectionId: string, hours: number): Sql {
  const changes = changesTable(orgId);
  const id = param(collectionId, 'uuid');
  return sql`
    WITH oldest AS (
      SELECT xid, seq, changed_at FROM ${changes} WHERE collection_id = ${id} ORDER BY xid, seq LIMIT ${literal(PRUNED_AT_ONCE)}),
    removed AS (
      DELETE FROM ${changes} c USING oldest o
      WHERE c.collection_id = ${id} AND c.xid = o.xid AND c.seq = o.seq
        AND o.changed_at < statement_timestamp() - make_interval(hours => ${param(hours, 'integer')})
      RETURNING c.xid, c.seq),
    kept AS (
      UPDATE ${feedsTable(orgId)} f SET kept_xid = r.xid, kept_seq = r.seq
      FROM (SELECT xid, seq FROM removed ORDER BY xid DESC, seq DESC LIMIT 1) r
      WHERE f.collection_id = ${id} AND (f.kept_xid, f.kept_seq) < (r.xid, r.seq))
    SELECT count(*)::int AS removed FROM removed`;
}

/** Records that clients have just asked for these feeds. */
export function askedStatement(orgId: string, collectionIds: readonly string[]): Sql {
  return sql`UPDATE ${feedsTable(orgId)} SET asked_at = now() WHERE collection_id = ANY(${param(collectionIds, 'uuid[]')})`;
}
