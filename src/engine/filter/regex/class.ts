import { type CodePoints, complement, posixSet, single, typeSet, union, withCases } from './code-points.js';
import { codePointEscape, fail, type Source } from './source.js';

interface ClassSet {
  readonly set: CodePoints;
  readonly negated: boolean;
}

const POSIX = /\[:(\^?)(\w*):\]/y;
/** What PCRE2 takes for the POSIX syntax, which it refuses except for `[:name:]` inside brackets. */
const POSIX_SYNTAX = /\[([.=:])(?:\\[\]\\]|(?!\[\1)[^\]])*?\1\]/sy;

/** Reads a bracket expression such as `[^a-z\d]`, from its `[` to its `]`. */
export class ClassReader {
  private isQuoted = false;

  constructor(
    private readonly source: Source,
    private readonly ignoresCase: boolean,
  ) {}

  read(): ClassSet {
    const { source } = this;
    this.refusePosixSyntax();
    source.at++;
    const negated = source.text[source.at] === '^';
    if (negated) source.at++;
    const parts: CodePoints[] = [];
    for (let isFirst = true; ; isFirst = false) {
      this.skipQuotes();
      if (source.at >= source.text.length) throw fail('a [ has no ]');
      if (source.text[source.at] === ']' && !isFirst && !this.isQuoted) break;
      parts.push(this.part());
    }
    source.at++;
    return { set: union(...parts), negated };
  }

  /** A character, a range, or a named set. */
  private part(): CodePoints {
    const named = this.isQuoted ? undefined : (this.posix() ?? this.type());
    if (named !== undefined) {
      if (this.isRange()) throw fail('a range begins with a set of characters');
      return named;
    }
    const first = this.character();
    if (!this.isRange()) return this.cased(single(first));
    this.source.at++;
    this.skipQuotes();
    if (!this.isQuoted && (this.posix() ?? this.type()) !== undefined)
      throw fail('a range ends with a set of characters');
    const last = this.character();
    if (last < first) throw fail('a range is out of order');
    return this.cased([[first, last]]);
  }

  /** Case matters for characters and ranges, not for the named sets. */
  private cased(set: CodePoints): CodePoints {
    return this.ignoresCase ? withCases(set) : set;
  }

  /** True for a `-` that is followed by the end of a range. */
  private isRange(): boolean {
    this.skipQuotes();
    const { text, at } = this.source;
    if (this.isQuoted || text[at] !== '-') return false;
    return !/^(?:\\E|\\Q\\E)*\]/.test(text.slice(at + 1));
  }

  private skipQuotes(): void {
    const { source } = this;
    for (;;) {
      if (source.text.startsWith('\\E', source.at)) this.isQuoted = false;
      else if (!this.isQuoted && source.text.startsWith('\\Q', source.at)) this.isQuoted = true;
      else return;
      source.at += 2;
    }
  }

  private posix(): CodePoints | undefined {
    const { source } = this;
    POSIX.lastIndex = source.at;
    const found = POSIX.exec(source.text);
    if (found === null) {
      this.refusePosixSyntax();
      return undefined;
    }
    const isCase = this.ignoresCase && /^(?:upper|lower)$/.test(found[2]!);
    const set = posixSet(isCase ? 'alpha' : found[2]!);
    if (set === undefined) throw fail(`${found[0]} is not a POSIX class`);
    source.at += found[0].length;
    return found[1] === '^' ? complement(set) : set;
  }

  private refusePosixSyntax(): void {
    POSIX_SYNTAX.lastIndex = this.source.at;
    if (POSIX_SYNTAX.test(this.source.text))
      throw fail('a POSIX class stands inside brackets, and collating elements are not supported');
  }

  private type(): CodePoints | undefined {
    const { source } = this;
    if (source.text[source.at] !== '\\') return undefined;
    const set = typeSet(source.text[source.at + 1] ?? '');
    if (set !== undefined) source.at += 2;
    return set;
  }

  private character(): number {
    const { source } = this;
    const char = source.text.codePointAt(source.at);
    if (char === undefined) throw fail('a [ has no ]');
    if (this.isQuoted || char !== 0x5c) {
      source.at += char > 0xffff ? 2 : 1;
      return char;
    }
    if (source.text[source.at + 1] === 'b') {
      source.at += 2;
      return 8;
    }
    const octal = /^\\([0-7]{1,3})/.exec(source.text.slice(source.at, source.at + 4));
    if (octal !== null) {
      source.at += octal[0].length;
      return parseInt(octal[1]!, 8);
    }
    return codePointEscape(source);
  }
}
