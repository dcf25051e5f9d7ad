/** A stretch of the text, in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is wrong with a JSON text. The texts are `find.json_<kind>`. */
interface JsonProblem extends Span {
  readonly kind: 'syntax' | 'string' | 'number' | 'end' | 'duplicate' | 'unsafe' | 'deep';
}

export interface ParsedJson {
  /** Undefined if the text is not JSON. */
  readonly value: unknown;
  readonly problems: readonly JsonProblem[];
  /** Where the key (else the value) with this path stands: `["or", 0, "year"]` as JSON text. */
  readonly spans: ReadonlyMap<string, Span>;
}

type Path = readonly (string | number)[];

const MAX_LEVELS = 200;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;

/**
 * Reads JSON as `JSON.parse` does, with the places of everything. It also finds what `JSON.parse` would change silently:
 * a member that is there twice, and a number that loses digits.
 */
export function parseJson(text: string): ParsedJson {
  const reader = new Reader(text);
  try {
    const value = reader.document();
    return { value, problems: reader.problems, spans: reader.spans };
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { value: undefined, problems: [...reader.problems, error.problem], spans: reader.spans };
  }
}

class Flaw extends Error {
  constructor(readonly problem: JsonProblem) {
    super(problem.kind);
  }
}

class Reader {
  readonly problems: JsonProblem[] = [];
  readonly spans = new Map<string, Span>();
  private at = 0;

  constructor(private readonly text: string) {}

  document(): unknown {
    const value = this.value([]);
    this.space();
    if (this.at < this.text.length) throw this.flaw('syntax', this.text.length);
    return value;
  }

  private value(path: Path): unknown {
    this.space();
    const from = this.at;
    const value = this.anyValue(path);
    const key = JSON.stringify(path);
    if (!this.spans.has(key)) this.spans.set(key, { from, to: this.at });
    return value;
  }

  private anyValue(path: Path): unknown {
    if (path.length > MAX_LEVELS) throw this.flaw('deep');
    const first = this.text[this.at];
    if (first === undefined) throw this.flaw('end');
    if (first === '{') return this.object(path);
    if (first === '[') return this.array(path);
    if (first === '"') return this.string();
    if (first === '-' || (first >= '0' && first <= '9')) return this.number();
    const word = this.match(WORD);
    if (word === undefined) throw this.flaw('syntax');
    return JSON.parse(word);
  }

  private object(path: Path): unknown {
    const members: [string, unknown][] = [];
    const names = new Set<string>();
    this.list('}', () => {
      const from = this.at;
      if (this.text[from] !== '"') throw this.flaw(this.at < this.text.length ? 'syntax' : 'end');
      const name = this.string();
      const span = { from, to: this.at };
      if (names.has(name)) this.problems.push({ kind: 'duplicate', ...span });
      names.add(name);
      this.spans.set(JSON.stringify([...path, name]), span);
      this.expect(':');
      members.push([name, this.value([...path, name])]);
    });
    return Object.fromEntries(members);
  }

  private array(path: Path): unknown {
    const items: unknown[] = [];
    this.list(']', () => items.push(this.value([...path, items.length])));
    return items;
  }

  /** Entries between brackets, with commas between them. */
  private list(end: string, entry: () => void): void {
    this.at += 1;
    this.space();
    if (this.text[this.at] === end) {
      this.at += 1;
      return;
    }
    for (;;) {
      this.space();
      entry();
      this.space();
      const next = this.text[this.at];
      if (next !== ',' && next !== end) throw this.flaw(next === undefined ? 'end' : 'syntax');
      this.at += 1;
      if (next === end) return;
    }
  }

  private expect(sign: string): void {
    this.space();
    if (this.text[this.at] !== sign) throw this.flaw(this.at < this.text.length ? 'syntax' : 'end');
    this.at += 1;
  }

  private string(): string {
    const from = this.at;
    const text = this.match(STRING);
    if (text !== undefined) return JSON.parse(text);
    const line = this.text.indexOf('\n', from);
    throw new Flaw({ kind: 'string', from, to: line < 0 ? this.text.length : line });
  }

  private number(): number {
    const from = this.at;
    const text = this.match(NUMBER);
    if (text === undefined) throw this.flaw('number');
    const number = Number(text);
    const isExact = /^-?\d+$/.test(text) ? Number.isSafeInteger(number) : Number.isFinite(number);
    if (!isExact) this.problems.push({ kind: 'unsafe', from, to: this.at });
    return number;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private space(): void {
    while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at += 1;
  }

  private flaw(kind: JsonProblem['kind'], to = this.at + 1): Flaw {
    const from = Math.min(this.at, Math.max(0, this.text.length - 1));
    return new Flaw({ kind, from, to: Math.max(from, Math.min(to, this.text.length)) });
  }
}
