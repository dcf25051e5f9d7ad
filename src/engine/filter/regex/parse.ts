import { ClassReader } from './class.js';
import { single, withCases } from './code-points.js';
import { assertionOrSet, quotedText } from './escapes.js';
import { Groups } from './groups.js';
import { lengthOf, repeated } from './quantifiers.js';
import { codePointEscape, fail, type Source, take } from './source.js';
import { toPostgres } from './translate.js';
import type { Pattern } from './tree.js';

/** Maximum of nested groups: the parser calls itself for each. */
const MAX_DEPTH = 100;
/** Maximum of characters of the translation. Sets of many letters that ignore case become long. */
const MAX_TRANSLATED = 50_000;

const OPTIONS = /\(\?([imsx]*)(?:-([imsx]+))?([:)])/y;
const COMMENT = /\(\?#[^)]*\)/y;
const GROUP = /\((?:\?(:|=|!|<=|<!|(?:P?<|')([A-Za-z_]\w{0,31})[>'])|(?![?*]))/y;
const SPACE = /[\t-\r \u0085\u200e\u200f\u2028\u2029]+|#[^\n]*(?:\n|$)/y;

type Options = ReadonlySet<string>;

/**
 * Translates a pattern of PCRE2 (UTF mode, without UCP and DOLLAR_ENDONLY, as MongoDB compiles it) to an advanced
 * regular expression of PostgreSQL. Reads only constructs that it knows: anything else is refused by name, and no text
 * is passed on as it is. Throws `invalid()`.
 */
export function translated(pattern: string, options: string): string {
  return new PatternReader(pattern).translation(new Set(options));
}

class PatternReader {
  private readonly source: Source;
  private readonly groups = new Groups();
  private depth = 0;

  constructor(pattern: string) {
    this.source = { text: pattern, at: 0 };
  }

  translation(options: Options): string {
    const tree = this.alternatives(options);
    if (this.source.at < this.source.text.length) throw fail('a ) has no (');
    this.groups.requireEqualNumbers();
    const text = toPostgres(tree, this.groups.hasBack);
    if (text.length > MAX_TRANSLATED) throw fail('the pattern is too long with the characters of its sets');
    return text;
  }

  /** Alternatives up to the end of the group or of the pattern. An option in one of them holds in the next ones too. */
  private alternatives(outer: Options): Pattern {
    if (++this.depth > MAX_DEPTH) throw fail(`groups are nested at most ${MAX_DEPTH} deep`);
    let options = outer;
    const ways: Pattern[][] = [[]];
    for (;;) {
      if (options.has('x')) while (take(this.source, SPACE));
      const changed = this.changedOptions(options);
      if (changed) {
        options = changed;
        continue;
      }
      const next = this.source.text[this.source.at];
      if (next === undefined || next === ')') break;
      if (next === '|') {
        this.source.at++;
        ways.push([]);
      } else if (!take(this.source, COMMENT)) ways.at(-1)!.push(...this.item(options));
    }
    this.depth--;
    return { kind: 'either', ways: ways.map(items => ({ kind: 'sequence', items })) };
  }

  /** `(?i)`: the options for the rest of the group; undefined when there is no such item. */
  private changedOptions(options: Options): Options | undefined {
    const start = this.source.at;
    const found = take(this.source, OPTIONS);
    if (found?.[3] === ')') return changed(options, found);
    this.source.at = start;
    return undefined;
  }

  /** One item with its quantifier; several for `\Q…\E`, of which the last has it. */
  private item(options: Options): Pattern[] {
    const quoted = quotedText(this.source);
    if (quoted === '') return [];
    const items =
      quoted === undefined
        ? [this.atom(options)]
        : Array.from(quoted, each => literal(each.codePointAt(0)!, options));
    while (take(this.source, COMMENT) || (options.has('x') && take(this.source, SPACE)));
    return [...items.slice(0, -1), repeated(this.source, items.at(-1)!)];
  }

  private atom(options: Options): Pattern {
    const { source } = this;
    const char = String.fromCodePoint(source.text.codePointAt(source.at)!);
    switch (char) {
      case '(':
        return this.group(options);
      case '[': {
        const { set, negated } = new ClassReader(source, options.has('i')).read();
        return { kind: 'set', set, negated };
      }
      case '\\':
        return this.escape(options);
      case '*':
      case '+':
      case '?':
        throw fail(`nothing precedes the quantifier ${char}`);
      case '{':
        return this.brace(options);
    }
    source.at += char.length;
    if (char === '.') return { kind: 'set', set: options.has('s') ? [] : single(10), negated: true };
    if (char === '^') return { kind: 'assert', what: options.has('m') ? 'lineStart' : 'start' };
    if (char === '$') return { kind: 'assert', what: options.has('m') ? 'lineEnd' : 'end' };
    return literal(char.codePointAt(0)!, options);
  }

  /** A brace that begins no quantifier is a character; versions of PCRE2 differ about `{,2}` and `{ 2 }`. */
  private brace(options: Options): Pattern {
    const { source } = this;
    if (/^\{[\d,\s]*\}/.test(source.text.slice(source.at, source.at + 20)))
      throw fail('a brace that begins no quantifier must be written \\{');
    source.at++;
    return literal(0x7b, options);
  }

  private group(options: Options): Pattern {
    const { source, groups } = this;
    const back = groups.reference(source, options.has('i'));
    if (back) return back;
    const scoped = take(this.source, OPTIONS);
    if (scoped) return { kind: 'group', inside: this.inside(changed(options, scoped)), captures: false };
    const found = take(this.source, GROUP);
    if (!found) throw fail(`${source.text.slice(source.at, source.at + 4)} is not supported`);
    const [, kind, name] = found;
    if (kind === ':') return { kind: 'group', inside: this.inside(options), captures: false };
    if (kind !== undefined && name === undefined) return this.look(kind, options);
    return groups.capturing(name, () => this.inside(options));
  }

  private look(kind: string, options: Options): Pattern {
    const behind = kind.startsWith('<');
    const inside = this.groups.looking(() => this.inside(options));
    if (behind && inside.kind === 'either') {
      for (const way of inside.ways)
        if (lengthOf(way) === undefined) throw fail('a lookbehind needs alternatives of one length each');
    }
    return { kind: 'look', inside, behind, negative: kind.endsWith('!') };
  }

  private inside(options: Options): Pattern {
    const inside = this.alternatives(options);
    if (this.source.text[this.source.at] !== ')') throw fail('a ( has no )');
    this.source.at++;
    return inside;
  }

  private escape(options: Options): Pattern {
    const { source } = this;
    return (
      this.groups.reference(source, options.has('i')) ??
      assertionOrSet(source) ??
      literal(codePointEscape(source), options)
    );
  }
}

function changed(options: Options, [, on = '', off = '']: RegExpExecArray): Options {
  return new Set([...options, ...on].filter(letter => !off.includes(letter)));
}

function literal(codePoint: number, options: Options): Pattern {
  const set = single(codePoint);
  return { kind: 'set', set: options.has('i') ? withCases(set) : set, negated: false };
}
