import type { CollectionShape, Fields, Flexible, NamesOf, OtherName, Others, Path } from './columns.js';
import type { Conditions } from './filter.js';
import type { Direction, Insert, Value, Values } from './row.js';

/** New values of fields. A dotted name writes inside a `json` or `array` field. */
export type SetFields<C extends CollectionShape> = {
  [K in keyof C['columns']]?: Value<C['columns'][K]>;
} & { [K in keyof Flexible<C>]?: Value<Flexible<C>[K]> } & Inside<C> &
  Others<C>;

/** What is inside `json` and `array` fields. */
type Inside<C extends CollectionShape> = { [P in PathOf<C, 'json'>]?: unknown } & {
  [P in PathOf<C, 'array'>]?: string;
};

type PathOf<C extends CollectionShape, T extends 'json' | 'array'> = `${NamesOf<Fields<C>, T>}.${string}`;

/** Operands for the fields `N`. A loose collection takes them for unknown fields too, but not for its other columns. */
type Operands<C extends CollectionShape, N extends PropertyKey, V> = { [K in N]?: V } & (C extends {
  readonly loose: true;
}
  ? { [field: string]: V | undefined } & { [K in Exclude<keyof Fields<C>, N>]?: never }
  : unknown);

/** `json` fields and what is inside them. They hold anything, so every operator may be used. */
type Documents<C extends CollectionShape> = NamesOf<Fields<C>, 'json'> | PathOf<C, 'json'>;
type Numeric<C extends CollectionShape> = NamesOf<Fields<C>, 'integer' | 'double'> | Documents<C>;
type Instants<C extends CollectionShape> = NamesOf<Fields<C>, 'date' | 'datetime' | 'text'> | Documents<C>;

/** Fields that a record can lack: flexible fields, nullable columns, and what is inside a field. */
type Removable<C extends CollectionShape> =
  | { [K in keyof C['columns']]: C['columns'][K]['nullable'] extends false ? never : K }[keyof C['columns']]
  | keyof Flexible<C>
  | Path<C>;

/** The values that `$min` and `$max` compare with. */
type Extremes<C extends CollectionShape> = {
  [K in keyof Fields<C>]?: Fields<C>[K] extends { readonly type: infer T extends keyof Values }
    ? Values[T]
    : never;
} & Inside<C> &
  Others<C>;

interface Each<V> {
  $each: readonly V[];
}

interface EachAt<V> extends Each<V> {
  /** Where the values are inserted; from the end when negative. */
  $position?: number;
  /** How many elements are kept; the last ones when negative. */
  $slice?: number;
  $sort?: Direction | { [field: string]: Direction };
}

/** Operands for arrays: `V` for columns of texts, `J` for `json` fields and what is inside them. */
type OfArrays<C extends CollectionShape, V, J = unknown> = {
  [K in NamesOf<Fields<C>, 'array'>]?: V;
} & Operands<C, Documents<C> | (C extends { readonly loose: true } ? NamesOf<Fields<C>, 'array'> : never), J>;

/** Update operators. Two operators may not change the same field. */
export interface UpdateOperators<C extends CollectionShape> {
  $set?: SetFields<C>;
  /** Applies only when an upsert inserts a record. */
  $setOnInsert?: SetFields<C>;
  $unset?: Operands<C, Removable<C>, '' | 1 | true>;
  $inc?: Operands<C, Numeric<C>, number>;
  $mul?: Operands<C, Numeric<C>, number>;
  $min?: Extremes<C>;
  $max?: Extremes<C>;
  /** Old names with new names. */
  $rename?: Operands<C, Removable<C>, (keyof Fields<C> & string) | Path<C> | OtherName<C>>;
  $currentDate?: Operands<C, Instants<C>, true | { $type: 'date' | 'timestamp' }>;
  $push?: OfArrays<C, string | EachAt<string>>;
  $addToSet?: OfArrays<C, string | Each<string>>;
  /** Removes equal elements, or those that match a filter. */
  $pull?: OfArrays<C, Conditions['text'] | readonly string[]>;
  $pullAll?: OfArrays<C, readonly string[], readonly unknown[]>;
  /** 1 removes the last element, -1 the first. */
  $pop?: OfArrays<C, Direction, Direction>;
}

/** The service refuses fields beside operators, so each form lacks the members of the other. */
interface NoOperators {
  [operator: `$${string}`]: never;
}
type NoFields<C extends CollectionShape> = { [K in keyof Fields<C>]?: never } & {
  [path: `${string}.${string}`]: never;
};

/** A change of a record: fields to set, or update operators. */
export type Update<C extends CollectionShape> =
  | (SetFields<C> & NoOperators)
  | (UpdateOperators<C> & NoFields<C>);

/** The record of an upsert: all its required fields, or update operators. */
export type UpsertData<C extends CollectionShape> =
  | (Insert<C> & NoOperators)
  | (UpdateOperators<C> & NoFields<C>);
