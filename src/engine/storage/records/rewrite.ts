import {
  Cte,
  joined,
  literal,
  NOTHING,
  param,
  type Sql,
  sql,
  typeName,
  withCtes,
} from '../../../base/sql/index.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { pulledElements, type Update } from '../../filter/update/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { onlyAllowed, ruledCheck } from '../statement.js';
import { columnsOf, tableOf, tableShape } from '../table-sql.js';
import { allowedColumn, writeMarks } from './insert.js';
import { rowJson, storedBytes } from './row-json.js';
import { type Selection, selects } from './selection.js';

/** A locked record as JSON text, and the `pulled` for `applyUpdate`. */
export interface LockedRecord {
  readonly id: string;
  readonly text: string;
  readonly pulled: (number[] | null)[] | null;
}

/** A locked record. Its text is null when it is longer than the slice allows. */
export interface LockedRow extends Omit<LockedRecord, 'id' | 'text'> {
  /** Null in the one row that is returned when no record matches. */
  readonly id: string | null;
  readonly text: string | null;
}

/** The selected records to lock: at most `limit`, in the order of ids, after the id `after`. */
export interface Slice {
  readonly after: string | undefined;
  readonly limit: number;
  /** Longer texts are returned as null. */
  readonly maxBytes: number;
}

/**
 * Locks selected records until the transaction ends, and reads them. Rows: LockedRow; none when the version check
 * failed.
 */
export function lockStatement(
  shape: CollectionShape,
  selection: Selection,
  update: Update,
  slice: Slice,
): Sql {
  const record = rowJson(shape);
  const pulled = pulledElements(update, tableShape(shape));
  const after = slice.after === undefined ? NOTHING : sql` AND t._id > ${param(slice.after, 'uuid')}`;
  const most = param(Math.trunc(slice.maxBytes), 'integer');
  const fits = sql`octet_length(p.text) <= ${most}`;
  const short = sql`${storedBytes(shape)} <= ${most}`;
  return sql`
    SELECT p.id, CASE WHEN ${fits} THEN p.text END AS text, CASE WHEN ${fits} THEN p.pulled END AS pulled
    FROM (${ruledCheck(shape)}) f LEFT JOIN LATERAL (
      SELECT t._id::text, CASE WHEN ${short} THEN ${record.text} END, CASE WHEN ${short} THEN ${pulled} END
      FROM ${tableOf(shape)} t ${record.join}
      WHERE ${selects(shape, selection)}${after}
      ORDER BY t._id LIMIT ${literal(Math.trunc(slice.limit))} FOR UPDATE OF t) p(id, text, pulled) ON true`;
}

/** Reads a record that this transaction has locked, so the shape of the table cannot change. One row: LockedRecord. */
export function lockedStatement(shape: CollectionShape, update: Update, id: string): Sql {
  const record = rowJson(shape);
  const pulled = pulledElements(update, tableShape(shape));
  return sql`
    SELECT t._id::text AS id, ${record.text} AS text, ${pulled} AS pulled
    FROM ${tableOf(shape)} t ${record.join} WHERE t._id = ${param(id, 'uuid')}`;
}

/** The parts of locked records to write: declared columns by name, and optionally all flexible fields. */
export interface Rewritten {
  readonly columns: readonly string[];
  readonly flexible: boolean;
  readonly expiresAt?: Date | null | undefined;
  readonly author: string | null;
}

/**
 * Writes the same parts of each locked record. `rows`: a JSON array of objects with `_id`, the physical columns and
 * `x`.
 */
export function rewriteStatement(shape: CollectionShape, rewritten: Rewritten, rows: string): Sql {
  const { flexible, expiresAt, author } = rewritten;
  const chosen = columnsOf(shape).filter(({ name }) => rewritten.columns.includes(name));
  const typed = chosen.map(
    ({ column, definition: { type } }) => sql`, ${column} ${typeName(COLUMN_TYPES[type].castType)}`,
  );
  const sets = [...chosen.map(({ column }) => column), ...(flexible ? [sql`x`] : [])].map(
    column => sql`, ${column} = r.${column}`,
  );
  if (expiresAt !== undefined) sets.push(sql`, expires_at = ${param(expiresAt, 'timestamptz')}`);
  const source = sql`jsonb_to_recordset(${param(rows, 'jsonb')}) AS r(_id uuid, x jsonb${joined(typed, '')})`;
  const update = (from: Sql) => sql`
    UPDATE ${tableOf(shape)} t SET ${writeMarks(shape, param(author, 'uuid'))}${joined(sets, '')}
    FROM ${from} WHERE t._id = r._id`;
  const { writing } = shape;
  if (writing?.allowed === undefined) return update(source);
  // The records are locked, so each is the same in this statement as when its lock was taken.
  const held = writing.held === undefined ? NOTHING : sql`, ${writing.held} AS held`;
  const before = sql`${source} JOIN (SELECT t._id${held} FROM ${tableOf(shape)} t) m ON m._id = r._id`;
  const written = new Cte(
    'written',
    sql`${update(before)} RETURNING t._id${allowedColumn(shape, sql`m.held`)}`,
  );
  return withCtes([written], onlyAllowed(written));
}
