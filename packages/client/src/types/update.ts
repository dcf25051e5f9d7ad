import type { CollectionShape, Fields, Flexible, NamesOf, OtherName, Others, Path } from './columns.js';
import type { Conditions } from './filter.js';
import type { Direction, Insert, Value, Values } from './row.js';

/** New values of fields. A dotted name writes inside a `json` or `array` field. */
export type SetFields<C extends CollectionShape> = {
  [K in keyof C['columns']]?: Value<C['columns'][K]>;
} & { [K in keyof Flexible<C>]?: Value<Flexible<C>[K]> } & Inside<C> &
  Others<C>;

/** What is inside `json` and `array` fields. */
type Inside<C extends CollectionShape> = { [P in `${NamesOf<Fields<C>, 'json'>}.${string}`]?: unknown } & {
  [P in `${NamesOf<Fields<C>, 'array'>}.${string}`]?: string;
};

type Numeric<C extends CollectionShape> = NamesOf<Fields<C>, 'integer' | 'double' | 'json'> | Below<C>;
type Arrays<C extends CollectionShape> = NamesOf<Fields<C>, 'array'>;
type Documents<C extends CollectionShape> = NamesOf<Fields<C>, 'json'> | Below<C>;
type Instants<C extends CollectionShape> =
  | NamesOf<Fields<C>, 'date' | 'datetime' | 'text' | 'json'>
  | Below<C>;
type Below<C extends CollectionShape> = `${NamesOf<Fields<C>, 'json'>}.${string}` | OtherName<C>;

/** Fields that a record can lack: flexible fields, nullable columns, and what is inside a field. */
type Removable<C extends CollectionShape> =
  | {
      [K in keyof C['columns']]: C['columns'][K]['nullable'] extends false ? never : K;
    }[keyof C['columns']]
  | keyof Flexible<C>
  | Path<C>
  | OtherName<C>;

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

/** Update operators. Two operators may not change the same field. */
export interface UpdateOperators<C extends CollectionShape> {
  $set?: SetFields<C>;
  /** Applies only when an upsert inserts a record. */
  $setOnInsert?: SetFields<C>;
  $unset?: { [K in Removable<C>]?: '' | 1 | true };
  $inc?: { [K in Numeric<C>]?: number };
  $mul?: { [K in Numeric<C>]?: number };
  $min?: Extremes<C>;
  $max?: Extremes<C>;
  /** Old names with new names. */
  $rename?: { [K in Removable<C>]?: (keyof Fields<C> & string) | Path<C> | OtherName<C> };
  $currentDate?: { [K in Instants<C>]?: true | { $type: 'date' | 'timestamp' } };
  $push?: { [K in Arrays<C>]?: string | EachAt<string> } & { [K in Documents<C>]?: unknown };
  $addToSet?: { [K in Arrays<C>]?: string | Each<string> } & { [K in Documents<C>]?: unknown };
  /** Removes equal elements, or those that match a filter. */
  $pull?: { [K in Arrays<C>]?: Conditions['text'] } & { [K in Documents<C>]?: unknown };
  $pullAll?: { [K in Arrays<C>]?: readonly string[] } & { [K in Documents<C>]?: readonly unknown[] };
  /** 1 removes the last element, -1 the first. */
  $pop?: { [K in Arrays<C> | Documents<C>]?: Direction };
}

/** Fields beside operators are refused by the service, so neither form has a member of the other. */
type NoOperators = { [operator: `$${string}`]: never };
type NoFields<C extends CollectionShape> = { [K in keyof Fields<C>]?: never } & {
  [path: `${string}.${string}`]: never;
};

/** A change of a record: fields to set, or update operators. */
export type Update<C extends CollectionShape> =
  | (SetFields<C> & NoOperators)
  | (UpdateOperators<C> & NoFields<C>);

/** The record of an upsert: all its fields, or update operators. */
export type UpsertData<C extends CollectionShape> =
  | (Insert<C> & NoOperators)
  | (UpdateOperators<C> & NoFields<C>);
