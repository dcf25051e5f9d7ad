import { identifier, joined, NOTHING, type Sql, sql } from '../../../../base/sql/index.js';
import { COLUMN_TYPES, type ColumnType } from '../../../columns/index.js';
import {
  type FieldExpression,
  type FieldPath,
  fieldExpression,
  orderBy,
  reversed,
  type Sort,
  type SortKey,
  sortKeys,
  type TableShape,
} from '../../../filter/index.js';

/** A field of the result: its name for clients, the SQL of its value and of what orders it, and its type. */
export interface ResultField {
  readonly name: string;
  readonly value: Sql;
  readonly order: Sql;
  readonly type: ColumnType;
  /** True for a figure that is 0, not null, over no records. */
  readonly isZeroOfNothing?: boolean;
}

/**
 * The fields of the records that an aggregation reads. Each is a column of an inner query (alias `i`), so that
 * grouping, ordering and aggregating use plain columns instead of the expressions behind them.
 */
export class AggregateInputs {
  // biome-ignore lint/plugin/bounded-maps: fields of one aggregation
  private readonly known = new Map<string, ResultField>();
  private readonly list: Sql[] = [];
  private readonly ranks: Sql[] = [];

  constructor(readonly table: TableShape) {}

  /** The inner query with all columns. `records`: FROM and WHERE. */
  query(records: Sql): Sql {
    const columns = this.list.length === 0 ? sql`1` : joined(this.list);
    const query = sql`SELECT ${columns} ${records}`;
    return this.ranks.length === 0 ? query : sql`SELECT i.*, ${joined(this.ranks)} FROM (${query}) i`;
  }

  /** The field at a path. A scalar column is ordered by its value, jsonb by a text that sorts in MongoDB's order. */
  field(path: FieldPath): ResultField {
    const name = path.join('.');
    const known = this.known.get(name) ?? this.add(name, path);
    this.known.set(name, known);
    return known;
  }

  /** A column for other SQL of a record. */
  column(value: Sql): Sql {
    const name = identifier(`e${this.list.length}`);
    this.list.push(sql`${value} AS ${name}`);
    return sql`i.${name}`;
  }

  /** The value of a path in the table, for `column`. */
  expression(path: FieldPath): FieldExpression {
    return fieldExpression(path, this.table);
  }

  /**
   * A column with the place of each record, from 1, among those with the same values of `within`. PostgreSQL sorts on disk
   * what does not fit into memory; a list of all values of a group would be in memory.
   */
  rank(within: readonly Sql[], sort: Sort, isLastFirst: boolean): Sql {
    const columns = sortKeys(sort, this.table).map(
      (key): SortKey => ({ ...key, value: this.column(key.value) }),
    );
    const order = orderBy(isLastFirst ? reversed(columns) : columns);
    const parts = within.length === 0 ? NOTHING : sql`PARTITION BY ${joined(within)} `;
    const name = identifier(`r${this.ranks.length}`);
    this.ranks.push(sql`row_number() OVER (${parts}ORDER BY ${order}) AS ${name}`);
    return sql`i.${name}`;
  }

  private add(name: string, path: FieldPath): ResultField {
    const { sql: field, type } = fieldExpression(path, this.table);
    const [v, o] = [identifier(`v${this.known.size}`), identifier(`o${this.known.size}`)];
    const value = sql`i.${v}`;
    if (type?.family === 'scalar') {
      this.list.push(sql`${field} AS ${v}`);
      return { name, value, order: value, type };
    }
    const [key] = sortKeys([{ path, direction: 1 }], this.table) as [SortKey];
    this.list.push(sql`nullif(${field}, 'null') AS ${v}`, sql`${key.value} AS ${o}`);
    return { name, value, order: sql`i.${o}`, type: COLUMN_TYPES.json };
  }
}
