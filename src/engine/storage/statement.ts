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
} from '../../base/sql/index.js';
import type { FormForMany, SharedRead } from '../../platform/database/connections/shared-reads.js';
import type { Rows } from '../../platform/database/statements.js';
import { type CollectionShape, wholeOf } from './collection-shape.js';
import { type NamedEvent, namingEvent } from './history/named-event.js';
import { notUnderRules } from './restricted/refusals.js';
import { Stale } from './stale.js';

/**
 * A statement on a collection. Most do nothing when the collection is no longer in the version that they were made for.
 */
export interface Statement {
  /** The query after the CTEs; the whole statement when there are no CTEs. */
  readonly query: Sql;
  /** The CTEs of a statement that writes. The first one is the version check; without its row the others do nothing. */
  readonly ctes?: readonly [Cte, ...Cte[]];
  /** A parameter of the query and its value in this statement. The query is rendered once and used with many values. */
  readonly variable?: { readonly param: Param; readonly value: unknown };
  /** The query for several values of the variable (`formForMany`). */
  readonly forMany?: FormForMany;
  /** The longest text that the first column may have; a longer one has a placeholder (`unlessLong`). */
  readonly longest?: Param;
}

/** A statement that reads. It returns at least one row, unless its version check failed. */
export interface Read<T> extends Statement {
  /** What its rows mean. */
  decode(rows: Rows): T;
}

/** The text of a statement and the values of its parameters. */
export function rendered({ ctes, query, variable }: Statement): Rendered {
  if (variable !== undefined) return renderedWith(query, variable);
  return render(ctes === undefined ? query : withCtes(ctes, query));
}

/** A query for a list of values in `param`. `positionOf`: the position of the value that a row is for, from 1. */
export function formForMany(query: Sql, param: Param, positionOf: FormForMany['positionOf']): FormForMany {
  return { rendered: values => renderedWith(query, { param, value: values }), positionOf };
}

/** How the statement shares one with others that differ in the variable only; undefined when it cannot. */
export function shared(statement: Statement): SharedRead | undefined {
  const { variable, forMany } = statement;
  if (variable === undefined || forMany === undefined) return undefined;
  return { form: forMany, value: variable.value, alone: () => rendered(statement) };
}

interface RenderedOnce extends Rendered {
  /** Index of the variable's value. */
  readonly index: number;
}

const renderedBefore = new WeakMap<Sql, RenderedOnce>();

function renderedWith(query: Sql, { param, value }: NonNullable<Statement['variable']>): Rendered {
  let once = renderedBefore.get(query);
  if (once === undefined) {
    const { text, values } = render(query);
    once = { text, values, index: values.indexOf(param.value) };
    renderedBefore.set(query, once);
  }
  return { text: once.text, values: once.values.with(once.index, value) };
}

/** Texts up to this size are read at once. For a longer text, memory is taken from the budget first. */
const LONG_BYTES = 256 * 1024;
/** PostgreSQL sends the rows of a result each time that this many bytes of them are ready. */
const SEND_BUFFER = literal(8 * 1024);

/**
 * SQL of a JSON text, or of a placeholder for a long one (`isPlaceholder`). The placeholder fills the buffer of PostgreSQL,
 * so it soon arrives, and the statement is ended before it has made all texts in vain. `text` is evaluated several times,
 * so it must be the name of a column.
 */
export function unlessLong(text: Sql): { shown: Sql; longest: Param } {
  const longest = param(LONG_BYTES, 'integer');
  // PostgreSQL would keep a constant in the plan of each prepared statement.
  const placeholder = sql`lpad(left(${text}, 1), ${SEND_BUFFER})`;
  return {
    shown: sql`CASE WHEN octet_length(${text}) > ${longest} THEN ${placeholder} ELSE ${text} END`,
    longest,
  };
}

/** True for the placeholder of a long text. The JSON that PostgreSQL makes never begins with a space. */
export function isPlaceholder(text: unknown): boolean {
  return typeof text === 'string' && text.startsWith(' ');
}

/** The statement without its limit on long texts. */
export function withLongTexts(statement: Statement): Statement {
  const { query, longest } = statement;
  if (longest === undefined) return statement;
  return { ...statement, query: query.replaced(longest, param(2 ** 31 - 1, 'integer')) };
}

/** Parts that a write includes in its own statement. The callers of storage provide them. */
export interface WriteParts extends NamedEvent {
  /** The caller, as records name it (`authorOf`); null for the platform itself. */
  readonly author: string | null;
  /** The audit event; `written` has one `_id` per written record. */
  event(written: Cte): Sql;
  /** True for a write that may insert more records than its event names: their ids are stored for an undo. */
  readonly keepsIds?: boolean;
  /** Set for a write with an Idempotency-Key. */
  readonly idempotency?: Idempotency | undefined;
}

/** Parts of a statement that writes of single records share. */
export interface SharedParts extends NamedEvent {
  /**
   * Claims the keys of the writes that have an Idempotency-Key, without waiting. The rows have the `_id` of each record
   * whose key is free or that has none. Undefined when no write has a key.
   */
  free(current: Cte): Cte | undefined;
  /** The audit events of the records in `written`; `free`: that of `free`. */
  event(written: Cte, free?: Cte): Sql;
  readonly claims:
    | {
        /** Stores the response of each record in `matched`; those in `written` have changed. */
        store(free: Cte, matched: Cte, written: Cte): Sql;
      }
    | undefined;
}

