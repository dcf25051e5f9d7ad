/** The types that a column of a collection can have. */
export type ColumnType = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'datetime' | 'json' | 'array';

/** One column: the type of its values, and whether it may be null. */
export interface Column {
  readonly type: ColumnType;
  readonly nullable: boolean;
}

/** Columns by name. */
export interface Columns {
  readonly [name: string]: Column;
}

/**
 * What the types of a collection are derived from. `tcol types` writes one for each collection.
 *
 * - `flexible`: fields that are no columns, but that this program reads and writes. The service does not check their
 *   types; a record may lack them.
 * - `loose`: every other field is accepted too, as `unknown`.
 */
export interface CollectionShape {
  readonly columns: Columns;
  readonly flexible?: Columns;
  readonly loose?: true;
  readonly id?: string;
}

/** Collections by name. An interface is accepted too, which has no index signature: see `SchemaOf`. */
export interface Schema {
  readonly [collection: string]: CollectionShape;
}

/** The constraint of a type parameter that takes a schema: `S extends SchemaOf<S>`. */
export type SchemaOf<S> = { readonly [Name in keyof S]: CollectionShape };

/** A collection about which nothing is known: it accepts all fields. */
export interface AnyCollection {
  readonly columns: Empty;
  readonly loose: true;
}

/** The schema of a client without a schema. */
export interface AnySchema {
  readonly [collection: string]: AnyCollection;
}

/** The same collection with all other fields accepted, as `unknown`. */
export type Loose<C extends CollectionShape> = {
  readonly columns: C['columns'];
  readonly flexible: Flexible<C>;
  readonly loose: true;
};

/** An object type without properties. */
type Empty = Record<never, never>;

/** The declared flexible fields of a collection. */
export type Flexible<C extends CollectionShape> = C extends { readonly flexible: infer F extends Columns }
  ? F
  : Empty;

/** Columns and declared flexible fields. */
export type Fields<C extends CollectionShape> = C['columns'] & Flexible<C>;

/** The fields that the service sets in every record. */
type SystemColumns = {
  readonly _id: { type: 'text'; nullable: false };
  readonly created_at: { type: 'datetime'; nullable: false };
  readonly updated_at: { type: 'datetime'; nullable: false };
};

/** Who inserted a record, and who wrote it last. A declared column of such a name takes the place of the field. */
type AuthorColumns = {
  readonly _created_by: { type: 'text'; nullable: true };
  readonly _updated_by: { type: 'text'; nullable: true };
};

/** Columns, declared flexible fields and system fields. */
export type AllFields<C extends CollectionShape> = Fields<C> &
  SystemColumns &
  Omit<AuthorColumns, keyof Fields<C>>;

/** The names of the fields whose type is one of `T`. */
export type NamesOf<D, T extends ColumnType> = {
  [K in keyof D]: D[K] extends { readonly type: T } ? K : never;
}[keyof D] &
  string;

/** Dotted names of what is inside the `json` and `array` fields of a collection. */
export type Path<C extends CollectionShape> = `${NamesOf<Fields<C>, 'json' | 'array'>}.${string}`;

/** Any field name if the collection is loose, otherwise none. */
export type OtherName<C extends CollectionShape> = C extends { readonly loose: true } ? string : never;

/** Every name that a sort, a projection or a grouping can use. */
export type FieldName<C extends CollectionShape> = (keyof AllFields<C> & string) | Path<C> | OtherName<C>;

/** Other fields of a loose collection. Otherwise nothing, so that an unknown field is refused. */
export type Others<C extends CollectionShape> = C extends { readonly loose: true }
  ? { [field: string]: unknown }
  : unknown;
