import { createHash } from 'node:crypto';
import { constraintOf, isUniqueViolation } from '../../../base/kernel/sql-state.js';
import {
  type CollectionShape,
  declaredColumn,
  type IndexDefinition,
  pathOf,
  physicalOf,
  systemColumn,
} from '../collection-shape.js';

/**
 * Names of indexes contain the kind, the collection, and the numbers of the columns or a digest of the paths. The kinds:
 * ordered (`i`), search (`f`), hashes of paths (`o`) and unique (`u`).
 */
const INDEX_NAME = /^[ifu]_[0-9a-z]{12}_((?:[0-9a-f]{3}){1,16})$/;
const PATH_INDEX_NAME = /^[ifo]_[0-9a-z]{12}_p[0-9a-f]{32}$/;

/**
 * Name of the index of a definition; equal definitions have equal names. It contains the columns' numbers, three hex
 * digits each (a table has at most 1,600 columns), so that 16 of them fit into PostgreSQL's 63 bytes. An index with a path
 * has a digest in place of the numbers.
 */
export function indexName(shape: CollectionShape, index: IndexDefinition, unique: boolean): string {
  const kind = unique ? 'u' : index.kind === 'search' ? 'f' : 'i';
  if (index.properties.some(property => pathOf(shape, property))) {
    return pathIndexName(shape, kind, index.properties);
  }
  const numbers = index.properties.map(name => numberOf(shape, name).toString(16).padStart(3, '0'));
  return `${kind}_${digestOf(shape.id)}_${numbers.join('')}`;
}

/** The columns of system fields, whose numbers in names of indexes begin here. A table has fewer columns. */
const FIRST_SYSTEM_NUMBER = 0xff0;
const SYSTEM_FIELDS = ['_created_by', '_updated_by', 'created_at', 'updated_at'];

function numberOf({ columns }: CollectionShape, name: string): number {
  const declared = declaredColumn(columns, name)?.number;
  return declared ?? (systemColumn(columns, name) ? FIRST_SYSTEM_NUMBER + SYSTEM_FIELDS.indexOf(name) : 0);
}

/** Name of the index of the hashes of a path. All ordered indexes on the path share it. */
export function hashesName(shape: CollectionShape, property: string): string {
  return pathIndexName(shape, 'o', [property]);
}

function pathIndexName(shape: CollectionShape, kind: string, properties: readonly string[]): string {
  const parts = properties.map(property => {
    const found = pathOf(shape, property);
    return found === undefined ? physicalOf(shape, property) : [found.root, ...found.path].join('.');
  });
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
  return `${kind}_${digestOf(shape.id)}_p${digest}`;
}

function digestOf(collectionId: string): string {
  const digest = createHash('sha256').update(collectionId).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(0, 12);
}

/** True for an index on paths, whose name does not tell the paths. */
export function namesPaths(name: string): boolean {
  return PATH_INDEX_NAME.test(name);
}

/**
 * The definition of an index, read from its name; undefined when the name has another form, when a covered column is gone,
 * and for an index on paths that the collection does not list.
 */
export function indexNamed(shape: CollectionShape, name: string): IndexDefinition | undefined {
  if (namesPaths(name)) return listedIndex(shape, name);
  const numbers = INDEX_NAME.exec(name)?.[1]
    ?.match(/.{3}/g)
    ?.map(digits => Number.parseInt(digits, 16));
  const properties = numbers?.flatMap(number =>
    [...Object.keys(shape.columns), ...SYSTEM_FIELDS].filter(name => numberOf(shape, name) === number),
  );
  if (!properties?.length || properties.length !== numbers?.length) return undefined;
  return name.startsWith('f_') ? { properties, kind: 'search' } : { properties };
}

function listedIndex(shape: CollectionShape, name: string): IndexDefinition | undefined {
  const hasHashes = ({ kind, properties }: IndexDefinition) =>
    kind === undefined &&
    properties.some(property => pathOf(shape, property) && hashesName(shape, property) === name);
  const found = shape.indexes?.find(index =>
    name.startsWith('o_') ? hasHashes(index) : indexName(shape, index, false) === name,
  );
  return found && { properties: found.properties, ...(found.kind && { kind: found.kind }) };
}

/** On a node of Citus a name ends with its shard number. If that makes it too long, a hash replaces its end. */
const ON_NODE = /^([ifuo]_[0-9a-z]{12}_p?[0-9a-f]+)(_[0-9a-f]{8})?_\d+$/;

/** The name that an index has on a single server. A hash in place of its end stays. */
export function nameWithoutShard(given: string): string {
  return ON_NODE.exec(given)?.[1] ?? given;
}

/** The unique constraint whose index PostgreSQL names in an error, even one that is about to be dropped. */
export function uniqueNamed(
  shape: CollectionShape,
  uniques: readonly IndexDefinition[],
  given: string,
): IndexDefinition | undefined {
  const [, beginning, hash] = ON_NODE.exec(given) ?? [];
  const name = beginning ?? given;
  const isMeant = (known: string) => (hash === undefined ? known === name : known.startsWith(name));
  return uniques.find(unique => isMeant(indexName(shape, unique, true))) ?? indexNamed(shape, name);
}

/** The unique constraint that a write broke; undefined for other errors. */
export function brokenUnique(
  error: unknown,
  collection: CollectionShape & { readonly uniques: readonly IndexDefinition[] },
): IndexDefinition | undefined {
  if (!isUniqueViolation(error)) return undefined;
  return uniqueNamed(collection, collection.uniques, constraintOf(error) ?? '');
}
