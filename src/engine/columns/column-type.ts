import type { JsonValue } from '../../base/kernel/json.js';
import type { ScalarType, Sql } from '../../base/sql/index.js';

/** `eq` is the comparison of `$eq` and `$in`. */
export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';

/** A parameter of a statement. */
type SqlValue = string | number | boolean | null;

/**
 * A form of texts that PostgreSQL sends. Plain ones are short, need no quotes in a file and are those of `JSON.stringify`
 * without quotation marks; dates are, if DateStyle is ISO.
 */
export type SentForm = 'plain' | 'boolean' | 'double' | 'instant' | 'text' | 'json';

/**
 * Everything about one type of column: its declaration, the values that it accepts, their comparison and their form in
 * JSON.
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
  /** True when the column's values are dates for MongoDB's `$type`, although they are text in JSON. */
  readonly instant: boolean;
  /** The value in the form in which it is stored; undefined when it does not fit. Never called with null. */
  accept(value: unknown): JsonValue | undefined;
  /**
   * The operand of a filter as a parameter of `castType`; undefined when no value of the column can match, because values
   * of different types never compare. Throws `invalid()` for a string that a date column cannot read as a date. Not
   * called for documents.
   */
  operand(value: JsonValue, comparison: Comparison): SqlValue | undefined;
  /** SQL that shows the column's value in JSON. */
  toJson(value: Sql): Sql;
  /** SQL of the value as text, where it has one that `$regex` and `$search` can read. */
  toText?(value: Sql): Sql;
  /** The form of the text that PostgreSQL sends for a value. */
  readonly sent: SentForm;
}

/** A type that a schema can declare, so stored JSON values may have to be converted to it. */
export interface DeclarableType extends ColumnType {
  /**
   * SQL that converts a jsonb value to a value of the column, with the same rules as `accept`. NULL for a value that does not
   * fit; never an error.
   */
  fromJson(json: Sql): Sql;
}
