import type { Projection } from '../../filter/index.js';
import { type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, tableShape } from '../collection-shape.js';
import { topLevel } from '../records/projection.js';
import { flexibleJson, rowJson, storedBytes } from '../records/row-json.js';

/** A part of a record as text. */
export interface ExportPart {
  /** SQL of the text, which may be null. The table is `t`. */
  readonly text: Sql;
  /**
   * `short`: always has few characters. `column`: is a column, so PostgreSQL knows its length without reading it.
   * `document`: is made from values that take `stored` bytes in the table.
   */
  readonly length: 'short' | 'column' | 'document';
  readonly stored?: Sql;
}

/** The parts to read of each record, and the text that a file has for them. */
export interface ExportLayout {
  readonly parts: readonly ExportPart[];
  /** The join that the parts need. */
  readonly join: Sql;
  /** The text of a record in the file. `values` begins with the parts. */
  line(values: PartValues): string;
}

export type PartValues = readonly (string | null)[];

/** A record as one part: the JSON text of the fields that a projection shows, without its deeper paths. */
export function recordPart(
  shape: CollectionShape,
  projection: Projection | undefined,
): Pick<ExportLayout, 'join'> & { readonly part: ExportPart } {
  const { text, join } = rowJson(shape, topLevel(projection));
  return { part: { text, length: 'document', stored: storedBytes(shape) }, join };
}

/** The flexible fields that a projection shows, as JSON text; null when there are none. */
export function flexiblePart(shape: CollectionShape, projection: Projection | undefined): ExportPart {
  const text = sql`CASE WHEN t.x <> '{}' THEN (${flexibleJson(shape, topLevel(projection))})::text END`;
  return { text, length: 'document', stored: sql`pg_column_size(t.x)` };
}

/** A declared column or system field as a part; undefined for a flexible field. */
export function columnPart(shape: CollectionShape, name: string): ExportPart | undefined {
  const column = tableShape(shape).column(name);
  if (column === undefined) return undefined;
  const { sql: value, type } = column;
  if (type.toPlainText !== undefined) return { text: type.toPlainText(value), length: 'short' };
  if (type.family === 'scalar') return { text: value, length: 'column' };
  return { text: sql`${value}::text`, length: 'document', stored: sql`pg_column_size(${value})` };
}
