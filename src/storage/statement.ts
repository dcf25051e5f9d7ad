import { SqlParameters } from '../filter/index.js';
import { sqlState } from '../kernel/sql-state.js';
import type { CollectionShape } from './collection-shape.js';

/** SQL text and its parameters. The text depends on shapes only, so it can be prepared. */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
  /** Which of the values says how long a text in the first column may be; a longer one fails the statement (`unlessLong`). */
  readonly longest?: number;
}

/** Bytes of a text that comes at once. A longer one takes memory that must be waited for. */
const LONG_BYTES = 256 * 1024;
/** What the database's log says of a statement that met a long text. */
const LONG_TEXT = 'a long text, which is asked for again by itself';

/**
 * SQL of a text that fails the statement where it is long (`isLongText`): the first one ends it, so that no others are made
 * for nothing. `sql` is evaluated twice: the name of a column.
 */
export function unlessLong(sql: string, parameters: SqlParameters): { sql: string; longest: number } {
  const longest = parameters.values.length;
  const bound = parameters.add(LONG_BYTES, 'integer');
  // A cast that fails, of what is no constant: that would be computed beforehand.
  const failure = `(left(${sql}, 0) || '${LONG_TEXT}')::integer::text`;
  return { sql: `CASE WHEN octet_length(${sql}) > ${bound} THEN ${failure} ELSE ${sql} END`, longest };
}

/** True for the failure of a statement that met a long text. */
export function isLongText(error: unknown): boolean {
  return sqlState(error) === '22P02' && (error as Error).message.includes(LONG_TEXT);
}

/** The statement with all texts, however long. */
export function withLongTexts(statement: Statement): Statement {
  const { values, longest } = statement;
  return longest === undefined ? statement : { ...statement, values: values.with(longest, 2 ** 31 - 1) };
}

/** Puts a value among the parameters of a statement and returns its placeholder. */
export type Add = (value: unknown, castType: string) => string;

/** What a write carries along in its own statement; made by those that storage does not know. */
export interface Carried {
  /** Text of the audit event; `written` names the CTE with one `_id` per written record. */
  readonly event: (written: string, add: Add) => string;
  /** Set when the write may be sent again, and must be done once. */
  readonly once?: Once | undefined;
}

interface Once {
  /** SQL that is true where the write may be done, and fails elsewhere. */
  readonly claim: (add: Add) => string;
  /** Text that keeps the answer, where the write was `done`. */
  readonly keep: (done: Done, add: Add) => string;
}

/** SQL of what a write came to. */
export interface Done {
  /** True when it was done, if only because there was nothing to do. */
  readonly done: string;
  /** Records matched and written, and the id of the oldest; undefined where the answer is known without them. */
  readonly counts?: { readonly matched: string; readonly written: string; readonly id: string };
}

/** What the fence of a write asks beyond the version of the collection. */
export function claimed({ once }: Carried, add: Add): string {
  return once === undefined ? '' : ` AND ${once.claim(add)}`;
}

/** The CTEs behind a write: its event, and its answer. `done` is asked only where it is needed: it may add parameters. */
export function carriedCtes({ event, once }: Carried, written: string, done: () => Done, add: Add): string {
  const kept = once === undefined ? '' : `,\n    kept AS (${once.keep(done(), add)})`;
  return `event AS (${event(written, add)})${kept}`;
}

/** Parameters of a statement whose first two are the fence's: collection id and version. */
export function fencedParameters(shape: CollectionShape): SqlParameters {
  return new SqlParameters([shape.id, shape.version]);
}

/**
 * The row that exists only while the collection is in the version the statement was made for. A reader without it
 * sees no row, a writer without it writes nothing; the caller then reloads the collection.
 */
export const FENCE = 'SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint';
