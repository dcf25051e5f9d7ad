import { sqlState } from '../kernel/sql-state.js';
import {
  Cte,
  literal,
  type Param,
  param,
  type Rendered,
  render,
  type Sql,
  sql,
  withCtes,
} from '../sql/index.js';
import type { CollectionShape } from './collection-shape.js';

/** A statement about a collection. Most do nothing when it is no longer in the version that the statement was made for. */
export interface Statement {
  /** What is behind the CTEs; without CTEs, all of it. */
  readonly query: Sql;
  /** The CTEs of a statement that writes; the first one is the version check, and none is done without it. */
  readonly ctes?: readonly [Cte, ...Cte[]];
  /** A parameter of the query that gets another value here: so the query is made once for many of them. */
  readonly open?: { readonly param: Param; readonly value: unknown };
  /** How long a text in the first column may be; a longer one fails the statement (`unlessLong`). */
  readonly longest?: Param;
}

/** The text of a statement and the values of its parameters. */
export function rendered({ ctes, query, open }: Statement): Rendered {
  if (open !== undefined) return renderedOnce(query, open);
  return render(ctes === undefined ? query : withCtes(ctes, query));
}

interface OpenRendered extends Rendered {
  /** Of the open parameter among the values. */
  readonly place: number;
}

const renderedBefore = new WeakMap<Sql, OpenRendered>();

function renderedOnce(query: Sql, { param, value }: NonNullable<Statement['open']>): Rendered {
  let known = renderedBefore.get(query);
  if (known === undefined) {
    const { text, values } = render(query);
    known = { text, values, place: values.indexOf(param.value) };
    renderedBefore.set(query, known);
  }
  return { text: known.text, values: known.values.with(known.place, value) };
}

/** Bytes of a text that comes at once. A longer one takes memory that must be waited for. */
const LONG_BYTES = 256 * 1024;
/** What the database's log says of a statement that met a long text. */
const LONG_TEXT = 'a long text, which is asked for again by itself';
const FAILURE = literal(LONG_TEXT);

/**
 * SQL of a text that fails the statement where it is long (`isLongText`): the first one ends it, so that no others are made
 * for nothing. `text` is evaluated twice: the name of a column.
 */
export function unlessLong(text: Sql): { shown: Sql; longest: Param } {
  const longest = param(LONG_BYTES, 'integer');
  // A cast that fails, of what is no constant: that would be computed beforehand.
  const failure = sql`(left(${text}, 0) || ${FAILURE})::integer::text`;
  return {
    shown: sql`CASE WHEN octet_length(${text}) > ${longest} THEN ${failure} ELSE ${text} END`,
    longest,
  };
}

/** True for the failure of a statement that met a long text. */
export function isLongText(error: unknown): boolean {
  return sqlState(error) === '22P02' && (error as Error).message.includes(LONG_TEXT);
}

/** The statement with all texts, however long. */
export function withLongTexts(statement: Statement): Statement {
  const { query, longest } = statement;
  if (longest === undefined) return statement;
  return { ...statement, query: query.replaced(longest, param(2 ** 31 - 1, 'integer')) };
}

/** What a write carries along in its own statement; made by those that storage does not know. */
export interface Carried {
  /** The audit event; `written` has one `_id` per written record. */
  readonly event: (written: Cte) => Sql;
  /** Set when the write may be sent again, and must be done once. */
  readonly once?: Once | undefined;
}

interface Once {
  /** True where the write may be done; fails elsewhere. */
  readonly claim: Sql;
  /** Keeps the answer, where the write was `done`. */
  readonly keep: (done: Done) => Sql;
}

/** SQL of what a write came to. */
export interface Done {
  /** True when it was done, if only because there was nothing to do. */
  readonly done: Sql;
  /** Records matched and written, and the id of the oldest; undefined where the answer is known without them. */
  readonly counts?: { readonly matched: Sql; readonly written: Sql; readonly id: Sql };
}

/** The CTEs behind a write: its event, and its answer. */
export function carriedCtes({ event, once }: Carried, written: Cte, done: () => Done): Cte[] {
  const audit = new Cte('event', event(written));
  return once === undefined ? [audit] : [audit, new Cte('kept', once.keep(done()))];
}

/** The version check of a write; before it, where the write may be sent again, the claim to do it. */
export function currentVersion(shape: CollectionShape, { once }: Carried): Cte {
  const check = versionCheck(shape);
  return new Cte('version_check', once === undefined ? check : sql`${check} AND ${once.claim}`);
}

interface CheckedVersion {
  readonly id: Param;
  readonly check: Sql;
}

/** Where the versions of all collections are. */
export const COLLECTIONS = sql`public.collections`;

const checked = new WeakMap<Pick<CollectionShape, 'id' | 'version'>, CheckedVersion>();

function checkedVersion(shape: Pick<CollectionShape, 'id' | 'version'>): CheckedVersion {
  let known = checked.get(shape);
  if (known === undefined) {
    const id = param(shape.id, 'uuid');
    const version = param(shape.version, 'bigint');
    known = { id, check: sql`SELECT 1 FROM ${COLLECTIONS} WHERE id = ${id} AND version = ${version}` };
    checked.set(shape, known);
  }
  return known;
}

/**
 * The row that exists only while the collection is in the version the statement was made for. A reader without it
 * sees no row, a writer without it writes nothing; the caller then reloads the collection.
 */
export function versionCheck(shape: Pick<CollectionShape, 'id' | 'version'>): Sql {
  return checkedVersion(shape).check;
}

/** The collection's id, the same parameter as in its version check. */
export function collectionId(shape: Pick<CollectionShape, 'id' | 'version'>): Param {
  return checkedVersion(shape).id;
}
