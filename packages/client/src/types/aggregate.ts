import type { AllFields, CollectionShape, FieldName, NamesOf, OtherName } from './columns.js';
import type { Filter } from './filter.js';
import type { ColumnOf, Direction, Sort, Value } from './row.js';

type Summable<C extends CollectionShape> =
  | NamesOf<AllFields<C>, 'integer' | 'double' | 'json' | 'array'>
  | `${NamesOf<AllFields<C>, 'json'>}.${string}`
  | OtherName<C>;

type Dated<C extends CollectionShape> =
  | NamesOf<AllFields<C>, 'date' | 'datetime' | 'json'>
  | `${NamesOf<AllFields<C>, 'json'>}.${string}`
  | OtherName<C>;

interface Computed<C extends CollectionShape> {
  readonly output_field: string;
  /** The step reads only the records of its group that match. */
  readonly filter?: Filter<C>;
}

/**
 * One computed value. `count` without `input_field` counts records; sums, averages, percentiles and deviations need
 * numbers. `first` and `last` need the order of the records, and can be null.
 */
export type AggregateStep<C extends CollectionShape> = Computed<C> &
  (
    | { readonly type: 'count'; readonly input_field?: FieldName<C> }
    | { readonly type: 'sum' | 'avg' | 'median' | 'stddev'; readonly input_field: Summable<C> }
    | { readonly type: 'percentile'; readonly input_field: Summable<C>; readonly at: number }
    | { readonly type: 'min' | 'max' | 'count_distinct'; readonly input_field: FieldName<C> }
    | { readonly type: 'first' | 'last'; readonly input_field: FieldName<C>; readonly sort: Sort<C> }
  );

/** Length of the periods that dates are grouped by. Weeks begin on Monday. */
export type Period = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/**
 * What results are grouped by: a field, the periods of a date in a time zone (default UTC), or ranges of a number. `as` is
 * the name in the results, by default the field.
 */
export type GroupEntry<C extends CollectionShape> =
  | FieldName<C>
  | { readonly field: FieldName<C>; readonly as?: string; readonly every?: never; readonly step?: never }
  | { readonly field: Dated<C>; readonly every: Period; readonly zone?: string; readonly as?: string }
  | { readonly field: Summable<C>; readonly step: number; readonly as?: string };

/** One entry, or a list of up to 5: one result for each combination of their values. */
export type GroupBy<C extends CollectionShape> = GroupEntry<C> | readonly GroupEntry<C>[];

type EntryOf<G> = G extends readonly (infer E)[] ? E : G;

type NameOf<E> = E extends string
  ? E
  : E extends { readonly as: infer N extends string }
    ? N
    : E extends { readonly field: infer N extends string }
      ? N
      : never;

type Grouped<G> = NameOf<EntryOf<G>>;

/** The entry whose name in the results is `N`. */
type EntryNamed<E, N> = E extends unknown ? (N extends NameOf<E> ? E : never) : never;

type GroupColumn<C extends CollectionShape, E> = E extends string
  ? ColumnOf<C, E>
  : E extends { readonly every: 'minute' | 'hour' }
    ? { type: 'datetime'; nullable: NullableOf<C, E> }
    : E extends { readonly every: Period }
      ? { type: 'date'; nullable: NullableOf<C, E> }
      : E extends { readonly step: number }
        ? { type: 'double'; nullable: NullableOf<C, E> }
        : E extends { readonly field: infer N }
          ? ColumnOf<C, N>
          : never;

type NullableOf<C extends CollectionShape, E> = E extends { readonly field: infer N }
  ? ColumnOf<C, N>['nullable']
  : true;

type StepColumn<C extends CollectionShape, S> = S extends { readonly type: 'count' | 'count_distinct' }
  ? { type: 'integer'; nullable: false }
  : S extends { readonly type: 'sum' }
    ? { type: 'double'; nullable: false }
    : S extends { readonly type: 'avg' | 'median' | 'percentile' | 'stddev' }
      ? { type: 'double'; nullable: true }
      : S extends { readonly input_field: infer N }
        ? { type: ColumnOf<C, N>['type']; nullable: true }
        : never;

/** The results of an aggregation as columns, so that `having` is a filter like any other. */
type ResultColumns<C extends CollectionShape, G, S extends readonly { output_field: string }[]> = {
  [N in Grouped<G>]: GroupColumn<C, EntryNamed<EntryOf<G>, N>>;
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
  /** Adds the empty groups between the first and the last of one period or range, at most 10,000 groups. */
  readonly fill?: boolean;
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
