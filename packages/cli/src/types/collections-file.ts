import type { ColumnType } from '@typed-collections/client';

/** What the file needs of a collection as `GET /v1/collections` returns it. */
export interface DescribedCollection {
  readonly collection_id: string;
  readonly name: string;
  readonly schema: Readonly<Record<string, { readonly type: string; readonly nullable: boolean }>>;
}

export interface CollectionsFileOptions {
  /** Writes `ids` too, so that the client needs no request to find a collection by its name. */
  readonly ids?: boolean;
  /** Types of fields that are no columns: by the name of the collection, then by that of the field. */
  readonly flexible?: Readonly<Record<string, Readonly<Record<string, ColumnType>>>>;
}

type Descriptors = readonly (readonly [name: string, type: ColumnType, nullable: boolean])[];

const TYPES: Readonly<Record<ColumnType, true>> = {
  text: true,
  integer: true,
  double: true,
  boolean: true,
  date: true,
  datetime: true,
  json: true,
  array: true,
};

/**
 * A TypeScript file that describes collections for `createClient<Collections>()`. Collections and columns are in the
 * order of their names, so that the file changes only where a schema does. A collection whose name is not unique
 * stands under its id. Throws if `flexible` names a collection that is not in the list.
 */
export function collectionsFile(
  collections: readonly DescribedCollection[],
  { ids = false, flexible = {} }: CollectionsFileOptions = {},
): string {
  const names = collections.map(({ name }) => name);
  const unknown = Object.keys(flexible).find(name => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no collection named ${literal(unknown)}.`);
  const keyed = collections
    .map(collection => {
      const isUnique = names.indexOf(collection.name) === names.lastIndexOf(collection.name);
      return { ...collection, key: isUnique ? collection.name : collection.collection_id };
    })
    .sort((one, other) => inOrder(one.key, other.key));
  const parts = [
    '// Written by `tcol types`. Do not edit.\n',
    `export interface Collections ${braced(
      keyed.map(collection => `${typeKey(collection.key)}: ${shape(collection, flexible)};`),
      '',
    )}\n`,
  ];
  if (ids) {
    const rows = keyed.map(({ key, collection_id }) => `${objectKey(key)}: ${literal(collection_id)},`);
    parts.push(`export const ids = ${braced(rows, '')} as const;\n`);
  }
  return parts.join('\n');
}

function shape(
  { name, schema }: DescribedCollection,
  flexible: NonNullable<CollectionsFileOptions['flexible']>,
): string {
  const columns = Object.entries(schema).map(
    ([column, { type, nullable }]) => [column, known(type), nullable] as const,
  );
  const fields = Object.hasOwn(flexible, name) ? Object.entries(flexible[name] as object) : [];
  // A field that has become a column is described by the column.
  const others = fields
    .filter(([field]) => !Object.hasOwn(schema, field))
    .map(([field, type]) => [field, known(type), true] as const);
  const members = [`columns: ${descriptors(columns)};`];
  if (others.length > 0) members.push(`flexible: ${descriptors(others)};`);
  return braced(members, '  ');
}

function descriptors(columns: Descriptors): string {
  if (columns.length === 0) return 'Record<never, never>';
  const rows = [...columns]
    .sort(([one], [other]) => inOrder(one, other))
    .map(
      ([name, type, nullable]) => `${typeKey(name)}: { type: '${type}'; nullable: ${nullable === true} };`,
    );
  return braced(rows, '    ');
}

/** A type that this version does not know is read as `json`, whose values are `unknown`. */
function known(type: string): ColumnType {
  return Object.hasOwn(TYPES, type) ? (type as ColumnType) : 'json';
}

function braced(rows: readonly string[], indent: string): string {
  return rows.length === 0 ? '{}' : `{\n${rows.map(row => `${indent}  ${row}\n`).join('')}${indent}}`;
}

function typeKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** `__proto__: …` would set the prototype of the object. */
function objectKey(name: string): string {
  return name === '__proto__' ? `['__proto__']` : typeKey(name);
}

/** A string literal in single quotes, all of it in printable ASCII. */
function literal(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replace(/[^ -~]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
}

/** By code point, whatever the language of the computer. */
function inOrder(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
