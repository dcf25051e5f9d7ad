import type {
  AllFields,
  CollectionShape,
  Column,
  ColumnType,
  FieldName,
  Flexible,
  Others,
} from './columns.js';

/**
 * The values of each column type. `date` is `YYYY-MM-DD`, `datetime` an ISO 8601 instant; both stay text. `json` is
 * `unknown`: narrow it with a type of your own where you read it.
 */
export interface Values {
  text: string;
  integer: number;
  double: number;
  boolean: boolean;
  date: string;
  datetime: string;
  json: unknown;
  array: string[];
}

/** The value of a field as it is read and written. */
export type Value<D> = D extends Column
  ? D['nullable'] extends false
    ? Values[D['type']]
    : Values[D['type']] | null
  : never;

/** The fields that the service sets in every record. */
export interface SystemFields {
  readonly _id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The ids of the user, agent, service account or key that inserted a record, and that wrote it last; null if unknown. */
export interface Authors {
  readonly _created_by: string | null;
  readonly _updated_by: string | null;
}

/** A record with all fields that a projection can name. */
type WholeRow<C extends CollectionShape> = Row<C> & Omit<Authors, keyof Row<C>>;

/** A record as the service returns it. A declared flexible field is absent if it was never written. */
export type Row<C extends CollectionShape> = SystemFields & {
  [K in keyof C['columns']]: Value<C['columns'][K]>;
} & { [K in keyof Flexible<C>]?: Value<Flexible<C>[K]> } & Others<C>;

/** A record to insert: columns that are not nullable are required. */
export type Insert<C extends CollectionShape> = {
  [K in keyof C['columns'] as C['columns'][K]['nullable'] extends false ? K : never]: Value<C['columns'][K]>;
} & {
  [K in keyof C['columns'] as C['columns'][K]['nullable'] extends false ? never : K]?: Value<C['columns'][K]>;
} & { [K in keyof Flexible<C>]?: Value<Flexible<C>[K]> } & Others<C>;

/** 1 sorts ascending, -1 descending. The first field has the most weight. */
export type Direction = 1 | -1;

/** Fields to sort by. */
export type Sort<C extends CollectionShape> = { [K in FieldName<C>]?: Direction };

/** The fields to return: a list of names, or `{name: 1}`, or `{name: 0}` for all others. `_id` alone may be different. */
export type Projection<C extends CollectionShape> =
  | readonly FieldName<C>[]
  | ({ [K in Exclude<FieldName<C>, '_id'>]?: 1 | true } & { _id?: Shown })
  | ({ [K in Exclude<FieldName<C>, '_id'>]?: 0 | false } & { _id?: Shown });

type Shown = 0 | 1 | boolean;

/** The first part of a dotted name. */
type Root<P> = P extends `${infer First}.${string}` ? First : P;

/** The names in `F` that are marked with `M`. */
type Marked<F, M> = { [K in keyof F]: F[K] extends M ? K : never }[keyof F];

/** The top-level names that an including projection shows. A projection shows `_id` unless it excludes `_id`. */
type Included<F> = Root<Marked<F, 1 | true>> | (F extends { readonly _id: 0 | false } ? never : '_id');

/** The row without the fields that a projection excludes. What is inside a field may be missing. */
type Without<R, F> = { [K in keyof R as K extends Marked<F, 0 | false> ? never : K]: R[K] };

/** A field of a loose collection that is not declared is `unknown`. */
type PickOf<R, N> = { [K in keyof R as K extends N ? K : never]: R[K] } & (string extends keyof R
  ? { [K in N & string]?: unknown }
  : unknown);

/** Names that are known only as `string` say nothing about the row. */
type ByName<C extends CollectionShape, N extends string> = string extends N
  ? Partial<Row<C>>
  : PickOf<WholeRow<C>, N | '_id'>;

/** The row that a projection leaves. `_id` is always there unless it is excluded. */
export type Projected<C extends CollectionShape, F> = F extends readonly (infer N extends string)[]
  ? ByName<C, Root<N> & string>
  : F extends object
    ? Marked<Omit<F, '_id'>, 1 | true> extends never
      ? F extends { readonly _id: 1 | true }
        ? OnlyId<Row<C>, F>
        : Without<Row<C>, F>
      : PickOf<WholeRow<C>, Included<F>>
    : Row<C>;

/** `{_id: 1}` alone includes nothing else. Beside excluded fields it changes nothing. */
type OnlyId<R extends SystemFields, F> = keyof Omit<F, '_id'> extends never ? Pick<R, '_id'> : Without<R, F>;

/** The descriptor of a field that is named. What is inside a `json` field, and an undeclared field, is `json`. */
export type ColumnOf<C extends CollectionShape, N> = N extends keyof C['columns']
  ? C['columns'][N]
  : N extends keyof AllFields<C>
    ? { type: AllFields<C>[N]['type'] & ColumnType; nullable: N extends keyof SystemFields ? false : true }
    : { type: 'json'; nullable: true };
