import { invalid } from '../kernel/errors.js';
import { anyTrue } from './operator.js';
import type { SortKey } from './sort-key.js';
import type { SqlParameters } from './sql-parameters.js';

/** The keys of the last record of a page, as text, which loses nothing of any type. */
type Keys = readonly (string | null)[];

/** In the place of keys that would make a cursor too long: the record that has them. */
export interface Anchor {
  readonly id: string;
  /** `DIGEST` of the keys: it tells whether the record still has them. */
  readonly digest: string;
  /** Which of the keys are NULL: the text of the condition depends on it. */
  readonly nulls: readonly boolean[];
}

export type Position = Keys | Anchor;

/** Bytes of keys that a cursor holds. Base64 and the signature make at most 1,390 characters of them. */
const MAX_BYTES = 1_000;

/** SQL of a record's position, to select beside it: a JSON array of strings and nulls. */
export function positionOf(keys: readonly SortKey[]): string {
  return `json_build_array(${keys.map(({ sql }) => `(${sql})::text`).join(', ')})`;
}

/** SQL of a position as a cursor holds it, from the text of `positionOf`, which is evaluated several times: a column. */
export function shortPosition(sql: string): string {
  const nulls = `(SELECT json_agg(json_typeof(k) = 'null') FROM json_array_elements(${sql}::json) AS keys(k))`;
  return `CASE WHEN octet_length(${sql}) <= ${MAX_BYTES} THEN ${sql} \
ELSE json_build_object('id', ${sql}::json ->> -1, 'digest', ${digest(sql)}, 'nulls', ${nulls})::text END`;
}

function digest(sql: string): string {
  return `encode(sha256(convert_to(${sql}, 'UTF8')), 'hex')`;
}

export function isAnchor(position: Position): position is Anchor {
  return 'digest' in position;
}

/** SQL that is true while the record of an anchor still has the keys it had; NULL when it is gone. */
export function anchorHolds(
  keys: readonly SortKey[],
  anchor: Anchor,
  table: string,
  parameters: SqlParameters,
): string {
  const now = digest(`${positionOf(keys)}::text`);
  const [id, then] = [parameters.add(anchor.id, 'uuid'), parameters.add(anchor.digest, 'text')];
  return `(SELECT ${now} = ${then} FROM ${table} t WHERE t._id = ${id})`;
}

/**
 * The condition for what comes after a position (keyset paging). It opens with a plain bound on the first key
 * wherever there is one, so that an index on the keys is entered at the position. The keys of an anchor are read from the
 * `table` before anything else.
 */
export function after(
  keys: readonly SortKey[],
  position: Position,
  parameters: SqlParameters,
  table: string,
): string {
  const values = isAnchor(position)
    ? anchored(keys, position, parameters, table)
    : position.map((value, index) =>
        value === null || keys[index] === undefined ? undefined : parameters.add(value, keys[index].castType),
      );
  if (values.length !== keys.length) throw invalid('the cursor does not belong to this sort');
  const bounds = keys.map((key, index) => new Bound(key, values[index]));
  if (isRowComparison(bounds)) {
    const operator = keys[0]!.descending ? '<' : '>';
    return `(${keys.map(({ sql }) => sql).join(', ')}) ${operator} (${bounds.map(bound => bound.value).join(', ')})`;
  }
  const chain = bounds.reduceRight<string>(
    (rest, bound) =>
      anyTrue([bound.beyond, rest === '' ? '' : `(${bound.same} AND ${rest})`].filter(Boolean)),
    '',
  );
  return `(${[bounds[0]!.from, chain || 'FALSE'].filter(Boolean).join(' AND ')})`;
}

function anchored(
  keys: readonly SortKey[],
  { id, nulls }: Anchor,
  parameters: SqlParameters,
  table: string,
): (string | undefined)[] {
  const anchor = parameters.add(id, 'uuid');
  return nulls.map((isNull, index) =>
    isNull ? undefined : `(SELECT ${keys[index]?.sql} FROM ${table} t WHERE t._id = ${anchor})`,
  );
}

/** Keys in one direction, no NULL in the position, and none after it: PostgreSQL's row comparison says it all. */
function isRowComparison(bounds: readonly Bound[]): boolean {
  const descending = bounds[0]!.key.descending;
  return bounds.every(
    ({ key, value }) => value !== undefined && key.descending === descending && !(descending && key.nullable),
  );
}

/** One key against its value in the position; NULL comes first ascending and last descending. */
class Bound {
  /** `value`: SQL of the key's value in the position; undefined for NULL. */
  constructor(
    readonly key: SortKey,
    readonly value: string | undefined,
  ) {}

  /** The key stands strictly after the position; '' when none can. */
  get beyond(): string {
    const { sql, descending, nullable } = this.key;
    if (this.value === undefined) return descending ? '' : `${sql} IS NOT NULL`;
    if (!descending) return `${sql} > ${this.value}`;
    return nullable ? `(${sql} < ${this.value} OR ${sql} IS NULL)` : `${sql} < ${this.value}`;
  }

  get same(): string {
    return this.value === undefined ? `${this.key.sql} IS NULL` : `${this.key.sql} = ${this.value}`;
  }

  /** A bound that an index can be entered by; '' where it would be an OR. */
  get from(): string {
    const { sql, descending, nullable } = this.key;
    if (this.value === undefined) return descending ? `${sql} IS NULL` : '';
    if (descending) return nullable ? '' : `${sql} <= ${this.value}`;
    return `${sql} >= ${this.value}`;
  }
}
