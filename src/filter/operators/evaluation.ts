import { textFlaw } from '../../columns/index.js';
import { invalid } from '../../kernel/errors.js';
import { identifier, param, sql } from '../../sql/index.js';
import { someText, someValue } from '../scope.js';
import { node } from '../tree.js';
import type { OperatorParser, TestCompilers } from './operator.js';

const MAX_PATTERN_LENGTH = 1_000;

/** MongoDB's manual, "Evaluation Query Operators", without those that run code. */
export const evaluationParsers = {
  $regex(operand, _parser, siblings) {
    if (typeof operand !== 'string') throw invalid('$regex needs a string');
    if (operand.length > MAX_PATTERN_LENGTH)
      throw invalid(`$regex takes at most ${MAX_PATTERN_LENGTH} characters`);
    const flaw = textFlaw(operand);
    if (flaw !== undefined) throw invalid(`$regex: ${flaw}`);
    return node({ kind: 'regex', ...toPostgresPattern(operand, regexOptions(siblings.$options)) });
  },
  $mod(operand) {
    const numbers = Array.isArray(operand) ? operand : [];
    if (numbers.length !== 2 || !numbers.every(Number.isFinite))
      throw invalid('$mod needs [divisor, remainder]');
    // The manual: decimal input is rounded towards zero.
    const [divisor, remainder] = numbers.map(number => Math.trunc(number) + 0) as [number, number];
    if (divisor === 0) throw invalid('$mod: the divisor must not be 0');
    return node({ kind: 'mod', divisor, remainder });
  },
} as const satisfies Record<string, OperatorParser>;

function regexOptions(options: unknown): string {
  if (options === undefined) return '';
  if (typeof options === 'string' && /^[imsx]*$/.test(options)) return options;
  throw invalid('$options takes the letters i, m, s and x');
}

export const evaluationTests: Pick<TestCompilers, 'regex' | 'mod'> = {
  // Only `i` depends on a language, because of case folding. It must not depend on the database's own language.
  regex: ({ pattern, ignoreCase }, location, scope) =>
    someText(location, scope, text => {
      const collation = identifier(ignoreCase ? 'und-x-icu' : 'C');
      return sql`${text} COLLATE ${collation} ~ ${param(pattern, 'text')}`;
    }),
  mod: ({ divisor, remainder }, location, scope) => {
    const [by, left] = [param(divisor, 'numeric'), param(remainder, 'numeric')];
    return someValue(
      location,
      scope,
      { elements: true },
      value =>
        sql`CASE WHEN jsonb_typeof(${value}) = 'number' THEN mod(trunc((${value})::numeric), ${by}) = ${left} ELSE FALSE END`,
    );
  },
};

/** An escape or a dot. */
const ESCAPE_OR_DOT = /\\x\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}|\\[\s\S]|\./gi;
const BRACKETS = /\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]/;
/**
 * A bracket expression, an escape, or a dot. Everything else has the same meaning in both languages. A `[` without its
 * `]` is found with the rest of the pattern, in which no bracket expression ends either: otherwise the rest would be
 * read again from each `[` in it.
 */
const TOKEN = new RegExp(`${BRACKETS.source}|(\\[[\\s\\S]*)|${ESCAPE_OR_DOT.source}`, 'gi');
const LEADING_OPTIONS = /^\(\?([imsx]+)\)/;

/**
 * Translates a MongoDB pattern (PCRE) to a PostgreSQL advanced regular expression. They differ in a few points, which
 * are translated here: the newline options, leading `(?i)`, `\b` and `\B` (word boundaries), `\z`, `\xhh`. PostgreSQL
 * itself refuses what it does not support. Sources: MongoDB's manual, $regex; PostgreSQL's manual, 9.7.3.
 */
function toPostgresPattern(pattern: string, options: string): { pattern: string; ignoreCase: boolean } {
  const leading = LEADING_OPTIONS.exec(pattern);
  const letters = new Set([...options, ...(leading?.[1] ?? '')]);
  const body = pattern.slice(leading?.[0].length ?? 0);
  const dot = letters.has('s') ? '.' : '[^\\n]';
  // With options in front, PostgreSQL does not read a leading `***` as a director.
  const prefix = `(?${letters.has('m') ? 'w' : 's'}${letters.has('i') ? 'i' : ''}${letters.has('x') ? 'x' : ''})`;
  return {
    pattern:
      prefix +
      body.replace(TOKEN, (token: string, unclosed?: string) =>
        unclosed === undefined
          ? translated(token, dot)
          : unclosed.replace(ESCAPE_OR_DOT, inner => translated(inner, dot)),
      ),
    ignoreCase: letters.has('i'),
  };
}

function translated(token: string, dot: string): string {
  if (token === '.') return dot;
  if (token === '\\b') return '\\y';
  if (token === '\\B') return '\\Y';
  if (token === '\\z') return '\\Z';
  return token.replace(/\\x\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})/gi, (_all, long?: string, short?: string) => {
    return `\\U${(long ?? short ?? '').padStart(8, '0')}`;
  });
}
