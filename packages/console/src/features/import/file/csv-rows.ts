/** The fields of a row as text. An empty field without quotes is null. */
export type CsvFields = readonly (string | null)[];

export interface CsvRow {
  readonly fields: CsvFields;
  /** Set for a row that breaks the rules of quoting: its text as it is in the file. */
  readonly broken?: string;
}

/** A quote that is never closed would otherwise hold the rest of the file. */
const MAX_ROW = 16 * 1024 * 1024;

/**
 * Reads the rows of CSV from text in pieces. More lenient than the service: a quote inside of a field without quotes is a
 * character like others. Empty lines are left out.
 */
export class CsvRows {
  private held = '';
  /** An incomplete row is scanned again when the text has doubled, so that the cost of long rows stays linear. */
  private enough = 0;
  private readonly plainEnd: RegExp;

  /** `before`: lines at the beginning that do not belong to the rows. */
  constructor(
    private readonly delimiter: string,
    private before = 0,
  ) {
    this.plainEnd = new RegExp(`[${delimiter}\r\n]`, 'g');
  }

  /** The rows that this piece completes. */
  read(piece: string, isLast: boolean): CsvRow[] {
    this.held += piece;
    if (!this.isAtRows(isLast)) return [];
    if (this.held.length < this.enough && !isLast) return [];
    const rows: CsvRow[] = [];
    let at = 0;
    while (at < this.held.length) {
      const scanned = this.row(at, isLast || this.held.length - at > MAX_ROW);
      if (scanned === undefined) break;
      at = scanned.next;
      if (!isEmptyLine(scanned.row)) rows.push(scanned.row);
    }
    this.held = this.held.slice(at);
    this.enough = this.held.length * 2;
    return rows;
  }

  /** Leaves out the lines before the rows. False while they are incomplete. */
  private isAtRows(isLast: boolean): boolean {
    while (this.before > 0) {
      // The second character of a line end may still come.
      const end = /\r\n|\n|\r(?!$)/.exec(this.held);
      if (end === null && !isLast) return false;
      this.held = end === null ? '' : this.held.slice(end.index + end[0].length);
      this.before -= 1;
    }
    return true;
  }

  /** The row that begins at `start`; undefined if more text is needed. */
  private row(start: number, isEnd: boolean): { readonly row: CsvRow; readonly next: number } | undefined {
    const text = this.held;
    const fields: (string | null)[] = [];
    for (let at = start; ; at += 1) {
      const isQuoted = text[at] === '"';
      const end = isQuoted ? endOfQuoted(text, at) : this.endOfPlain(at);
      // The last character may be the first one of two quotes, or of a line end of two characters.
      if (end === undefined || (end >= text.length - 1 && !isEnd)) {
        return isEnd ? this.broken(start, fields) : undefined;
      }
      fields.push(isQuoted ? unquoted(text, at, end) : end === at ? null : text.slice(at, end));
      if (text[end] === this.delimiter) {
        at = end;
        continue;
      }
      if (end === text.length) return { row: { fields }, next: end };
      const lineEnd = lineEndLength(text, end);
      if (lineEnd > 0) return { row: { fields }, next: end + lineEnd };
      return isEnd || text.indexOf('\n', end) >= 0 ? this.broken(start, fields) : undefined;
    }
  }

  /** Goes on with the next line after a broken row. */
  private broken(start: number, fields: CsvFields): { readonly row: CsvRow; readonly next: number } {
    const lineEnd = this.held.indexOf('\n', start);
    const next = lineEnd < 0 ? this.held.length : lineEnd + 1;
    return { row: { fields, broken: this.held.slice(start, next).replace(/\r?\n$/, '') }, next };
  }

  private endOfPlain(at: number): number {
    this.plainEnd.lastIndex = at;
    return this.plainEnd.test(this.held) ? this.plainEnd.lastIndex - 1 : this.held.length;
  }
}

/** The position after the closing quote; undefined if it is not there. */
function endOfQuoted(text: string, opening: number): number | undefined {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at + 1;
  }
  return undefined;
}

function unquoted(text: string, opening: number, end: number): string {
  const inner = text.slice(opening + 1, end - 1);
  return inner.includes('"') ? inner.replaceAll('""', '"') : inner;
}

function lineEndLength(text: string, at: number): number {
  if (text[at] === '\n') return 1;
  if (text[at] !== '\r') return 0;
  return text[at + 1] === '\n' ? 2 : 1;
}

function isEmptyLine({ fields, broken }: CsvRow): boolean {
  return broken === undefined && fields.length === 1 && fields[0] === null;
}

const NEEDS_QUOTES = /[",;\t\r\n]|^$|^\s|\s$/;

/** A row as the service reads it, with its line end. */
export function csvLine(fields: CsvFields): string {
  const texts = fields.map(field =>
    field === null ? '' : NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
  );
  // Without fields that have a value, the row of one field would be an empty line.
  return `${texts.length === 1 && texts[0] === '' ? '""' : texts.join(',')}\n`;
}
