import type { JsonValue } from '../kernel/json.js';
import type { ScalarType, Sql } from '../sql/index.js';

/** The ordering comparisons; equality is the case of `$eq` and `$in`. */
export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';

/** What goes to PostgreSQL as a parameter. */
type SqlValue = string | number | boolean | null;

/**
 * All that the service knows about one type of column: how it is declared, what it takes, how it is compared
 * and how it is shown. Nothing outside this folder branches on a type's name.
 */
export interface ColumnType {
  readonly name: string;
  /** The type in DDL. */
  readonly sqlType: Sql;
  /** The type in `jsonb_to_recordset(…) AS t(c1 <castType>)` and `$n::<castType>`. */
  readonly castType: ScalarType;
  /** Ends the sentence "column 'age' expects …". */
  readonly expects: string;
  /** A scalar is compared by PostgreSQL's own operators; a document is jsonb and searched by path. */
  readonly family: 'scalar' | 'document';
  /** True when MongoDB's `$type` calls the column's values dates, although JSON shows text. */
  readonly instant: boolean;
  /** The value in the form it is stored in, or undefined when it does not fit. Null never comes here. */
  accept(value: unknown): JsonValue | undefined;
  /**
   * The operand of a filter as a parameter of `castType`, or undefined when no value of the column can stand
   * in this comparison to it: comparison never crosses types. Throws `invalid()` for a string that was meant
   * as a date and is none. Documents are never asked.
   */
  operand(value: JsonValue, comparison: Comparison): SqlValue | undefined;
  /** SQL that shows the column's value in JSON. */
  toJson(value: Sql): Sql;
  /** SQL of the value as text, where it has one that `$regex` and `$search` can read. */
  toText?(value: Sql): Sql;
}

/** A type that a schema can name, so that values kept elsewhere may have to become values of it. */
export interface DeclarableType extends ColumnType {
  /**
   * SQL of a jsonb value as a value of the column: what `accept` says in Node, said by PostgreSQL. NULL for what does
   * not fit; never an error, whatever the value is.
   */
  fromJson(json: Sql): Sql;
}
