import type { CodePoints } from './code-points.js';
import type { Assertion, Pattern } from './tree.js';

/**
 * Writes a pattern as an advanced regular expression of PostgreSQL for texts in the collation C. Every node is written
 * in full, so the answer depends on no option and no language of the database. `back`: the pattern has back references.
 */
export function toPostgres(pattern: Pattern, back: boolean): string {
  const write = (node: Pattern, isLast = false): string => {
    switch (node.kind) {
      case 'either':
        return node.ways.map(way => write(way, isLast)).join('|');
      case 'sequence':
        return node.items.map((item, at) => write(item, isLast && at === node.items.length - 1)).join('');
      case 'repeat':
        return `${write(node.item)}${bounds(node.min, node.max)}`;
      case 'group':
        return `${back && node.captures ? '(' : '(?:'}${write(node.inside)})`;
      case 'look':
        return `(?${node.behind ? '<' : ''}${node.negative ? '!' : '='}${write(node.inside)})`;
      case 'back':
        return `(?:\\${node.group})`;
      case 'set':
        return ofSet(node.set, node.negated);
      case 'assert':
        // Whether the line break at the end is part of the match does not matter for the last item.
        return isLast && node.what === 'end' ? '\\n?$' : ASSERTIONS[node.what];
    }
  };
  // `s`: `.`, brackets, `^` and `$` do not treat line breaks differently.
  return `(?s)${write(pattern, true)}`;
}

const ASSERTIONS: Readonly<Record<Assertion, string>> = {
  start: '^',
  end: '(?=\\n?$)',
  veryEnd: '$',
  lineStart: '(?:^|(?<=\\n)(?!$))',
  lineEnd: '(?=\\n|$)',
  word: '\\y',
  notWord: '\\Y',
};

function bounds(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  if (min === 0 && max === 1) return '?';
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

/** A set without elements never matches; the complement of nothing always does. */
function ofSet(set: CodePoints, negated: boolean): string {
  const [first] = set;
  if (first === undefined) return negated ? '.' : '(?:$.)';
  if (!negated && set.length === 1 && first[0] === first[1]) return character(first[0]);
  const ranges = set.map(([from, to]) =>
    from === to ? character(from) : `${character(from)}-${character(to)}`,
  );
  return `[${negated ? '^' : ''}${ranges.join('')}]`;
}

/** A letter or digit of ASCII stands for itself; anything else is written as its number. */
function character(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  if (/^[A-Za-z0-9]$/.test(text)) return text;
  const hex = codePoint.toString(16);
  return codePoint > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
