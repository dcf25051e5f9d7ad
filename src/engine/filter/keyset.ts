import { invalid } from '../../base/kernel/errors.js';
import { joined, literal, param, type Sql, sql } from '../../base/sql/index.js';
import { anyTrue, FALSE } from './operators/operator.js';
import type { SortKey } from './sort.js';

/** The keys of the last record of a page, as text, which keeps every type exact. */
type Keys = readonly (string | null)[];

/** Used when the keys would make a cursor too long: it names the record that has them. */
export interface Anchor {
  readonly id: string;
  /** SHA-256 of the keys. It shows whether the record still has the same keys. */
  readonly digest: string;
  /** Which keys are NULL. The text of the condition depends on it. */
  readonly nulls: readonly boolean[];
}

export type Position = Keys | Anchor;

/** Maximum of bytes of keys in a cursor. With Base64 and the signature this becomes at most 1,390 characters. */
const MAX_BYTES = literal(1_000);

/** SQL that selects the position of a record: a JSON array of strings and nulls. */
export function positionOf(keys: readonly SortKey[]): Sql {
  return sql`json_build_array(${joined(keys.map(({ value }) => sql`(${value})::text`))})`;
}

/**
 * SQL of a position as it goes into a cursor. `position` is the text of `positionOf`; it must be a column, because it
 * is evaluated several times.
 */
export function shortPosition(position: Sql): Sql {
  const nulls = sql`(SELECT json_agg(json_typeof(k) = 'null') FROM json_array_elements(${position}::json) AS keys(k))`;
  return sql`CASE WHEN octet_length(${position}) <= ${MAX_BYTES} THEN ${position} \
ELSE json_build_object('id', ${position}::json ->> -1, 'digest', ${digest(position)}, 'nulls', ${nulls})::text END`;
}

function digest(text: Sql): Sql {
  return sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
}

export function isAnchor(position: Position): position is Anchor {
  return 'digest' in position;
}

/** SQL that is true while the anchor's record still has the same keys; NULL when the record is gone. */
export function anchorHolds(keys: readonly SortKey[], anchor: Anchor, table: Sql): Sql {
  const now = digest(sql`${positionOf(keys)}::text`);
  const [id, then] = [param(anchor.id, 'uuid'), param(anchor.digest, 'text')];
  return sql`(SELECT ${now} = ${then} FROM ${table} t WHERE t._id = ${id})`;
}

/**
 * The condition for the records after a position (keyset pagination). It begins with a plain bound on the first key if
 * possible, so that a scan of an index on the keys starts at the position. The keys of an anchor are read from `table`
 * first.
 */
export function after(keys: readonly SortKey[], position: Position, table: Sql): Sql {
  const values = isAnchor(position)
    ? anchored(keys, position, table)
    : position.map((value, index) =>
        value === null || keys[index] === undefined ? undefined : keys[index].operand(value),
      );
  if (values.length !== keys.length) throw invalid('the cursor does not belong to this sort');
  const bounds = keys.map((key, index) => new Bound(key, values[index]));
  if (isRowComparison(bounds)) {
    const [own, others] = [
      joined(keys.map(({ value }) => value)),
      joined(bounds.map(bound => bound.value as Sql)),
    ];
    return keys[0]!.descending ? sql`(${own}) < (${others})` : sql`(${own}) > (${others})`;
  }
  const chain = bounds.reduceRight<Sql | undefined>((rest, bound) => {
    const both = [bound.beyond, rest && sql`(${bound.same} AND ${rest})`].filter(isThere);
    return both.length === 0 ? undefined : anyTrue(both);
  }, undefined);
  return sql`(${joined([bounds[0]!.from, chain ?? FALSE].filter(isThere), ' AND ')})`;
}

/**
 * As `after`, in ranges of an index on the keys: all records of the first range come before those of the second. There
 * is a second one where NULLs come last and the position is before them, because an index scan that begins at a value
 * ends before the NULLs.
 */
export function rangesAfter(keys: readonly SortKey[], position: Position, table: Sql): readonly Sql[] {
  const [first, ...others] = keys as [SortKey, ...SortKey[]];
  const isNull = isAnchor(position) ? position.nulls[0] : position[0] === null;
  if (!first.descending || !first.nullable || isNull) return [after(keys, position, table)];
  return [after([{ ...first, nullable: false }, ...others], position, table), sql`${first.value} IS NULL`];
}

/** Conditions that divide records at a value of a key. */
interface Division {
  /**
   * Ranges of the records whose key is not before the value, as those of `rangesAfter`; undefined when these are all
   * records.
   */
  readonly fromHere: readonly Sql[] | undefined;
  /** True for records whose key is before the value. */
  readonly before: Sql;
}

/** Divides records at a value of a key; `value` is undefined for NULL. */
export function dividedAt(key: SortKey, value: Sql | undefined): Division {
  const before = new Bound({ ...key, descending: !key.descending }, value).beyond ?? FALSE;
  const fromHere = new Bound(key, value).from;
  if (fromHere !== undefined) return { fromHere: [fromHere], before };
  if (value === undefined) return { fromHere: undefined, before };
  return { fromHere: [sql`${key.value} <= ${value}`, sql`${key.value} IS NULL`], before };
}

function anchored(keys: readonly SortKey[], { id, nulls }: Anchor, table: Sql): (Sql | undefined)[] {
  const anchor = param(id, 'uuid');
  return nulls.map((isNull, index) =>
    isNull || keys[index] === undefined
      ? undefined
      : sql`(SELECT ${keys[index].ofAnyRecord ?? keys[index].value} FROM ${table} t WHERE t._id = ${anchor})`,
  );
}

function isThere(part: Sql | undefined): part is Sql {
  return part !== undefined;
}

/**
 * True when PostgreSQL's row comparison is enough: all keys have the same direction, no key in the position is NULL,
 * and no NULL can come after it.
 */
function isRowComparison(bounds: readonly Bound[]): boolean {
  const descending = bounds[0]!.key.descending;
  return bounds.every(
    ({ key, value }) => value !== undefined && key.descending === descending && !(descending && key.nullable),
  );
}

/** One key and its value in the position. NULL comes first ascending and last descending. */
class Bound {
  /** `value`: SQL of the key's value in the position; undefined for NULL. */
  constructor(
    readonly key: SortKey,
    readonly value: Sql | undefined,
  ) {}

  /** SQL that is true when the key is strictly after the position; undefined when no key can be. */
  get beyond(): Sql | undefined {
    const { value: key, descending, nullable } = this.key;
    if (this.value === undefined) return descending ? undefined : sql`${key} IS NOT NULL`;
    if (!descending) return sql`${key} > ${this.value}`;
    return nullable ? sql`(${key} < ${this.value} OR ${key} IS NULL)` : sql`${key} < ${this.value}`;
  }

  get same(): Sql {
    const { value: key } = this.key;
    return this.value === undefined ? sql`${key} IS NULL` : sql`${key} = ${this.value}`;
  }

  /** A bound at which an index scan can start; undefined when that would need an OR. */
  get from(): Sql | undefined {
    const { value: key, descending, nullable } = this.key;
    if (this.value === undefined) return descending ? sql`${key} IS NULL` : undefined;
    if (descending) return nullable ? undefined : sql`${key} <= ${this.value}`;
    return sql`${key} >= ${this.value}`;
  }
}
