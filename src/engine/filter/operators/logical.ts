import { invalid } from '../../../base/kernel/errors.js';
import { isJsonObject } from '../../../base/kernel/json.js';
import { joined } from '../../../base/sql/index.js';
import { type Filter, node } from '../tree.js';
import {
  allTrue,
  anyTrue,
  type FilterCompilers,
  negated,
  type OperatorParser,
  operandArray,
  type Parser,
  type TestCompilers,
} from './operator.js';

/** MongoDB's manual, "Logical Query Operators" that combine whole filters. */
export const logicalParsers = {
  $and: (operand, parser) => combination('and', operand, parser),
  $or: (operand, parser) => combination('or', operand, parser),
  $nor: (operand, parser) => combination('nor', operand, parser),
} as const satisfies Record<string, (operand: unknown, parser: Parser) => Filter>;

/** `$not` belongs to a field and contains operators. */
export const notParsers = {
  $not(operand, parser) {
    if (!isJsonObject(operand))
      throw invalid('$not needs an object of operators, such as {"$not": {"$gt": 5}}');
    return node({ kind: 'not', test: parser.operators(operand, '$not') });
  },
} as const satisfies Record<string, OperatorParser>;

function combination(kind: 'and' | 'or' | 'nor', operand: unknown, parser: Parser): Filter {
  const items = operandArray(operand, `$${kind}`);
  if (items.length === 0) throw invalid(`$${kind} needs at least one filter`);
  return node({ kind, filters: Object.freeze(items.map(item => parser.filter(item, `$${kind}`))) });
}

export const logicalFilters: Pick<FilterCompilers, 'and' | 'or' | 'nor'> = {
  and: ({ filters }, scope) => allTrue(filters.map(filter => scope.filter(filter))),
  or: ({ filters }, scope) => anyTrue(filters.map(filter => scope.filter(filter))),
  nor: ({ filters }, scope) =>
    negated(
      joined(
        filters.map(filter => scope.filter(filter)),
        ' OR ',
      ),
    ),
};

export const logicalTests: Pick<TestCompilers, 'every' | 'not'> = {
  every: ({ tests }, location, scope) => allTrue(tests.map(test => scope.test(test, location))),
  not: ({ test }, location, scope) => negated(scope.test(test, location)),
};
