import { invalid } from '../../../base/kernel/errors.js';
import { PLANNED_EACH_TIME, param, type Sql, sql } from '../../../base/sql/index.js';
import { textFlaw } from '../../columns/index.js';
import { foldedCase } from '../case-folding.js';
import { someText } from '../scope.js';
import { type Filter, node, type Test } from '../tree.js';
import { anyTrue, type FilterCompilers, type OperatorParser, type TestCompilers } from './operator.js';

const MAX_TEXT_LENGTH = 1_000;

/** The extension `$search`, which finds a substring and ignores case. */
export const searchParsers = {
  $search: operand => node({ kind: 'search', text: searchedText(operand) }),
} as const satisfies Record<string, OperatorParser>;

/** `{$search: "text"}` at the level of fields: searches all text columns. */
export function parseSearchAll(operand: unknown): Filter {
  return node({ kind: 'searchAll', text: searchedText(operand) });
}

function searchedText(operand: unknown): string {
  if (typeof operand !== 'string') throw invalid('$search needs a string');
  if (operand.length > MAX_TEXT_LENGTH) throw invalid(`$search takes at most ${MAX_TEXT_LENGTH} characters`);
  const flaw = textFlaw(operand);
  if (flaw !== undefined) throw invalid(`$search: ${flaw}`);
  return operand;
}

export const searchTests: Pick<TestCompilers, 'search'> = {
  search: ({ text }, location, scope) => someText(location, scope, contains(text)),
};

export const searchFilters: Pick<FilterCompilers, 'searchAll'> = {
  searchAll: ({ text }, scope) => anyTrue(scope.textColumns.map(contains(text))),
};

/** The condition that a search index serves, on a folded text; undefined for a test without `$search`. */
export function searchCondition(test: Test, folded: Sql): Sql | undefined {
  if (test.kind === 'every') return test.tests.map(each => searchCondition(each, folded)).find(Boolean);
  return test.kind === 'search' ? isLike(folded, patternOf(test.text)) : undefined;
}

/**
 * One parameter is used for every value that is searched. Whether an index helps depends on the term, so a plan for any
 * term would rarely use it.
 */
function contains(text: string): (value: Sql) => Sql {
  const pattern = patternOf(text);
  return value => isLike(foldedCase(value), pattern);
}

function patternOf(text: string): Sql {
  return param(`%${text.replace(/[\\%_]/g, '\\$&')}%`, 'text');
}

function isLike(folded: Sql, pattern: Sql): Sql {
  return sql`${folded} LIKE ${PLANNED_EACH_TIME}${foldedCase(pattern)}`;
}
