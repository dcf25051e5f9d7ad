import { textFlaw } from '../../columns/index.js';
import { invalid } from '../../kernel/errors.js';
import { PLANNED_EACH_TIME, param, type Sql, sql } from '../../sql/index.js';
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

/**
 * SQL of a text without differences of case: the full case folding of Unicode, whatever the database's language is.
 * Search indexes are on this expression. In a text of ASCII only the letters have to become small.
 */
export function foldedCase(text: Sql): Sql {
  return sql`CASE WHEN octet_length(${text}) = length(${text}) THEN lower(${text} COLLATE "C") ELSE ${foldedUnicode(text)} END`;
}

/**
 * As `foldedCase`, for an expression that is computed once only. Capital letters are compared, because `ß`, `ſ` and `ς`
 * have the same as `ss`, `s` and `σ`. Small letters are the result, because pg_trgm makes them of capitals by the language
 * of the database, in which a sigma at the end of a word is another letter. `ẞ` counts as `ß`; `ı` must not become `I`,
 * so a code point stands for it that no text has (U+FDD0).
 */
export function foldedUnicode(text: Sql): Sql {
  const capitals = sql`upper(replace(replace(${text}, 'ẞ', 'ß'), 'ı', U&'\\FDD0') COLLATE "und-x-icu")`;
  return sql`lower(replace(${capitals}, 'Σ', 'σ')) COLLATE "C"`;
}
