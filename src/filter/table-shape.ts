import type { ColumnType } from '../columns/index.js';
import type { Sql } from '../sql/index.js';

/** A column in SQL, such as `t.c1`. */
export interface ShapedColumn {
  readonly sql: Sql;
  readonly type: ColumnType;
  /** False for a column that never contains NULL: then cursors of a descending sort can use its index fully. */
  readonly nullable?: boolean;
}

/** What the compiler needs from a collection's table. `_id` must be one of the columns. */
export interface TableShape {
  /** The declared or system column of a top-level field; undefined for a flexible field. */
  column(name: string): ShapedColumn | undefined;
  /** SQL of the jsonb object with the flexible fields, such as `t.x`; may be NULL. */
  readonly flexible: Sql;
  /** SQL of every text column, for `$search` over the whole record. */
  readonly textColumns: readonly Sql[];
}
