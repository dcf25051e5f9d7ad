import type { Condition, Pattern } from './model.js';

const SPECIAL = /[\\^$.|?*+()[\]{}]/g;
const ESCAPED = /\\([\\^$.|?*+()[\]{}])/g;

/** The pattern that matches a text literally. */
function literal(text: string): string {
  return text.replace(SPECIAL, '\\$&');
}

/** The text that a literal pattern matches; undefined for a pattern that is more than literal text. */
function literalText(pattern: string): string | undefined {
  const text = pattern.replace(ESCAPED, '$1');
  return literal(text) === pattern ? text : undefined;
}

/** `$regex` and perhaps `$options` of a condition with one of the four operators on patterns. */
export function regexOf({ operator, value }: Pick<Condition, 'operator' | 'value'>): Record<string, unknown> {
  if (operator === 'matches') {
    const { pattern, options } = value as Pattern;
    return options === undefined ? { $regex: pattern } : { $regex: pattern, $options: options };
  }
  const text = literal(String(value ?? ''));
  if (operator === 'startsWith') return { $regex: `^${text}` };
  return { $regex: operator === 'endsWith' ? `${text}$` : text };
}

/** Reads a pattern: literal text at the beginning, at the end or anywhere, otherwise `matches`. */
export function readRegex(
  pattern: string,
  options: string | undefined,
): Pick<Condition, 'operator' | 'value'> {
  if (options !== undefined) return { operator: 'matches', value: { pattern, options } };
  const whole = literalText(pattern);
  if (whole !== undefined) return { operator: 'includes', value: whole };
  const after = pattern.startsWith('^') ? literalText(pattern.slice(1)) : undefined;
  if (after !== undefined) return { operator: 'startsWith', value: after };
  const before = pattern.endsWith('$') ? literalText(pattern.slice(0, -1)) : undefined;
  if (before !== undefined) return { operator: 'endsWith', value: before };
  return { operator: 'matches', value: { pattern } };
}

/**
 * The value of `matches` for what a person entered. Without letters, `$options` is left out, unless the pattern would
 * then be read as literal text.
 */
export function patternValue(pattern: string, options: string): Pattern {
  if (options !== '') return { pattern, options };
  return readRegex(pattern, undefined).operator === 'matches' ? { pattern } : { pattern, options };
}
