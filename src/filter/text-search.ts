import { textFlaw } from '../columns/index.js';
import { invalid } from '../kernel/errors.js';
import { anyTrue, type FilterCompilers, type OperatorParser, type TestCompilers } from './operator.js';
import { type Scope, someText } from './scope.js';
import { type Filter, node } from './tree.js';

const MAX_TEXT_LENGTH = 1_000;

/** The extension `$search`: a case-insensitive substring. */
export const searchParsers = {
  $search: operand => node({ kind: 'search', text: searchedText(operand) }),
} as const satisfies Record<string, OperatorParser>;

/** `{$search: "text"}` beside the fields: over all text columns. */
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
  search: ({ text }, place, scope) => someText(place, scope, contains(text, scope)),
};

export const searchFilters: Pick<FilterCompilers, 'searchAll'> = {
  searchAll: ({ text }, scope) => anyTrue(scope.textColumns.map(contains(text, scope))),
};

/** Letters fold by Unicode's rules whatever the database's language is. */
function contains(text: string, scope: Scope): (sql: string) => string {
  let pattern: string | undefined;
  return sql => {
    // Where no text is searched, the statement must have no parameter either: PostgreSQL refuses one that it does not use.
    pattern ??= scope.parameters.add(`%${text.replace(/[\\%_]/g, '\\$&')}%`, 'text');
    return `${sql} COLLATE "und-x-icu" ILIKE ${pattern}`;
  };
}
