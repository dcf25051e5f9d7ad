import { COLUMN_TYPES } from '../../columns/index.js';
import type { Filter, Sort } from '../../filter/index.js';
import {
  type CollectionShape,
  declaredColumn,
  type IndexDefinition,
  isSystemField,
  systemColumn,
} from '../collection-shape.js';
import type { MeasuredRead } from './measured-read.js';

/** A read, as the request describes it. */
export interface AskedRead {
  readonly filter: Filter | undefined;
  /** Undefined for a read whose result does not depend on an order. */
  readonly sort: Sort | undefined;
}

/** A read of fewer records is fast without an index. */
const FEW_RECORDS = 1_000;
/** An index helps a read that reads more than so many times what it needs. */
const WASTE = 10;
/** Columns of one index (wire contract). */
const MAX_COLUMNS = 16;

/** A filter that lets pass at most this part of the records is better served first, and its result sorted. */
const SELECTIVE = 0.1;

/**
 * The entry of `indexes` with which a read would have read far fewer records; undefined when the read needs nearly all that it
 * reads, when no index can serve it, or when there is one already.
 */
export function adviceFor(
  shape: CollectionShape,
  { filter, sort }: AskedRead,
  existing: readonly IndexDefinition[],
  read: Pick<MeasuredRead, 'readRows' | 'matchedRows' | 'returnedRows'>,
): IndexDefinition | undefined {
  // An aggregation needs all records that match.
  const needed = sort === undefined ? read.matchedRows : read.returnedRows;
  if (read.readRows < FEW_RECORDS || read.readRows <= WASTE * Math.max(needed, 1)) return undefined;
  const isSelective = read.matchedRows <= SELECTIVE * read.readRows;
  const searched = searchedTexts(shape, filter);
  if (searched.length > 0) {
    const isThere = existing.some(
      ({ kind, properties }) => kind === 'search' && searched.every(name => properties.includes(name)),
    );
    return isThere ? undefined : { properties: searched, kind: 'search' };
  }
  const { properties, equal } = columnsOf(shape, conditionsOf(shape, filter), sort, isSelective);
  if (properties.length === 0 || existing.some(index => serves(index, properties, equal))) return undefined;
  return { properties };
}

/**
 * The text columns, or the path, that a `$search` which every record must match reads; empty when there are too many for
 * an index.
 */
function searchedTexts(shape: CollectionShape, filter: Filter | undefined): string[] {
  const { columns } = shape;
  const isText = (name: string) => declaredColumn(columns, name)?.type === 'text';
  for (const each of filter?.kind === 'and' ? filter.filters : filter === undefined ? [] : [filter]) {
    if (each.kind === 'searchAll') {
      const names = Object.keys(columns).filter(isText);
      return names.length <= MAX_COLUMNS ? names : [];
    }
    if (each.kind === 'field' && each.test.kind === 'search') {
      const name = each.path.join('.');
      return isText(name) || placeOf(shape, name) === 'path' ? [name] : [];
    }
  }
  return [];
}

type Use = 'equality' | 'range';

/**
 * The conditions that every matching record satisfies, by column or path. Of several conditions on one column or path,
 * the one that an index serves best.
 */
function conditionsOf(shape: CollectionShape, filter: Filter | undefined): Map<string, Use> {
  const uses = new Map<string, Use>();
  const visit = (each: Filter): void => {
    if (each.kind === 'and') each.filters.forEach(visit);
    if (each.kind !== 'field') return;
    const name = each.path.join('.');
    const use = useOf(each.test, placeOf(shape, name));
    if (use !== undefined && uses.get(name) !== 'equality') uses.set(name, use);
  };
  if (filter !== undefined) visit(filter);
  return uses;
}

type FieldTest = Extract<Filter, { kind: 'field' }>['test'];

