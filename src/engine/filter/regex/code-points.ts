/** Sets of code points as sorted ranges, without NUL, which no text contains. */

type Range = readonly [first: number, last: number];
export type CodePoints = readonly Range[];

const LAST = 0x10ffff;

/** Sorts and joins ranges. */
export function union(...sets: readonly CodePoints[]): CodePoints {
  const sorted = sets
    .flat()
    .map(([first, last]): Range => [Math.max(first, 1), last])
    .filter(([first, last]) => first <= last)
    .sort(([a], [b]) => a - b);
  const joined: [number, number][] = [];
  for (const [first, last] of sorted) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

/** All other code points. */
export function complement(set: CodePoints): CodePoints {
  let next = 1;
  const gaps: Range[] = [];
  for (const [first, last] of union(set)) {
    if (first > next) gaps.push([next, first - 1]);
    next = last + 1;
  }
  return next > LAST ? gaps : [...gaps, [next, LAST]];
}

export function single(codePoint: number): CodePoints {
  return [[codePoint, codePoint]];
}

/** The set of the characters and ranges of a text such as `a-z_`. */
function setOf(text: string): CodePoints {
  return union(
    Array.from(text.matchAll(/(.)-(.)|(.)/gsu), ([, from, to, one]): Range => {
      const first = (from ?? one)!.codePointAt(0)!;
      return [first, to === undefined ? first : to.codePointAt(0)!];
    }),
  );
}

const SPACE = '\t-\r ';

/** The character types of PCRE2 without UCP, by their letters. Capital letters are their complements. */
const TYPES: Readonly<Record<string, CodePoints>> = {
  d: setOf('0-9'),
  s: setOf(SPACE),
  w: setOf('0-9A-Z_a-z'),
  h: setOf('\t \u00a0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000'),
  v: setOf('\n-\r\u0085\u2028\u2029'),
};

export function typeSet(letter: string): CodePoints | undefined {
  const set = TYPES[letter.toLowerCase()];
  return set === undefined || letter === letter.toLowerCase() ? set : complement(set);
}

/** POSIX classes, which are of ASCII without UCP. */
const POSIX: Readonly<Record<string, CodePoints>> = {
  alpha: setOf('A-Za-z'),
  lower: setOf('a-z'),
  upper: setOf('A-Z'),
  alnum: setOf('0-9A-Za-z'),
  ascii: [[1, 0x7f]],
  blank: setOf('\t '),
  cntrl: [[1, 0x1f], ...single(0x7f)],
  digit: setOf('0-9'),
  graph: [[0x21, 0x7e]],
  print: [[0x20, 0x7e]],
  punct: setOf('!-/:-@[-`{-~'),
  space: setOf(SPACE),
  word: setOf('0-9A-Z_a-z'),
  xdigit: setOf('0-9A-Fa-f'),
};

export function posixSet(name: string): CodePoints | undefined {
  return Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
}

/** The dotless i has no other case: only Turkish takes it for one of `i`. */
const DOTLESS_I = 0x131;

/** The characters that are the same but for case, by each of them: simple case folding of Unicode. */
let families: ReadonlyMap<number, readonly number[]> | undefined;

function caseFamilies(): ReadonlyMap<number, readonly number[]> {
  if (families !== undefined) return families;
  const byFold = new Map<string, number[]>();
  for (let at = 0x41; at < 0x20000; at++) {
    const text = String.fromCodePoint(at);
    if (at === DOTLESS_I || (text.toLowerCase() === text && text.toUpperCase() === text)) continue;
    const fold = oneOf(oneOf(text, text.toUpperCase()), oneOf(text, text.toUpperCase()).toLowerCase());
    byFold.set(fold, [...(byFold.get(fold) ?? []), at]);
  }
  const found = [...byFold.values()].filter(members => members.length > 1);
  families = new Map(found.flatMap(members => members.map(each => [each, members] as const)));
  return families;
}

/** The mapped text if it is one character, else the text itself. */
function oneOf(text: string, mapped: string): string {
  return [...mapped].length === 1 ? mapped : text;
}

/** The set with all characters that differ from one of it by case only. */
export function withCases(set: CodePoints): CodePoints {
  const [only] = set;
  if (set.length === 1 && only![0] === only![1])
    return union(set, ...(caseFamilies().get(only![0]) ?? []).map(single));
  const added: CodePoints[] = [];
  for (const [each, members] of caseFamilies())
    if (set.some(([first, last]) => first <= each && each <= last)) added.push(...members.map(single));
  return union(set, ...added);
}
