import type { AllFields, CollectionShape, FieldName, NamesOf, OtherName } from './columns.js';
import type { Filter } from './filter.js';
import type { ColumnOf, Direction, Value } from './row.js';

type Summable<C extends CollectionShape> =
  | NamesOf<AllFields<C>, 'integer' | 'double' | 'json' | 'array'>
  | `${NamesOf<AllFields<C>, 'json'>}.${string}`
  | OtherName<C>;

/** One computed value. `count` without `input_field` counts records; sums and averages need numbers. */
export type AggregateStep<C extends CollectionShape> =
  | { readonly type: 'count'; readonly input_field?: FieldName<C>; readonly output_field: string }
  | { readonly type: 'sum' | 'avg'; readonly input_field: Summable<C>; readonly output_field: string }
  | { readonly type: 'min' | 'max'; readonly input_field: FieldName<C>; readonly output_field: string };

/** One field, or a list of up to 5: one result for each combination of their values. */
export type GroupBy<C extends CollectionShape> = FieldName<C> | readonly FieldName<C>[];

type Grouped<G> = G extends readonly (infer N extends string)[] ? N : G extends string ? G : never;

type StepColumn<C extends CollectionShape, S> = S extends { readonly type: 'count' }
  ? { type: 'integer'; nullable: false }
  : S extends { readonly type: 'sum' }
    ? { type: 'double'; nullable: false }
    : S extends { readonly type: 'avg' }
      ? { type: 'double'; nullable: true }
      : S extends { readonly input_field: infer N }
        ? { type: ColumnOf<C, N>['type']; nullable: true }
        : never;

/** The results of an aggregation as columns, so that `having` is a filter like any other. */
type ResultColumns<C extends CollectionShape, G, S extends readonly { output_field: string }[]> = {
  [N in Grouped<G>]: ColumnOf<C, N>;
} & { [N in S[number]['output_field']]: StepColumn<C, Extract<S[number], { output_field: N }>> };

/** One result of an aggregation: the values grouped by, and the computed values. */
export type AggregateRow<C extends CollectionShape, G, S extends readonly { output_field: string }[]> = {
  [N in keyof ResultColumns<C, G, S>]: Value<ResultColumns<C, G, S>[N]>;
};

/** What to compute over the records of a collection. */
export interface Aggregate<
  C extends CollectionShape,
  G extends GroupBy<C> | undefined = GroupBy<C> | undefined,
  S extends readonly AggregateStep<C>[] = readonly AggregateStep<C>[],
> {
  /** 1 to 10 values to compute. */
  readonly steps: S;
  readonly filter?: Filter<C>;
  readonly group_by?: G;
  /** By fields of the results. Default: by the values grouped by. */
  readonly sort?: { readonly [N in keyof ResultColumns<C, G, S>]?: Direction };
  /** At most so many results. */
  readonly limit?: number;
  /** A filter over the results. */
  readonly having?: Filter<{ columns: ResultColumns<C, G, S> }>;
}

/** A distinct value of a field: an array yields its elements. */
export type Distinct<C extends CollectionShape, N> = ColumnOf<C, N>['type'] extends 'array'
  ? string
  : Value<ColumnOf<C, N>>;
