import type { ColumnType } from '../columns/index.js';

/** A column as SQL sees it, such as `t.c1`. */
export interface ShapedColumn {
  readonly sql: string;
  readonly type: ColumnType;
  /** False for a column that never holds NULL: descending cursors then use its index all the way. */
  readonly nullable?: boolean;
}

/** What the compiler needs to know about a collection's table. `_id` must be one of the columns. */
export interface TableShape {
  /** The column that a top-level field lives in: declared or system column, else undefined. */
  column(name: string): ShapedColumn | undefined;
  /** SQL of the jsonb object with the flexible fields, such as `t.x`; may be NULL. */
  readonly flexible: string;
  /** SQL of every text column, for `$search` over the whole record. */
  readonly textColumns: readonly string[];
}
