import { type Columns, columnType, type FieldType, typeOfJson } from '../../../values/field-types.js';
import type { JsonObject } from '../../../values/json.js';

/**
 * What the filter builder shows. `toFilter` writes it in the filter language, and `fromFilter` reads it back. What the
 * builder has no form for is a `Raw` item, which keeps the JSON unchanged.
 */
export type Item = Group | Condition | Search | Elements | Raw;

/** `all`: every item holds; `any`: at least one; `none`: not one of them. */
export type Mode = 'all' | 'any' | 'none';

export interface Group {
  readonly kind: 'group';
  readonly mode: Mode;
  readonly items: readonly Item[];
  /** The filter was written with `$and` although it needs none. Kept, so that reading a filter changes nothing. */
  readonly explicit?: true;
}

/** The operators of conditions. `startsWith`, `endsWith` and `includes` are patterns with literal text. */
export type Operator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'nin'
  | 'exists'
  | 'type'
  | 'search'
  | 'startsWith'
  | 'endsWith'
  | 'includes'
  | 'matches'
  | 'all'
  | 'size'
  | 'mod'
  | 'bitsAllSet'
  | 'bitsAnySet'
  | 'bitsAllClear'
  | 'bitsAnyClear';

/** One condition on one field. */
export interface Condition {
  readonly kind: 'condition';
  /** A column, a flexible field or a dotted path. Empty: the element itself, inside of `Elements`. */
  readonly field: string;
  readonly operator: Operator;
  /** JSON; undefined while nobody has entered a value. `matches` has a `Pattern`. */
  readonly value: unknown;
  /** The condition must not hold (`$not`). */
  readonly not?: true;
  /** Equality that was written as `$eq`. */
  readonly explicit?: true;
  /** The type that a person chose for a field without a column. Not part of the filter. */
  readonly as?: FieldType;
}

export interface Pattern {
  readonly pattern: string;
  /** The letters of `$options`; undefined: the filter has no `$options`. */
  readonly options?: string;
}

/** A text in any of the text columns. */
interface Search {
  readonly kind: 'search';
  readonly text: string;
}

/** One element of a list must satisfy all conditions of the group. */
export interface Elements {
  readonly kind: 'elements';
  readonly field: string;
  /** `values`: the conditions concern the element itself; `objects`: its fields. */
  readonly of: 'values' | 'objects';
  readonly group: Group;
  readonly not?: true;
}

/** A filter for which the builder has no form. */
export interface Raw {
  readonly kind: 'raw';
  readonly filter: JsonObject;
  /** What somebody is writing in its place; `filter` is the last text of it that was a filter. */
  readonly text?: string;
}

/** The type by which a condition is edited: that of the column, else the chosen one, else that of its value. */
export function typeOf(condition: Condition, columns: Columns): FieldType {
  return columnType(condition.field, columns) ?? condition.as ?? typeOfValue(condition);
}

function typeOfValue({ operator, value }: Condition): FieldType {
  if (operator === 'all' || operator === 'size') return 'array';
  if (operator === 'mod' || operator.startsWith('bits')) return 'double';
  if (operator === 'in' || operator === 'nin') return typeOfJson((value as unknown[])[0]);
  return typeOfJson(value);
}
