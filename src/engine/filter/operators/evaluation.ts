import { invalid } from '../../../base/kernel/errors.js';
import { param, sql } from '../../../base/sql/index.js';
import { textFlaw } from '../../columns/index.js';
import { translated } from '../regex/parse.js';
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
    return node({ kind: 'regex', pattern: translated(operand, regexOptions(siblings.$options)) });
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
  // The translation depends on no language. It is written for the collation C, in which an anchored beginning is a range.
  regex: ({ pattern }, location, scope) =>
    someText(location, scope, text => sql`${text} COLLATE "C" ~ ${param(pattern, 'text')}`),
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
