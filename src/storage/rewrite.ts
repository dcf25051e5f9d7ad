import { COLUMN_TYPES } from '../columns/index.js';
import { SqlParameters } from '../filter/index.js';
import { pulledElements, type Update } from '../filter/update/index.js';
import { type CollectionShape, columnsOf, physicalColumn, tableOf, tableShape } from './collection-shape.js';
import { NOW } from './insert.js';
import { rowJson, storedBytes } from './row-json.js';
import { type Selection, selects } from './selection.js';
import { FENCE, fencedParameters, type Statement } from './statement.js';

/** A locked record as JSON text, and the `pulled` of `applyUpdate`. */
export interface LockedRecord {
  readonly id: string;
  readonly text: string;
  readonly pulled: (number[] | null)[] | null;
}

/** A record that was locked; without its text where that is longer than the batch allows. */
export interface LockedRow extends Omit<LockedRecord, 'id' | 'text'> {
  /** Null in the one row that comes back when nothing matches. */
  readonly id: string | null;
  readonly text: string | null;
}

/** Which of the selected records to lock: at most `limit`, behind the id `after`, in the order of ids. */
export interface Batch {
  readonly after: string | undefined;
  readonly limit: number;
  /** Longer texts are left out. */
  readonly maxBytes: number;
}

/** Locks selected records until the transaction ends and reads them. Rows: LockedRow; none when the fence did not hold. */
export function lockStatement(
  shape: CollectionShape,
  selection: Selection,
  update: Update,
  batch: Batch,
): Statement {
  const parameters = fencedParameters(shape);
  const record = rowJson(shape, undefined, parameters);
  const pulled = pulledElements(update, tableShape(shape), parameters);
  const after = batch.after === undefined ? '' : ` AND t._id > ${parameters.add(batch.after, 'uuid')}`;
  const most = parameters.add(Math.trunc(batch.maxBytes), 'integer');
  const fits = `octet_length(p.text) <= ${most}`;
  const short = `${storedBytes(shape)} <= ${most}`;
  const text = `
    SELECT p.id, CASE WHEN ${fits} THEN p.text END AS text, CASE WHEN ${fits} THEN p.pulled END AS pulled
    FROM (${FENCE}) f LEFT JOIN LATERAL (
      SELECT t._id::text, CASE WHEN ${short} THEN ${record.text} END, CASE WHEN ${short} THEN ${pulled} END
      FROM ${tableOf(shape)} t ${record.join}
      WHERE ${selects(shape, selection, parameters)}${after}
      ORDER BY t._id LIMIT ${Math.trunc(batch.limit)} FOR UPDATE OF t) p(id, text, pulled) ON true`;
  return { text, values: parameters.values };
}

/** Reads a record that this transaction has locked, and with it the shape of the table. One row: LockedRecord. */
export function lockedStatement(shape: CollectionShape, update: Update, id: string): Statement {
  const parameters = new SqlParameters();
  const record = rowJson(shape, undefined, parameters);
  const pulled = pulledElements(update, tableShape(shape), parameters);
  const text = `
    SELECT t._id::text AS id, ${record.text} AS text, ${pulled} AS pulled
    FROM ${tableOf(shape)} t ${record.join} WHERE t._id = ${parameters.add(id, 'uuid')}`;
  return { text, values: parameters.values };
}

/** What of locked records to write: the declared columns by name, and whether all flexible fields. */
export interface Rewritten {
  readonly columns: readonly string[];
  readonly flexible: boolean;
  readonly expiresAt?: Date | null | undefined;
}

/** Writes locked records. `rows`: a JSON array of objects with `_id`, the physical columns and `x`. Row by row the same parts. */
export function rewriteStatement(shape: CollectionShape, rewritten: Rewritten, rows: string): Statement {
  const values: unknown[] = [rows];
  const chosen = columnsOf(shape).filter(([name]) => rewritten.columns.includes(name));
  const source = chosen.map(([, physical, { type }]) => `, ${physical} ${COLUMN_TYPES[type].castType}`);
  const assigned = chosen.map(([, , definition]) => physicalColumn(definition));
  const sets = [...assigned, ...(rewritten.flexible ? ['x'] : [])].map(name => `, ${name} = r.${name}`);
  if (rewritten.expiresAt !== undefined) {
    values.push(rewritten.expiresAt);
    sets.push(', expires_at = $2::timestamptz');
  }
  const text = `
    UPDATE ${tableOf(shape)} t SET updated_at = ${NOW}${sets.join('')}
    FROM jsonb_to_recordset($1::jsonb) AS r(_id uuid, x jsonb${source.join('')}) WHERE t._id = r._id`;
  return { text, values };
}
