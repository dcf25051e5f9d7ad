import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isJsonObject, type JsonObject } from '../../../base/kernel/json.js';
import { MAX_COLUMNS, MAX_INDEXES } from '../../../base/kernel/limits.js';
import { shortened } from '../../../base/kernel/text.js';
import { COLUMN_TYPES, isColumnTypeName } from '../../../engine/columns/index.js';
import { parseFieldPath } from '../../../engine/filter/index.js';
import {
  type ColumnDefinition,
  declaredColumn,
  type IndexDefinition,
  type IndexSet,
  inDeclaredOrder,
  isSystemField,
  systemColumn,
} from '../../../engine/storage/collection-shape.js';

const COLUMN_NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const MAX_INDEX_COLUMNS = 16;

export type Columns = Readonly<Record<string, ColumnDefinition>>;

/** Parses `properties` into columns numbered from 1. Throws 400 naming the column and the reason. */
export function parseColumns(properties: unknown): Columns {
  if (properties === undefined) return {};
  if (!isJsonObject(properties))
    throw invalid('properties: expects an object of column name to {type, nullable}');
  const names = Object.keys(properties);
  if (names.length > MAX_COLUMNS) throw invalid(`properties: at most ${MAX_COLUMNS} columns`);
  return Object.fromEntries(
    names.map((name, index) => [name, { ...parseColumn(name, properties[name]), number: index + 1 }]),
  );
}

function parseColumn(name: string, column: unknown): Omit<ColumnDefinition, 'number'> {
  if (!COLUMN_NAME.test(name)) {
    throw invalid(
      `properties: ${JSON.stringify(name.slice(0, 80))} is not a column name: use 1 to 63 of A-Z a-z 0-9 _ and do not begin with a digit`,
    );
  }
  if (isSystemField(name)) throw invalid(`properties.${name}: a system field has this name`);
  if (!isJsonObject(column)) throw invalid(`properties.${name}: expects {type, nullable}`);
  const { type, nullable = true, ...unknown } = column;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined)
    throw invalid(`properties.${name}.${shortened(stranger)}: is not a known property`);
  if (!isColumnTypeName(type)) {
    throw invalid(`properties.${name}.type: expects one of ${Object.keys(COLUMN_TYPES).join(', ')}`);
  }
  if (typeof nullable !== 'boolean') throw invalid(`properties.${name}.nullable: expects true or false`);
  return { type, nullable };
}

/**
 * Parses `indexes` or `uniques`: a list of `{properties: [column, …]}`. Both may name `_created_by`; in `indexes` there may
 * also be other system fields, flexible fields, dotted paths and `kind`. Throws 400 naming the entry.
 */
export function parseIndexes(
  field: 'indexes' | 'uniques',
  value: unknown,
  columns: Columns,
): IndexDefinition[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid(`${field}: expects a list of {properties: [column, …]}`);
  if (value.length > MAX_INDEXES) throw invalid(`${field}: at most ${MAX_INDEXES}`);
  const parsed = value.map((index, position) =>
    parseIndex(`${field}.${position}`, index, columns, field === 'indexes'),
  );
  const seen = new Set<string>();
  for (const { properties, kind } of parsed) {
    const key = JSON.stringify([kind, ...properties]);
    if (seen.has(key)) throw invalid(`${field}: (${properties.join(', ')}) is listed twice`);
    seen.add(key);
  }
  return parsed;
}

const KINDS: readonly unknown[] = ['ordered', 'search'];

function parseIndex(at: string, index: unknown, columns: Columns, isIndex: boolean): IndexDefinition {
  if (!isJsonObject(index)) throw invalid(`${at}: expects {properties: [column, …]}`);
  const { properties, kind = 'ordered', ...unknown } = index;
  const [stranger] = Object.keys(isIndex || index.kind === undefined ? unknown : { kind });
  if (stranger !== undefined) throw invalid(`${at}.${shortened(stranger)}: is not a known property`);
  if (!Array.isArray(properties) || properties.length < 1 || properties.length > MAX_INDEX_COLUMNS) {
    throw invalid(`${at}.properties: expects 1 to ${MAX_INDEX_COLUMNS} names`);
  }
  for (const name of properties) {
    const flaw = isIndex ? indexFlaw(name, columns) : uniqueFlaw(name, columns);
    if (flaw !== undefined) throw invalid(`${at}.properties: ${JSON.stringify(name)?.slice(0, 80)} ${flaw}`);
  }
  if (new Set(properties).size < properties.length) throw invalid(`${at}.properties: a name is listed twice`);
  if (!KINDS.includes(kind)) throw invalid(`${at}.kind: expects one of ordered, search`);
  if (kind === 'ordered') return { properties: properties as string[] };
  const other = (properties as string[]).find(name => !isSearchable(name, columns));
  if (other !== undefined) {
    throw invalid(
      `${at}.properties: a search index covers text columns and texts at paths, and ${other} is not one`,
    );
  }
  return { properties: properties as string[], kind: 'search' };
}

