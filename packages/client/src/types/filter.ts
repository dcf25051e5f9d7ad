import type { CollectionShape, Fields, NamesOf, Others } from './columns.js';

/** The names of MongoDB's types that values can have here. */
type TypeName =
  | 'double'
  | 'string'
  | 'object'
  | 'array'
  | 'bool'
  | 'date'
  | 'null'
  | 'int'
  | 'long'
  | 'number';

/** Operators that every field has. `V` is what its value is compared with. */
interface Equality<V> {
  $eq?: V;
  $ne?: V;
  $in?: readonly V[];
  $nin?: readonly V[];
  $exists?: boolean;
  $type?: TypeName | number | readonly (TypeName | number)[];
}

interface Ordering<V> {
  $gt?: V;
  $gte?: V;
  $lt?: V;
  $lte?: V;
}

interface TextMatching {
  /** A PCRE pattern, at most 1,000 characters. */
  $regex?: string;
  /** The letters `i`, `m`, `s` and `x`. Needs `$regex` beside it. */
  $options?: string;
  /** A substring; case does not matter. */
  $search?: string;
}

interface Arithmetic {
  /** Divisor and remainder. */
  $mod?: readonly [divisor: number, remainder: number];
  /** A mask, or a list of bit positions. */
  $bitsAllSet?: number | readonly number[];
  $bitsAnySet?: number | readonly number[];
  $bitsAllClear?: number | readonly number[];
  $bitsAnyClear?: number | readonly number[];
}

type Instants = Equality<string | null> & Ordering<string>;
type Texts = Equality<string | null> & Ordering<string> & TextMatching;
type Numbers = Equality<number | null> & Ordering<number> & Arithmetic;
type Booleans = Equality<boolean | null> & Ordering<boolean>;
type Elements = string | readonly string[] | null;

interface OfArrays extends Equality<Elements>, Ordering<string>, TextMatching {
  $all?: readonly (string | readonly string[] | { $elemMatch: Test<Texts> })[];
  $size?: number;
  $elemMatch?: Test<Texts>;
}

interface OfJson extends Equality<unknown>, Ordering<string | number | boolean>, TextMatching, Arithmetic {
  $all?: readonly unknown[];
  $size?: number;
  $elemMatch?: { [fieldOrOperator: string]: unknown };
}

/** Operators, or their negation. */
type Test<O> = O & { $not?: O };

/** The operators of each column type. */
interface Operators {
  text: Test<Texts>;
  integer: Test<Numbers>;
  double: Test<Numbers>;
  boolean: Test<Booleans>;
  date: Test<Instants>;
  datetime: Test<Instants>;
  array: Test<OfArrays>;
  json: Test<OfJson>;
}

/** An object that is compared as a whole: none of its fields is an operator. */
interface Whole {
  readonly [field: string]: unknown;
  readonly [operator: `$${string}`]: never;
}

/** What a field of each column type is compared with: a value, which means `$eq`, or operators. */
export interface Conditions {
  text: string | null | Operators['text'];
  integer: number | null | Operators['integer'];
  double: number | null | Operators['double'];
  boolean: boolean | null | Operators['boolean'];
  date: string | null | Operators['date'];
  datetime: string | null | Operators['datetime'];
  array: Elements | Operators['array'];
  json: string | number | boolean | null | readonly unknown[] | Whole | Operators['json'];
}

interface SystemConditions<F> {
  _id?: Conditions['datetime'];
  _created_by?: Conditions['text'];
  _updated_by?: Conditions['text'];
  created_at?: Conditions['datetime'];
  updated_at?: Conditions['datetime'];
  $and?: readonly F[];
  $or?: readonly F[];
  $nor?: readonly F[];
  /** A substring in any of the text columns; case does not matter. */
  $search?: string;
}

/** A filter in MongoDB's language. Dotted names reach into `json` and `array` fields. */
export type Filter<C extends CollectionShape> = FieldConditions<Fields<C>> &
  SystemConditions<Filter<C>> &
  Others<C>;

type FieldConditions<D> = {
  [K in keyof D]?: D[K] extends { readonly type: infer T extends keyof Conditions } ? Conditions[T] : never;
} & { [P in `${NamesOf<D, 'json'>}.${string}`]?: Conditions['json'] } & {
  [P in `${NamesOf<D, 'array'>}.${string}`]?: Conditions['text'];
};
