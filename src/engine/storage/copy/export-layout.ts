import { type Sql, sql } from '../../../base/sql/index.js';
import type { RowReader } from '../../../platform/database/connections/row-reader.js';
import type { SentForm } from '../../columns/index.js';
import type { Projection } from '../../filter/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { topLevel } from '../records/projection.js';
import { flexibleJson, rowJson, storedBytes } from '../records/row-json.js';
import { tableShape } from '../table-sql.js';
import type { TextBuffer } from './text-buffer.js';

/** A part of a record. */
export interface ExportPart {
  /** SQL of the value, which may be null. The table is `t`. */
  readonly value: Sql;
  readonly form: SentForm;
  /** SQL of the bytes in the table that `value` is made from, which PostgreSQL knows without reading them; for JSON. */
  readonly stored?: Sql;
}

/** The parts to read of each record, and the text that a file has for them. */
export interface ExportLayout {
  readonly parts: readonly ExportPart[];
  /** The join that the parts need. */
  readonly join: Sql;
  /** Writes the text of the present record in the file. The first part is the value FIRST_PART of the row. */
  write(row: RowReader, to: TextBuffer): void;
}

/** Rows begin with the id of the record, if it is long, and null otherwise. */
export const FIRST_PART = 1;

/** A record as one part: the JSON text of the fields that a projection shows, without its deeper paths. */
export function recordPart(
  shape: CollectionShape,
  projection: Projection | undefined,
): Pick<ExportLayout, 'join'> & { readonly part: ExportPart } {
  const { text, join } = rowJson(shape, topLevel(projection));
  return { part: { value: text, form: 'json', stored: storedBytes(shape) }, join };
}

/** The flexible fields that a projection shows, as a JSON object; null when there are none. */
export function flexiblePart(shape: CollectionShape, projection: Projection | undefined): ExportPart {
  const value = sql`CASE WHEN t.x <> '{}' THEN (${flexibleJson(shape, topLevel(projection))})::text END`;
  return { value, form: 'json', stored: sql`pg_column_size(t.x)` };
}

/** A declared column or system field as a part; undefined for a flexible field. */
export function columnPart(shape: CollectionShape, name: string): ExportPart | undefined {
  const column = tableShape(shape).column(name);
  if (column === undefined) return undefined;
  const { sql: value, type } = column;
  if (type.sent !== 'json') return { value, form: type.sent };
  return { value: sql`${value}::text`, form: 'json', stored: sql`pg_column_size(${value})` };
}
