import { Cte, literal, NOTHING, type Sql, sql } from '../../../base/sql/index.js';
import type { Filter } from '../../filter/index.js';
import { type CollectionShape, wholeOf } from '../collection-shape.js';
import { returnedCte } from '../quota/quota.js';
import { ResultColumns } from '../result-columns.js';
import {
  currentVersion,
  partCtes,
  type Read,
  type Statement,
  versionCheck,
  type WriteParts,
} from '../statement.js';
import { tableOf } from '../table-sql.js';
import { selected } from './read.js';
import { fingerprintOf, isDone, lockedIds, type Selection, withinBound } from './selection.js';

/**
 * Deletes the selected records with the audit event and gives their capacity back. One row: the count of version checks
 * that held, records matched, and records deleted.
 */
export function deleteStatement(shape: CollectionShape, selection: Selection, parts: WriteParts): Statement {
  const current = currentVersion(shape, parts);
  const matched = new Cte('matched', lockedIds(shape, selection, current));
  const bound = withinBound(selection, matched);
  const written = new Cte(
    'written',
    sql`
      DELETE FROM ${tableOf(shape)} t USING ${matched} m
      WHERE t._id = m._id AND ${bound} RETURNING t._id`,
  );
  const done = () => isDone(selection, { current, matched, written, bound });
  return {
    ctes: [current, matched, written, returnedCte(shape, written), ...partCtes(shape, parts, written, done)],
    query: sql`SELECT ${countOf(current)}, ${countOf(matched)}, ${countOf(written)}`,
  };
}

/** What a delete by filter would delete. */
export interface Deletable {
  readonly count: number;
  /** The same as long as the filter matches the same records. */
  readonly fingerprint: string;
}

export function deletableStatement(shape: CollectionShape, filter: Filter): Read<Deletable> {
  const found = sql`SELECT count(*)::float8 AS count, ${fingerprintOf(sql`t._id`)} AS ids ${selected(shape, filter)}`;
  const columns = new ResultColumns<Deletable>({ count: sql`d.count`, fingerprint: sql`d.ids` });
  return {
    query: sql`SELECT ${columns.list} FROM (${versionCheck(shape)}) f, (${found}) d`,
    decode: ([row]) => columns.object(row!),
  };
}

/** A slice of the expired records. `waits`: waits for records that other transactions have locked; otherwise skips them. */
export interface ExpiredSlice {
  readonly limit: number;
  readonly waits: boolean;
}

/**
 * Removes a slice of the expired records with its audit event and gives their capacity back. One row: the count of version
 * checks that held, and records removed.
 */
export function expireStatement(
  shape: CollectionShape,
  { limit, waits }: ExpiredSlice,
  parts: Pick<WriteParts, 'event'>,
): Statement {
  const table = tableOf(shape);
  const current = currentVersion(wholeOf(shape), {});
  const [order, skip] = waits ? [sql`ORDER BY expires_at, _id`, NOTHING] : [NOTHING, sql`SKIP LOCKED`];
  const written = new Cte(
    'written',
    sql`
      DELETE FROM ${table} t USING ${current}
      WHERE t._id IN (
        SELECT _id FROM ${table} WHERE expires_at <= statement_timestamp()
        ${order} LIMIT ${literal(Math.trunc(limit))} FOR UPDATE ${skip})
      RETURNING t._id`,
  );
  return {
    ctes: [current, written, returnedCte(shape, written), new Cte('event', parts.event(written))],
    query: sql`SELECT ${countOf(current)}, ${countOf(written)}`,
  };
}

function countOf(cte: Cte): Sql {
  return sql`(SELECT count(*) FROM ${cte})::int`;
}

/** SQL that is true when the collection has expired records. */
export function hasExpired(shape: CollectionShape): Sql {
  return sql`EXISTS (SELECT FROM ${tableOf(shape)} WHERE expires_at <= statement_timestamp())`;
}