function useOf(test: FieldTest, place: Place | undefined): Use | undefined {
  switch (test.kind) {
    case 'every':
      return test.tests.map(each => useOf(each, place)).find(use => use !== undefined);
    case 'eq':
      return 'equality';
    case 'in':
    case 'order':
      return 'range';
    case 'regex':
      return place === 'scalar' && beginsWithText(test) ? 'range' : undefined;
    default:
      return undefined;
  }
}

/** True for a pattern that begins with characters which a value must begin with. */
function beginsWithText({ pattern }: Extract<FieldTest, { kind: 'regex' }>): boolean {
  return /^\(\?s\)\^(?:[A-Za-z0-9]|\\u[0-9a-f]{4}){2}/.test(pattern) && !pattern.includes('|');
}

/**
 * The columns and paths of the index to advise: those that are compared with one value, then those of the sort, then one
 * with a range. If there is a selective range, it replaces the columns of the sort.
 */
function columnsOf(
  shape: CollectionShape,
  uses: ReadonlyMap<string, Use>,
  sort: Sort | undefined,
  isSelective: boolean,
): { readonly properties: string[]; readonly equal: number } {
  const isOrdered = (name: string) => ['scalar', 'path'].includes(placeOf(shape, name) ?? '');
  const named = (wanted: Use) =>
    [...uses].filter(([name, use]) => use === wanted && isOrdered(name)).map(([name]) => name);
  const equal = named('equality');
  const [range] = named('range');
  const sorted = sortedColumns(sort, new Set(equal), isOrdered);
  if (equal.length > 0 || range !== undefined || sorted.length > 0) {
    const others =
      range !== undefined && isSelective && !sorted.includes(range) && equal.length === 0
        ? [range]
        : [...sorted, ...(range === undefined ? [] : [range])];
    return { properties: [...new Set([...equal, ...others])].slice(0, MAX_COLUMNS), equal: equal.length };
  }
  const inside = [...uses].find(([name, use]) => use === 'equality' && placeOf(shape, name) === 'document');
  return { properties: inside === undefined ? [] : [inside[0]], equal: 0 };
}

/** The first fields of a sort that an index can order by: columns and paths with the same direction. */
function sortedColumns(
  sort: Sort | undefined,
  equal: ReadonlySet<string>,
  isOrdered: (name: string) => boolean,
): string[] {
  const fields = (sort ?? [])
    .map(({ path, direction }) => ({ name: path.join('.'), direction }))
    .filter(({ name }) => !equal.has(name));
  const end = fields.findIndex(
    ({ name, direction }) => !isOrdered(name) || direction !== fields[0]?.direction,
  );
  return fields.slice(0, end < 0 ? fields.length : end).map(({ name }) => name);
}

/** Where a value is: in a column of a scalar type, a whole document, or a path in a document or the flexible fields. */
type Place = 'scalar' | 'document' | 'path';

/** Undefined for a field of the service, and for a path below a column that has no fields. */
function placeOf(shape: CollectionShape, name: string): Place | undefined {
  const [field] = name.split('.') as [string];
  if (isSystemField(field)) return undefined;
  const column = declaredColumn(shape.columns, field);
  if (column === undefined) return systemColumn(shape.columns, name) === undefined ? 'path' : 'scalar';
  const { family } = COLUMN_TYPES[column.type];
  if (name === field) return family;
  return family === 'document' ? 'path' : undefined;
}

/** True for an index that serves all reads which `wanted` would serve: it begins with the same columns. */
export function isServedBy({ properties, kind }: IndexDefinition, wanted: IndexDefinition): boolean {
  if (kind !== wanted.kind) return false;
  return kind === 'search'
    ? wanted.properties.every(name => properties.includes(name))
    : wanted.properties.every((name, at) => properties[at] === name);
}

/** True for an index that begins with these columns; the first `equal` of them in any order. */
function serves({ properties, kind }: IndexDefinition, wanted: readonly string[], equal: number): boolean {
  if (kind !== undefined) return false;
  const first = properties.slice(0, equal);
  return (
    wanted.slice(0, equal).every(name => first.includes(name)) &&
    wanted.slice(equal).every((name, at) => properties[equal + at] === name)
  );
}
