import type { JsonValue } from '../../base/kernel/json.js';
import type { Comparison } from '../columns/index.js';
import type { FieldPath } from './field-path.js';

type JsonScalar = boolean | number | string;

/** A condition on a whole document. */
export type Filter =
  | { readonly kind: 'and'; readonly filters: readonly Filter[] }
  | { readonly kind: 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'nor'; readonly filters: readonly Filter[] }
  | { readonly kind: 'field'; readonly path: FieldPath; readonly test: Test }
  | { readonly kind: 'searchAll'; readonly text: string };

/** A condition on the values at one path. */
export type Test =
  | { readonly kind: 'every'; readonly tests: readonly Test[] }
  | { readonly kind: 'not'; readonly test: Test }
  | { readonly kind: 'eq'; readonly value: JsonValue }
  | { readonly kind: 'order'; readonly comparison: Exclude<Comparison, 'eq'>; readonly value: JsonScalar }
  | { readonly kind: 'in'; readonly values: readonly JsonValue[] }
  | { readonly kind: 'exists' }
  | { readonly kind: 'type'; readonly types: readonly BsonType[] }
  | { readonly kind: 'regex'; readonly pattern: string }
  | { readonly kind: 'mod'; readonly divisor: number; readonly remainder: number }
  | { readonly kind: 'size'; readonly size: number }
  | { readonly kind: 'elementIs'; readonly test: Test }
  | { readonly kind: 'elementHas'; readonly filter: Filter }
  | { readonly kind: 'bits'; readonly mask: string; readonly state: BitState }
  | { readonly kind: 'search'; readonly text: string };

/** MongoDB's names of the types that a stored value can have; `number` includes the three numeric types. */
export type BsonType =
  | 'null'
  | 'bool'
  | 'int'
  | 'long'
  | 'double'
  | 'number'
  | 'string'
  | 'object'
  | 'array'
  | 'date'
  | 'absent';

export type BitState = 'allSet' | 'anySet' | 'allClear' | 'anyClear';

export type FilterOf<Kind extends Filter['kind']> = Extract<Filter, { kind: Kind }>;
export type TestOf<Kind extends Test['kind']> = Extract<Test, { kind: Kind }>;

/**
 * Freezes the nodes of a tree, but not the values in it: a node is built once and shared by all executions of a query.
 */
export function node<Node extends Filter | Test>(fields: Node): Node {
  return Object.freeze(fields);
}