function uniqueFlaw(name: unknown, columns: Columns): string | undefined {
  return typeof name === 'string' && (Object.hasOwn(columns, name) || name === '_created_by')
    ? undefined
    : 'is not a column of this collection, and a unique constraint needs columns or _created_by';
}

/** What keeps an index from covering a name: it must be a column, a flexible field, or a path into a document. */
function indexFlaw(name: unknown, columns: Columns): string | undefined {
  const path = pathFlaw(name);
  if (path !== undefined || typeof name !== 'string') return `cannot be indexed: ${path}`;
  const [field, ...rest] = name.split('.') as [string, ...string[]];
  const isSystem = systemColumn(columns, field) !== undefined;
  if (isSystem && rest.length > 0) return `is a path, but ${field} is a system field, which has no fields`;
  if (isSystemField(field) && !isSystem) return 'is a system field, which needs no index';
  const column = declaredColumn(columns, field);
  return rest.length > 0 && column !== undefined && COLUMN_TYPES[column.type].family !== 'document'
    ? `is a path, but ${field} is a column of the type ${column.type}, which has no fields`
    : undefined;
}

function pathFlaw(name: unknown): string | undefined {
  try {
    parseFieldPath(name);
    return undefined;
  } catch (error) {
    if (error instanceof PlatformError) return error.message;
    throw error;
  }
}

/** True for a name that a search index can cover. */
function isSearchable(name: string, columns: Columns): boolean {
  const column = declaredColumn(columns, name);
  return column === undefined ? systemColumn(columns, name) === undefined : column.type === 'text';
}

/** Throws 400 for new columns that would take the place of a system field which an index or unique constraint covers. */
export function requireUncovered(before: Columns, after: Columns, { indexes, uniques }: IndexSet): void {
  const covered = [...indexes, ...uniques].flatMap(({ properties }) => properties);
  const taken = covered.find(name => systemColumn(before, name) && declaredColumn(after, name));
  if (taken !== undefined)
    throw invalid(
      `properties.${taken}: an index or unique constraint covers the system field of this name. Drop it first, or choose another name.`,
    );
}

/** Throws 400 for a change of the columns that an index of the collection does not allow. */
export function requireIndexable(columns: Columns, indexes: readonly IndexDefinition[]): void {
  for (const { kind, properties } of indexes) {
    for (const name of properties) {
      const [field] = name.split('.') as [string];
      if (indexFlaw(name, columns) !== undefined || (kind === 'search' && !isSearchable(name, columns))) {
        const index = name === field ? 'in an index of the kind search' : `needed by an index on ${name}`;
        throw invalid(`properties.${field}.type: the column is ${index}. Drop the index first.`);
      }
    }
  }
}

/**
 * Merges `properties` into a schema. Columns that are absent stay as they are; for an existing column `type` or `nullable`
 * may be sent alone. A new column, and one with a new type, gets a number that no column had before. Throws 400 naming
 * the column and the reason.
 */
export function mergeColumns(existing: Columns, properties: unknown): Columns {
  if (!isJsonObject(properties))
    throw invalid('properties: expects an object of column name to {type, nullable}');
  const known = Object.entries(existing).map(([name, column]) => [name, asProperty(column)] as const);
  const sent = Object.entries(properties).map(([name, property]) => {
    const before = declaredColumn(existing, name);
    return [
      name,
      before && isJsonObject(property) ? { ...asProperty(before), ...property } : property,
    ] as const;
  });
  const parsed = parseColumns(Object.fromEntries([...known, ...sent]));
  // Columns are never removed and a new number is always the highest, so no number is used twice.
  let highest = Math.max(0, ...Object.values(existing).map(({ number }) => number));
  const numbered = Object.entries(parsed).map(([name, column]): [string, ColumnDefinition] => {
    const before = declaredColumn(existing, name);
    return [name, numberedAs(column, before, () => ++highest)];
  });
  return inDeclaredOrder(Object.fromEntries(numbered));
}

/** A column with another type gets another number, and keeps its place among the columns. */
function numberedAs(
  column: ColumnDefinition,
  before: ColumnDefinition | undefined,
  next: () => number,
): ColumnDefinition {
  const place = before?.place ?? (before?.type === column.type ? undefined : before?.number);
  const number = before?.type === column.type ? before.number : next();
  return { ...column, number, ...(place !== undefined && { place }) };
}

function asProperty({ type, nullable }: ColumnDefinition): JsonObject {
  return { type, nullable };
}
