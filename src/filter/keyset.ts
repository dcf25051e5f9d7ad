import { invalid } from '../kernel/errors.js';
import { anyTrue } from './operator.js';
import type { SortKey } from './sort-key.js';
import type { SqlParameters } from './sql-parameters.js';

/** The keys of the last record of a page, as text, which loses nothing of any type. */
export type Position = readonly (string | null)[];

/** SQL of a record's position, to select beside it: a JSON array of strings and nulls. */
export function positionOf(keys: readonly SortKey[]): string {
  return `json_build_array(${keys.map(({ sql }) => `(${sql})::text`).join(', ')})`;
}

/**
 * The condition for what comes after a position (keyset paging). It opens with a plain bound on the first key
 * wherever there is one, so that an index on the keys is entered at the position.
 */
export function after(keys: readonly SortKey[], position: Position, parameters: SqlParameters): string {
  if (position.length !== keys.length) throw invalid('the cursor does not belong to this sort');
  const bounds = keys.map((key, index) => new Bound(key, position[index] ?? null, parameters));
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

/** Keys in one direction, no NULL in the position, and none after it: PostgreSQL's row comparison says it all. */
function isRowComparison(bounds: readonly Bound[]): boolean {
  const descending = bounds[0]!.key.descending;
  return bounds.every(
    ({ key, value }) => value !== undefined && key.descending === descending && !(descending && key.nullable),
  );
}

/** One key against its value in the position; NULL comes first ascending and last descending. */
class Bound {
  readonly value: string | undefined;

  constructor(
    readonly key: SortKey,
    value: string | null,
    parameters: SqlParameters,
  ) {
    this.value = value === null ? undefined : parameters.add(value, key.castType);
  }

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
