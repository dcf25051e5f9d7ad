import { identifier, type Sql, sql } from '../../base/sql/index.js';
import type { FieldPath } from './field-path.js';
import { arrayTests } from './operators/array.js';
import { bitwiseTests } from './operators/bitwise.js';
import { comparisonTests } from './operators/comparison.js';
import { elementTests } from './operators/element.js';
import { evaluationTests } from './operators/evaluation.js';
import { logicalFilters, logicalTests } from './operators/logical.js';
import { allTrue, type FilterCompilers, type TestCompilers } from './operators/operator.js';
import { searchCondition, searchFilters, searchTests } from './operators/text-search.js';
import { codeCondition, ofAnyRecord } from './path-key.js';
import {
  type FieldLocation,
  indexedPath,
  locationInTable,
  locationInValue,
  type Scope,
  type TableShape,
} from './scope.js';
import type { Filter, Test } from './tree.js';

const FILTERS: FilterCompilers = {
  ...logicalFilters,
  ...searchFilters,
  field: ({ path, test }, scope) => {
    const exact = scope.test(test, scope.resolve(path));
    const { key, text } = scope.indexedPath(path) ?? NOT_INDEXED;
    const code = key && codeCondition(test, key);
    const search = text && searchCondition(test, text);
    if (code === undefined && search === undefined) return exact;
    return allTrue([
      ...(code && key && !key.isGiven ? [ofAnyRecord(code, key)] : []),
      ...(search ? [search] : []),
      // The planner would expect too few rows from a jsonpath predicate beside the condition on the key. `coalesce` hides it.
      sql`coalesce(${exact}, FALSE)`,
    ]);
  },
};

/** Indexes are on records, not on elements of their lists. */
const nothingIndexed = () => undefined;
const NOT_INDEXED = { key: undefined, text: undefined };

const TESTS: TestCompilers = {
  ...comparisonTests,
  ...logicalTests,
  ...elementTests,
  ...evaluationTests,
  ...arrayTests,
  ...bitwiseTests,
  ...searchTests,
};

/**
 * Compiles a filter to an SQL condition for a WHERE clause (NULL counts as false). Values and field names are
 * parameters, so the text depends only on the shape of the filter. Throws `invalid()` for an operand that is not a date
 * where a date column needs one.
 */
export function compileFilter(filter: Filter, shape: TableShape): Sql {
  shape.admit?.(fieldsOf(filter));
  let aliases = 0;
  const scopeOf = (resolve: (path: FieldPath) => FieldLocation, indexed: Scope['indexedPath']): Scope => {
    const scope: Scope = {
      resolve,
      indexedPath: indexed,
      textColumns: shape.textColumns,
      alias: () => identifier(`e${++aliases}`),
      inElement: root => scopeOf(path => locationInValue(root, path), nothingIndexed),
      filter: inner => compileNode(FILTERS, inner)(inner, scope),
      test: (inner, location) => compileNode(TESTS, inner)(inner, location, scope),
    };
    return scope;
  };
  return scopeOf(
    path => locationInTable(shape, path),
    path => indexedPath(shape, path),
  ).filter(filter);
}

/** The top-level fields that a filter names. */
function fieldsOf(filter: Filter): string[] {
  if (filter.kind === 'field') return [filter.path[0] as string];
  return filter.kind === 'searchAll' ? [] : filter.filters.flatMap(fieldsOf);
}

/**
 * The entry of a node's kind in a table of compilers. TypeScript cannot see that the node and the entry belong
 * together.
 */
function compileNode<Table extends object, Node extends Filter | Test>(table: Table, inner: Node) {
  return table[inner.kind as unknown as keyof Table] as (node: Node, ...rest: unknown[]) => Sql;
}
