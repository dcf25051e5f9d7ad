import { type Param, type Sql, sql } from '../../base/sql/index.js';
import { compileFilter } from './compile.js';
import { operandsFor } from './operators/comparison.js';
import { allTrue, anyTrue } from './operators/operator.js';
import {
  both,
  type CodeCondition,
  codeCondition,
  codesAmong,
  IRREGULAR,
  ofAnyRecord,
  ofIrregular,
  type PathKey,
} from './path-key.js';
import { locationInTable, type TableShape } from './scope.js';
import { type Sort, type SortKey, sortKeys } from './sort.js';
import type { Filter, FilterOf } from './tree.js';

/** Some of the records that a filter selects. An index can have them in the order of the sort. */
export interface Part {
  /** SQL of a condition, without that on `listed`. */
  readonly condition: Sql;
  readonly keys: readonly SortKey[];
  /** The values of an indexed key. The index has the records of each in the order of the sort. */
  readonly listed?: ListedValues;
}

interface ListedValues {
  readonly values: Param;
  /** SQL that is true for the records with one of the values. */
  equals(value: Sql): Sql;
}

/** A list of more values is read as one range of the index, because each value needs a search. */
const MAX_LISTED = 100;

/**
 * Divides the records that a filter selects into parts, each of which an index has in the order of the sort. With an
 * index on a path, the parts are the regular records and the others. With an index on the field of an `$in`, there is a
 * part for each value. Undefined when no index needs parts.
 */
export function partsOf(
  filter: Filter | undefined,
  sort: Sort,
  shape: TableShape,
): readonly Part[] | undefined {
  if (shape.orderedIndexes === undefined) return undefined;
  const fields = conjuncts(filter);
  const listed = listedField(fields, filter, sort, shape);
  const paths = pathsOf(fields, sort, shape);
  if (paths.length > 0) return partsByPath(filter, sort, shape, paths, listed);
  return (
    listed && [
      { condition: compileFilter(listed.others, shape), keys: sortKeys(sort, shape), listed: listed.values },
    ]
  );
}

/** A path with an index, and the condition on its key if the filter has one. */
interface IndexedPath {
  readonly name: string;
  readonly key: PathKey;
  readonly condition: CodeCondition | undefined;
}

function partsByPath(
  filter: Filter | undefined,
  sort: Sort,
  shape: TableShape,
  paths: readonly IndexedPath[],
  listed: ListedField | undefined,
): Part[] {
  const given = paths.map(({ name, key }): [string, PathKey] => [name, { ...key, isGiven: true }]);
  const inside = { ...shape, pathKeys: new Map([...(shape.pathKeys ?? []), ...given]) };
  const exact = filter === undefined ? [] : [compileFilter(filter, inside)];
  const others = listed ? [compileFilter(listed.others, inside)] : exact;
  const keys = sortKeys(sort, shape);
  const codes = new Map(paths.map(({ name, key }) => [name, key.code]));
  const regularKeys = keys.map((key, at) => {
    const code = codes.get(dotted(sort[at]!));
    return code === undefined ? key : { ...key, value: code, ofAnyRecord: key.value };
  });
  const regular = paths.flatMap(path => (path.name === listed?.name ? [] : [regularAt(path)]));
  const irregular = [
    anyTrue(paths.map(({ key, condition }) => ofIrregular(condition, key))),
    ...(paths.length === 1
      ? []
      : paths.flatMap(({ key, condition }) =>
          condition === undefined ? [] : [ofAnyRecord(condition, key)],
        )),
  ];
  return [
    {
      condition: allTrue([...(listed && !shape.pathKeys?.has(listed.name) ? others : exact), ...regular]),
      keys: regularKeys,
      ...(listed && { listed: listed.values }),
    },
    { condition: allTrue([...exact, ...irregular]), keys },
  ];
}

function regularAt({ key: { code }, condition }: IndexedPath): Sql {
  return condition === undefined
    ? sql`(${code} < ${IRREGULAR} OR ${code} IS NULL)`
    : sql`(${condition.regular})`;
}

type Field = FilterOf<'field'>;

/** An `$in` whose values an index can look up one by one. */
interface ListedField {
  readonly name: string;
  readonly values: ListedValues;
  /** The filter without it. */
  readonly others: Filter;
}

/** The conditions on fields that every selected record satisfies. */
function conjuncts(filter: Filter | undefined): readonly Field[] {
  if (filter?.kind === 'and') return filter.filters.flatMap(conjuncts);
  return filter?.kind === 'field' ? [filter] : [];
}

function dotted({ path }: { readonly path: readonly string[] }): string {
  return path.join('.');
}

/** The paths with an index that the filter or the sort uses. */
function pathsOf(fields: readonly Field[], sort: Sort, { pathKeys }: TableShape): IndexedPath[] {
  if (pathKeys === undefined) return [];
  const sorted = new Set(sort.map(dotted));
  return [...pathKeys].flatMap(([name, key]): IndexedPath[] => {
    const conditions = fields
      .filter(field => dotted(field) === name)
      .flatMap(({ test }) => codeCondition(test, key) ?? []);
    const condition = both(conditions);
    return condition !== undefined || sorted.has(name) ? [{ name, key, condition }] : [];
  });
}

/**
 * The `$in` that an index serves value by value: the index begins with the fields that the filter compares with one value,
 * has the listed field next and then those of the sort, and the filter has no other conditions.
 */
function listedField(
  fields: readonly Field[],
  filter: Filter | undefined,
  sort: Sort,
  shape: TableShape,
): ListedField | undefined {
  const found = fields.find(({ test }) => test.kind === 'in');
  if (found === undefined || countOf(filter) > fields.length) return undefined;
  const others = fields.filter(field => field !== found);
  if (!others.every(({ test }) => test.kind === 'eq' && test.value !== null)) return undefined;
  const name = dotted(found);
  const ordered = [name, ...sort.slice(0, -1).map(dotted)];
  const equal = new Set(others.map(dotted));
  const serves = (properties: readonly string[]) =>
    properties.length === equal.size + ordered.length &&
    properties.slice(0, equal.size).every(each => equal.has(each)) &&
    ordered.every((each, at) => properties[equal.size + at] === each);
  const isUniform = sort.every(({ direction }) => direction === sort[0]?.direction);
  if (!isUniform || !shape.orderedIndexes?.some(serves)) return undefined;
  const values = listedValues(found, name, shape);
  return values && { name, values, others: { kind: 'and', filters: others } };
}

/** Undefined for values that must be looked up in another way. */
function listedValues(
  { path, test }: Field,
  name: string,
  { pathKeys, ...shape }: TableShape,
): ListedValues | undefined {
  if (test.kind !== 'in' || test.values.length > MAX_LISTED) return undefined;
  const values = test.values.filter(value => value !== null && typeof value !== 'object');
  if (values.length < test.values.length) return undefined;
  const key = pathKeys?.get(name);
  if (key !== undefined) return { values: codesAmong(values), equals: value => sql`${key.code} = ${value}` };
  const location = locationInTable(shape, path);
  if (!('column' in location)) return undefined;
  const operands = operandsFor(values, location);
  return { values: operands, equals: value => sql`${location.column} = ${value}` };
}

function countOf(filter: Filter | undefined): number {
  return filter?.kind === 'and' ? filter.filters.reduce((sum, each) => sum + countOf(each), 0) : 1;
}
