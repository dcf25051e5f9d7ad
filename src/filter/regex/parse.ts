import { ClassReader } from './class.js';
import { complement, single, typeSet, withCases } from './code-points.js';
import { codePointEscape, fail, type Source } from './source.js';
import { toPostgres } from './translate.js';
import type { Assertion, Pattern } from './tree.js';

/** PostgreSQL's maximum. */
const MAX_REPEATS = 255;
/** Maximum of nested groups: the parser calls itself for each. */
const MAX_DEPTH = 100;
/** Maximum of characters of the translation. Sets of many letters that ignore case become long. */
const MAX_TRANSLATED = 50_000;

const QUANTIFIER = /[*+?]|\{(\d{1,5})(?:(,)(\d{1,5})?)?\}/y;
const OPTIONS = /\(\?([imsx]*)(?:-([imsx]+))?([:)])/y;
const COMMENT = /\(\?#[^)]*\)/y;
const GROUP = /\((?:\?(:|=|!|<=|<!|(?:P?<|')([A-Za-z_]\w{0,31})[>'])|(?![?*]))/y;
const BACK =
  /\\(?:([1-9])(?!\d)|g([1-9]\d?)(?!\d)|g\{([1-9]\d?)\}|k(?:\{(\w+)\}|<(\w+)>|'(\w+)'))|\(\?P=(\w+)\)/y;
const SPACE = /[\t-\r \u0085\u200e\u200f\u2028\u2029]+|#[^\n]*(?:\n|$)/y;

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  b: 'word',
  B: 'notWord',
  A: 'start',
  G: 'start',
  Z: 'end',
  z: 'veryEnd',
};

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
  private readonly names = new Map<string, number>();
  private readonly closed = new Set<number>();
  private groups = 0;
  private depth = 0;
  private looks = 0;
  private capturesInLook = false;
  private hasBack = false;

  constructor(pattern: string) {
    this.source = { text: pattern, at: 0 };
  }

  translation(options: Options): string {
    const tree = this.alternatives(options);
    if (this.source.at < this.source.text.length) throw fail('a ) has no (');
    if (this.hasBack && this.capturesInLook)
      throw fail('a pattern with a group in a lookaround has no back references here');
    const text = toPostgres(tree, this.hasBack);
    if (text.length > MAX_TRANSLATED) throw fail('the pattern is too long with the characters of its sets');
    return text;
  }

  /** Alternatives up to the end of the group or of the pattern. An option in one of them holds in the next ones too. */
  private alternatives(outer: Options): Pattern {
    if (++this.depth > MAX_DEPTH) throw fail(`groups are nested at most ${MAX_DEPTH} deep`);
    let options = outer;
    const ways: Pattern[][] = [[]];
    for (;;) {
      if (options.has('x')) while (this.take(SPACE));
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
      } else if (!this.take(COMMENT)) ways.at(-1)!.push(...this.item(options));
    }
    this.depth--;
    return { kind: 'either', ways: ways.map(items => ({ kind: 'sequence', items })) };
  }

  /** `(?i)`: the options for the rest of the group; undefined when there is no such item. */
  private changedOptions(options: Options): Options | undefined {
    const start = this.source.at;
    const found = this.take(OPTIONS);
    if (found?.[3] === ')') return changed(options, found);
    this.source.at = start;
    return undefined;
  }

  /** One item with its quantifier; several for `\Q…\E`, of which the last has it. */
  private item(options: Options): Pattern[] {
    const quoted = this.quoted(options);
    if (quoted?.length === 0) return [];
    const items = quoted ?? [this.atom(options)];
    while (this.take(COMMENT) || (options.has('x') && this.take(SPACE)));
    const repeated = this.repeated(items.at(-1)!);
    return [...items.slice(0, -1), repeated];
  }

  private quoted(options: Options): Pattern[] | undefined {
    const { source } = this;
    if (source.text.startsWith('\\E', source.at)) {
      source.at += 2;
      return [];
    }
    if (!source.text.startsWith('\\Q', source.at)) return undefined;
    const end = source.text.indexOf('\\E', source.at + 2);
    const text = source.text.slice(source.at + 2, end < 0 ? undefined : end);
    source.at = end < 0 ? source.text.length : end + 2;
    return Array.from(text, each => literal(each.codePointAt(0)!, options));
  }

  private repeated(item: Pattern): Pattern {
    const found = this.take(QUANTIFIER);
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
    if (this.source.text[this.source.at] === '?') this.source.at++;
    else if (this.source.text[this.source.at] === '+') throw fail('possessive quantifiers are not possible');
    if (this.take(QUANTIFIER)) throw fail('a quantifier follows another quantifier');
    return { kind: 'repeat', item: grouped(item), min, max };
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
    const { source } = this;
    const back = this.reference(options);
    if (back) return back;
    const scoped = this.take(OPTIONS);
    if (scoped) return { kind: 'group', inside: this.inside(changed(options, scoped)), captures: false };
    const found = this.take(GROUP);
    if (!found) throw fail(`${source.text.slice(source.at, source.at + 4)} is not supported`);
    const [, kind, name] = found;
    if (kind === ':') return { kind: 'group', inside: this.inside(options), captures: false };
    if (kind !== undefined && name === undefined) return this.look(kind, options);
    const number = ++this.groups;
    if (name !== undefined) {
      if (this.names.has(name)) throw fail(`two groups have the name ${name}`);
      this.names.set(name, number);
    }
    if (this.looks > 0) this.capturesInLook = true;
    const inside = this.inside(options);
    this.closed.add(number);
    return { kind: 'group', inside, captures: true };
  }

  private look(kind: string, options: Options): Pattern {
    const behind = kind.startsWith('<');
    this.looks++;
    const inside = this.inside(options);
    this.looks--;
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
    const back = this.reference(options);
    if (back) return back;
    const letter = source.text[source.at + 1];
    if (letter === undefined) throw fail('the pattern ends with \\');
    const what = Object.hasOwn(ASSERTIONS, letter) ? ASSERTIONS[letter] : undefined;
    const set =
      letter === 'N' && source.text[source.at + 2] !== '{' ? complement(single(10)) : typeSet(letter);
    if (what === undefined && set === undefined) return literal(codePointEscape(source), options);
    source.at += 2;
    return what === undefined ? { kind: 'set', set: set!, negated: false } : { kind: 'assert', what };
  }

  private reference(options: Options): Pattern | undefined {
    const found = this.take(BACK);
    if (!found) return undefined;
    const [, digit, plain, braced, ...names] = found;
    const name = names.find(each => each !== undefined);
    const group = Number(digit ?? plain ?? braced ?? this.names.get(name ?? ''));
    if (!this.closed.has(group)) throw fail(`${found[0]} is no reference to a group that ends before it`);
    if (this.looks > 0) throw fail('a back reference in a lookaround is not supported');
    if (options.has('i')) throw fail('a back reference with the option i is not supported');
    this.hasBack = true;
    return { kind: 'back', group };
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.source.at;
    const found = pattern.exec(this.source.text);
    if (found === null) return undefined;
    this.source.at = pattern.lastIndex;
    return found;
  }
}

function changed(options: Options, [, on = '', off = '']: RegExpExecArray): Options {
  return new Set([...options, ...on].filter(letter => !off.includes(letter)));
}

function literal(codePoint: number, options: Options): Pattern {
  const set = single(codePoint);
  return { kind: 'set', set: options.has('i') ? withCases(set) : set, negated: false };
}

/** What a quantifier repeats must be one atom in the translation. */
function grouped(item: Pattern): Pattern {
  return item.kind === 'repeat' ? { kind: 'group', inside: item, captures: false } : item;
}

/** Characters that a pattern matches; undefined if there are several numbers. */
function lengthOf(pattern: Pattern): number | undefined {
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
