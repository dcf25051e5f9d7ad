import type { JsonValue } from '../../base/kernel/json.js';
import { type Filter, node, type Test } from './tree.js';

/** What takes the place of a text; a list in place of one of several values. Undefined: the text stays. */
export type Replacement = (text: string) => string | readonly string[] | undefined;

/**
 * The filter with other texts among its operands. They are values: nothing in them is parsed. Texts inside of objects and
 * lists that are compared as a whole, patterns and searched texts stay.
 */
export function replaceTexts(filter: Filter, replacement: Replacement): Filter {
  switch (filter.kind) {
    case 'field':
      return node({ ...filter, test: inTest(filter.test, replacement) });
    case 'searchAll':
      return filter;
    default:
      return node({
        ...filter,
        filters: Object.freeze(filter.filters.map(each => replaceTexts(each, replacement))),
      });
  }
}

function inTest(test: Test, replacement: Replacement): Test {
  switch (test.kind) {
    case 'every':
      return node({ ...test, tests: Object.freeze(test.tests.map(each => inTest(each, replacement))) });
    case 'not':
    case 'elementIs':
      return node({ ...test, test: inTest(test.test, replacement) });
    case 'elementHas':
      return node({ ...test, filter: replaceTexts(test.filter, replacement) });
    case 'eq':
      return equalTo(test.value, replacement);
    case 'order': {
      const value = typeof test.value === 'string' ? replacement(test.value) : undefined;
      return typeof value === 'string' ? node({ ...test, value }) : test;
    }
    case 'in':
      return node({ ...test, values: test.values.flatMap(value => replaced(value, replacement)) });
    default:
      return test;
  }
}

/** A list replaces one of the values of `$all`, which are equalities that all hold. */
function equalTo(value: JsonValue, replacement: Replacement): Test {
  const values = replaced(value, replacement);
  if (values.length === 0) return node({ kind: 'in', values: [] });
  const tests = values.map(each => node<Test>({ kind: 'eq', value: each }));
  return tests.length === 1 ? tests[0]! : node({ kind: 'every', tests: Object.freeze(tests) });
}

function replaced(value: JsonValue, replacement: Replacement): readonly JsonValue[] {
  const other = typeof value === 'string' ? replacement(value) : undefined;
  if (other === undefined) return [value];
  return typeof other === 'string' ? [other] : other;
}