interface Idempotency {
  /** SQL that is true when this request may do the write, and fails otherwise. */
  readonly claim: Sql;
  /** Stores the response if the write was `done`. */
  readonly store: (done: Done) => Sql;
}

/** The values of a write's one row after the count of version checks. Throws `Stale` when the check has failed. */
export function written<Values extends readonly unknown[]>(row: readonly unknown[] = [0]): Values {
  const [checks, ...values] = row;
  if (checks === 0) throw new Stale();
  return values as unknown as Values;
}

/** SQL of the result of a write. */
export interface Done {
  /** True when the write was done, even if no record had to be changed. */
  readonly done: Sql;
  /** Records matched and written, and the id of the oldest; undefined when the response does not need them. */
  readonly counts?: { readonly matched: Sql; readonly written: Sql; readonly id: Sql };
}

/** The CTEs after a write: the check of its rules, its audit event and its stored response. */
export function partCtes(
  { writing }: CollectionShape,
  parts: WriteParts,
  written: Cte,
  done: () => Done,
): Cte[] {
  const { idempotency } = parts;
  const checked = writing?.allowed && new Cte('checked', onlyAllowed(written));
  const audit = new Cte('event', parts.event(checked ?? written));
  const stored = idempotency && new Cte('stored', idempotency.store(done()));
  return [...(checked ? [checked] : []), audit, ...(stored ? [stored] : [])];
}

/**
 * SQL of the ids of the records that were written. Refuses all of them if the rules do not allow one. `written` has the
 * column `allowed`.
 */
export function onlyAllowed(written: Cte): Sql {
  const refusedIds = sql`(SELECT string_agg(_id::text, ',') FROM (
      SELECT _id FROM ${written} WHERE allowed IS NOT TRUE ORDER BY _id LIMIT ${MAX_REFUSED}) r)`;
  return sql`SELECT _id FROM ${written}
    WHERE (SELECT CASE WHEN bool_or(allowed IS NOT TRUE) THEN public.refuse_records(${refusedIds}) ELSE true END FROM ${written})`;
}

/** The records that one refusal names. */
const MAX_REFUSED = literal(100);

/** The CTEs after writes that share a statement: their audit events and stored responses. `free`: that of `parts`. */
export function sharedCtes(parts: SharedParts, free: Cte | undefined, matched: Cte, written: Cte): Cte[] {
  const audit = new Cte('event', parts.event(written, free));
  if (free === undefined || parts.claims === undefined) return [audit];
  return [audit, new Cte('stored', parts.claims.store(free, matched, written))];
}

/** The version check of a write. For a write with an Idempotency-Key it also claims the key. */
export function currentVersion(
  shape: CollectionShape,
  parts: NamedEvent & Pick<WriteParts, 'idempotency'>,
): Cte {
  const { idempotency } = parts;
  const check = sql`${ruledCheck(shape)}${namingEvent(shape, parts)}`;
  return new Cte('version_check', idempotency === undefined ? check : sql`${check} AND ${idempotency.claim}`);
}

/** SQL that is true, for a version check. From there on, the statement waits for a lock at most this long. */
export function lockTimeout(milliseconds: number): Sql {
  return sql`set_config('lock_timeout', ${literal(String(milliseconds))}, true) IS NOT NULL`;
}

interface CheckedVersion {
  readonly id: Param;
  readonly check: Sql;
}

/** The table that has the versions of all collections. */
export const COLLECTIONS = sql`public.collections`;

const checked = new WeakMap<Pick<CollectionShape, 'id' | 'version'>, CheckedVersion>();

/** What the version check of a statement needs. */
type Versioned = Pick<CollectionShape, 'id' | 'version' | 'seen' | 'restricted'>;

function checkedVersion(of: Versioned): CheckedVersion {
  const shape = wholeOf(of);
  let check = checked.get(shape);
  if (check === undefined) {
    const id = param(shape.id, 'uuid');
    const version = param(shape.version, 'bigint');
    check = { id, check: sql`SELECT 1 FROM ${COLLECTIONS} WHERE id = ${id} AND version = ${version}` };
    checked.set(shape, check);
  }
  return check;
}

/**
 * SQL of the version check: one row while the collection is in the version that the statement was made for, else none.
 * Without that row a read returns no row and a write does nothing; the caller then reloads the collection.
 */
export function versionCheck(shape: Versioned): Sql {
  if (shape.restricted !== undefined) throw notUnderRules();
  return checkedVersion(shape).check;
}

/**
 * The version check of a statement that keeps the rules in `shape.writing`. Throws 403 when a caller is restricted and
 * the statement was not made for its rules.
 */
export function ruledCheck(shape: CollectionShape): Sql {
  if (shape.restricted !== undefined && shape.writing === undefined) throw notUnderRules();
  return checkedVersion(shape).check;
}

/** The collection's id, the same parameter as in its version check. */
export function collectionId(shape: Versioned): Param {
  return checkedVersion(shape).id;
}
