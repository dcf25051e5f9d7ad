import type { ColumnType } from '../columns/index.js';
import type { Sql } from '../sql/index.js';

/** A column as SQL sees it, such as `t.c1`. */
export interface ShapedColumn {
  readonly sql: Sql;
  readonly type: ColumnType;
  /** False for a column that never holds NULL: descending cursors then use its index all the way. */
  readonly nullable?: boolean;
}

/** What the compiler needs to know about a collection's table. `_id` must be one of the columns. */
export interface TableShape {
  /** The column that a top-level field lives in: declared or system column, else undefined. */
  column(name: string): ShapedColumn | undefined;
  /** SQL of the jsonb object with the flexible fields, such as `t.x`; may be NULL. */
  readonly flexible: Sql;
  /** SQL of every text column, for `$search` over the whole record. */
  readonly textColumns: readonly Sql[];
}
