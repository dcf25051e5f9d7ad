import { param, type Sql, sql } from '../../../base/sql/index.js';
import type { CollectionShape } from '../collection-shape.js';
import { ResultColumns } from '../result-columns.js';
import { collectionId, type Read, versionCheck } from '../statement.js';
import { areTriggersEarlier, type FeedOffset, feedLock, feedsTable, newest } from './change-feed.js';

/** The state of a feed in the database. */
interface FeedRow {
  /** Null when the collection is not followed. */
  readonly feed: string | null;
  readonly keptXid: number;
  readonly keptSeq: number;
  /** True when no client has asked for an hour. */
  readonly isIdle: boolean;
  readonly isEarlier: boolean;
  readonly newestXid: number | null;
  readonly newestSeq: number | null;
  /** The oldest transaction that may still make changes. */
  readonly runningXid: number | null;
}

/** The state of a feed that has begun. */
export interface FeedState {
  readonly feed: string;
  /** Changes up to this offset have been removed. */
  readonly kept: FeedOffset;
  /** No new change can get an offset up to this one. */
  readonly settled: FeedOffset;
  /** True when no client has asked for an hour. */
  readonly isIdle: boolean;
  /** True when the feed has triggers of an earlier version (`areTriggersEarlier`). */
  readonly isEarlier: boolean;
}

/**
 * How far the feed is settled: no change will ever be added at or before that position. Undefined when the collection is
 * not followed.
 *
 * The newest change that this statement sees is settled, unless running transactions may have made other changes. Those
 * transactions hold the feed's lock, and their changes have positions at or after their own xid. Transactions that take
 * the lock later get positions after all changes seen here. Transactions on other collections delay nothing, however
 * old they are.
 */
export function frontierStatement(shape: CollectionShape): Read<FeedState | undefined> {
  const { orgId } = shape;
  const [id, check] = [collectionId(shape), versionCheck(shape)];
  const columns = new ResultColumns<FeedRow>({
    feed: sql`f.feed`,
    keptXid: sql`f.kept_xid::float8`,
    keptSeq: sql`f.kept_seq::float8`,
    isIdle: sql`f.asked_at < now() - interval '1 hour'`,
    isEarlier: areTriggersEarlier(shape),
    newestXid: sql`n.xid::float8`,
    newestSeq: sql`n.seq::float8`,
    runningXid: sql`h.xid::float8`,
  });
  const query = sql`
    WITH ${LOCKS}
    SELECT ${columns.list}
    FROM (${check}) e
    LEFT JOIN ${feedsTable(orgId)} f ON f.collection_id = ${id}
    LEFT JOIN LATERAL (${newest(orgId, id)}) n ON true
    LEFT JOIN LATERAL (${oldestHolder(id)}) h ON true`;
  return { query, decode: ([row]) => feedState(columns.object(row!)) };
}

function feedState(row: FeedRow): FeedState | undefined {
  const { feed, isIdle, isEarlier, newestXid, newestSeq, runningXid } = row;
  if (feed === null) return undefined;
  const kept = { xid: row.keptXid, seq: row.keptSeq };
  const newest = newestXid === null ? kept : { xid: newestXid, seq: newestSeq as number };
  const settled = runningXid !== null && runningXid <= newest.xid ? { xid: runningXid, seq: 0 } : newest;
  return { feed, kept, settled, isIdle, isEarlier };
}

/**
 * How far the feeds of several collections are settled, as in `frontierStatement`. Rows `{id, xid, seq, running}`: the
 * newest change, and the oldest transaction that may still make others. The locks of the server are read once for all
 * collections.
 */
export function settledStatement(orgId: string, collectionIds: readonly string[]): Sql {
  const id = sql`c.id`;
  return sql`
    WITH ${LOCKS}
    SELECT c.id, n.xid::float8, n.seq::float8, h.xid::float8 AS running
    FROM unnest(${param(collectionIds, 'uuid[]')}) c(id)
    JOIN LATERAL (${newest(orgId, id)}) n ON true
    LEFT JOIN LATERAL (${oldestHolder(id)}) h ON true`;
}

const LOCKS = sql`locks AS MATERIALIZED (
  SELECT * FROM pg_locks WHERE locktype IN ('advisory', 'transactionid') AND granted)`;

/**
 * The oldest xid among the holders of a feed's lock. pg_locks shows the lock's bigint key as two halves, and a
 * `transactionid` as its lower 32 bits; the xid is the nearest one to `next` with these bits.
 */
const oldestHolder = (id: Sql) => sql`
  SELECT min(s.next + (x.transactionid::text::bigint - s.next % 4294967296 + 6442450944) % 4294967296 - 2147483648) AS xid
  FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next, ${feedLock(id)} AS key) s
  JOIN locks l ON l.locktype = 'advisory' AND l.objsubid = 1
    AND l.classid::bigint = ((s.key >> 32) & 4294967295) AND l.objid::bigint = (s.key & 4294967295)
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  JOIN locks x ON x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock' AND x.virtualtransaction = l.virtualtransaction`;

/** Rows: `{id, xid, seq}` for each of the collections that has a change: the position of the newest one. */
export function newestStatement(orgId: string, collectionIds: readonly string[]): Sql {
  return sql`
    SELECT c.id, n.xid::float8, n.seq::float8
    FROM unnest(${param(collectionIds, 'uuid[]')}) c(id) JOIN LATERAL (${newest(orgId, sql`c.id`)}) n ON true`;
}
