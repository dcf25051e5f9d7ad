/**
 * The first character of a cell that makes spreadsheets run the cell as a formula: = + - @ tab and line ends, also in the
 * full width of East Asian keyboards.
 */
const DANGEROUS = new Set(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
/** A negative number is a number for spreadsheets too. */
const NEGATIVE = /^-\d+(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Puts an apostrophe before every cell of a CSV file that a spreadsheet would run as a formula. Takes the file in pieces,
 * cut anywhere, and counts the lines.
 */
export class SafeCsv {
  /** Complete lines so far, with the header. Line breaks in quotes do not count. */
  lines = 0;
  private place: 'start' | 'plain' | 'quoted' = 'start';
  /** The end of the last piece, which must be seen together with the next one. */
  private held = '';

  push(piece: string): string {
    return this.read(this.held + piece, false);
  }

  end(): string {
    return this.read(this.held, true);
  }

  private read(text: string, isEnd: boolean): string {
    this.held = '';
    let written = '';
    let copied = 0;
    let at = 0;
    while (at < text.length) {
      if (this.place === 'plain') {
        at = this.skipPlain(text, at);
        continue;
      }
      const next = this.place === 'quoted' ? this.skipQuoted(text, at, isEnd) : this.begin(text, at, isEnd);
      if (next === undefined) {
        this.held = text.slice(at);
        return written + text.slice(copied, at);
      }
      if (next.guard) {
        written += `${text.slice(copied, next.at)}'`;
        copied = next.at;
      }
      at = next.at;
    }
    return written + text.slice(copied);
  }

  /** The beginning of a cell; undefined if more text is needed to judge it. */
  private begin(text: string, from: number, isEnd: boolean): { at: number; guard: boolean } | undefined {
    const isQuoted = text[from] === '"';
    const at = isQuoted ? from + 1 : from;
    if (at >= text.length) return isEnd ? { at, guard: false } : undefined;
    const first = text[at] as string;
    const guard = DANGEROUS.has(first) && (isQuoted || (first !== '\r' && first !== '\n'));
    // Numbers are written without quotes.
    if (first === '-' && !isQuoted) {
      const end = endOfPlain(text, at);
      if (end >= text.length && !isEnd) return undefined;
      this.place = 'plain';
      return { at, guard: !NEGATIVE.test(text.slice(at, end)) };
    }
    this.place = isQuoted ? 'quoted' : 'plain';
    return { at, guard };
  }

  private skipPlain(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const sign = text[at];
      if (sign !== ',' && sign !== '\n') continue;
      this.place = 'start';
      if (sign === '\n') this.lines += 1;
      return at + 1;
    }
    return text.length;
  }

  /** To the quote that ends the cell. Two quotes are one in the text. */
  private skipQuoted(text: string, from: number, isEnd: boolean): { at: number; guard: false } | undefined {
    let at = text.indexOf('"', from);
    while (at >= 0) {
      if (at + 1 >= text.length && !isEnd) return at > from ? { at, guard: false } : undefined;
      if (text[at + 1] !== '"') {
        this.place = 'plain';
        return { at: at + 1, guard: false };
      }
      at = text.indexOf('"', at + 2);
    }
    return { at: text.length, guard: false };
  }
}

function endOfPlain(text: string, from: number): number {
  const end = text.slice(from).search(/[,\r\n]/);
  return end < 0 ? text.length : from + end;
}
