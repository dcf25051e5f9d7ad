import { identifier, type Sql, sql } from '../sql/index.js';
import type { FieldPath } from './field-path.js';
import { arrayTests } from './operators/array.js';
import { bitwiseTests } from './operators/bitwise.js';
import { comparisonTests } from './operators/comparison.js';
import { elementTests } from './operators/element.js';
import { evaluationTests } from './operators/evaluation.js';
import { logicalFilters, logicalTests } from './operators/logical.js';
import type { FilterCompilers, TestCompilers } from './operators/operator.js';
import { searchFilters, searchTests } from './operators/text-search.js';
import { codeCondition, ofAnyRecord, type PathKey } from './path-key.js';
import {
  type FieldLocation,
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
    const key = scope.pathKey(path);
    const condition = key && codeCondition(test, key);
    // The planner expects few rows from a jsonpath predicate, but the index has counted them: `coalesce` hides it.
    if (condition === undefined) return exact;
    const counted = sql`coalesce(${exact}, FALSE)`;
    return key?.isGiven ? counted : sql`(${ofAnyRecord(condition, key!)} AND ${counted})`;
  },
};

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
  let aliases = 0;
  const { pathKeys } = shape;
  const scopeOf = (
    resolve: (path: FieldPath) => FieldLocation,
    pathKey: (path: FieldPath) => PathKey | undefined,
  ): Scope => {
    const scope: Scope = {
      resolve,
      pathKey,
      textColumns: shape.textColumns,
      alias: () => identifier(`e${++aliases}`),
      inElement: root => scopeOf(path => locationInValue(root, path), NO_KEY),
      filter: inner => compileNode(FILTERS, inner)(inner, scope),
      test: (inner, location) => compileNode(TESTS, inner)(inner, location, scope),
    };
    return scope;
  };
  const keyOfPath = pathKeys === undefined ? NO_KEY : (path: FieldPath) => pathKeys.get(path.join('.'));
  return scopeOf(path => locationInTable(shape, path), keyOfPath).filter(filter);
}

const NO_KEY = () => undefined;

/**
 * The entry of a node's kind in a table of compilers. TypeScript cannot see that the node and the entry belong
 * together.
 */
function compileNode<Table extends object, Node extends Filter | Test>(table: Table, inner: Node) {
  return table[inner.kind as unknown as keyof Table] as (node: Node, ...rest: unknown[]) => Sql;
}
