import { fail, type Source, take } from './source.js';
import type { Pattern } from './tree.js';

/** PostgreSQL's maximum. */
const MAX_REPEATS = 255;

const QUANTIFIER = /[*+?]|\{(\d{1,5})(?:(,)(\d{1,5})?)?\}/y;

/** Reads the quantifier of an item, if there is one. */
export function repeated(source: Source, item: Pattern): Pattern {
  const found = take(source, QUANTIFIER);
  if (!found) return item;
  if (item.kind === 'assert' || item.kind === 'look')
    throw fail('a quantifier after an assertion is not possible');
  const [text, least, comma, most] = found;
  const [min, max] =
    least === undefined
      ? [text === '+' ? 1 : 0, text === '?' ? 1 : Number.POSITIVE_INFINITY]
      : [
          Number(least),
          most === undefined ? (comma ? Number.POSITIVE_INFINITY : Number(least)) : Number(most),
        ];
  if (max < min) throw fail('the numbers of a quantifier are out of order');
  if (min > MAX_REPEATS || (max > MAX_REPEATS && max !== Number.POSITIVE_INFINITY))
    throw fail(`a quantifier takes at most ${MAX_REPEATS}`);
  // Whether as much or as little as possible is matched does not matter for the question whether there is a match.
  if (source.text[source.at] === '?') source.at++;
  else if (source.text[source.at] === '+') throw fail('possessive quantifiers are not possible');
  if (take(source, QUANTIFIER)) throw fail('a quantifier follows another quantifier');
  return { kind: 'repeat', item: grouped(item), min, max };
}

/** What a quantifier repeats must be one atom in the translation. */
function grouped(item: Pattern): Pattern {
  return item.kind === 'repeat' ? { kind: 'group', inside: item, captures: false } : item;
}

/** Characters that a pattern matches; undefined if there are several numbers. */
export function lengthOf(pattern: Pattern): number | undefined {
  switch (pattern.kind) {
    case 'set':
      return 1;
    case 'assert':
    case 'look':
      return 0;
    case 'group':
      return lengthOf(pattern.inside);
    case 'repeat': {
      const each = lengthOf(pattern.item);
      return each === undefined || pattern.min !== pattern.max ? undefined : each * pattern.min;
    }
    case 'sequence':
      return pattern.items
        .map(lengthOf)
        .reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each), 0);
    case 'either': {
      const [first, ...others] = pattern.ways.map(lengthOf);
      return others.every(other => other === first) ? first : undefined;
    }
    case 'back':
      return undefined;
  }
}
