import { complement, single, typeSet } from './code-points.js';
import { fail, type Source } from './source.js';
import type { Assertion, Pattern } from './tree.js';

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  b: 'word',
  B: 'notWord',
  A: 'start',
  G: 'start',
  Z: 'end',
  z: 'veryEnd',
};

/** Reads `\Q…\E`, and an `\E` without `\Q` as an empty text; undefined for anything else. */
export function quotedText(source: Source): string | undefined {
  if (source.text.startsWith('\\E', source.at)) {
    source.at += 2;
    return '';
  }
  if (!source.text.startsWith('\\Q', source.at)) return undefined;
  const end = source.text.indexOf('\\E', source.at + 2);
  const text = source.text.slice(source.at + 2, end < 0 ? undefined : end);
  source.at = end < 0 ? source.text.length : end + 2;
  return text;
}

/** Reads an assertion such as `\b` or a set such as `\d`; undefined for the escape of one character. */
export function assertionOrSet(source: Source): Pattern | undefined {
  const letter = source.text[source.at + 1];
  if (letter === undefined) throw fail('the pattern ends with \\');
  const what = Object.hasOwn(ASSERTIONS, letter) ? ASSERTIONS[letter] : undefined;
  const set = letter === 'N' && source.text[source.at + 2] !== '{' ? complement(single(10)) : typeSet(letter);
  if (what === undefined && set === undefined) return undefined;
  source.at += 2;
  return what === undefined ? { kind: 'set', set: set!, negated: false } : { kind: 'assert', what };
}
