import { COLUMN_TYPES, type ColumnTypeName, nameFlaw } from '../../columns/index.js';
import { invalid } from '../../kernel/errors.js';
import { isTextOfTooMany, type JsonObject } from '../../kernel/json.js';
import { MAX_RECORD_BYTES, MAX_VALUES } from '../../kernel/limits.js';
import type { CollectionShape } from '../../storage/collection-shape.js';
import { type CsvFields, type CsvFlaw, CsvReader, recordTooLong } from './csv-reader.js';
import { columnValue, NotJson } from './csv-values.js';

/** A row of a file. Rows are numbered from 1 without the header of a CSV file. */
interface SentRow {
  readonly row: number;
  /** The text of the row as it is in the file, without its line end. Only set when the decoder was asked for it. */
  readonly line?: string;
}

/** A record of a file, or the problem of its row. */
export type Sent =
  | (SentRow & { readonly record: unknown })
  | (SentRow & { readonly column: string | null; readonly problem: string });

/** Reads records from text in pieces. */
export interface Decoder {
  /** Returns the records that this piece completes. Throws when the rest of the file cannot be read. */
  take(piece: string, isLast: boolean): Sent[];
}

/** Reads one JSON object per line and skips empty lines. */
export class NdjsonDecoder implements Decoder {
  private rest = '';
  private row = 0;

  /** `withLines`: each row comes with its text. */
  constructor(private readonly withLines = false) {}

  take(piece: string, isLast: boolean): Sent[] {
    const sent: Sent[] = [];
    let start = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
      this.line(this.rest + piece.slice(start, end), sent);
      this.rest = '';
      start = end + 1;
    }
    this.rest += piece.slice(start);
    if (this.rest.length > MAX_RECORD_BYTES) throw recordTooLong();
    if (isLast) this.line(this.rest, sent);
    return sent;
  }

  private line(line: string, sent: Sent[]): void {
    if (line.trim() === '') return;
    this.row += 1;
    const row = { row: this.row, ...(this.withLines && { line: line.replace(/\r$/, '') }) };
    if (isTextOfTooMany(line)) {
      sent.push({ ...row, column: null, problem: `more than ${MAX_VALUES} values` });
      return;
    }
    try {
      sent.push({ ...row, record: JSON.parse(line) });
    } catch (error) {
      const problem = `is not valid JSON: ${(error as Error).message.slice(0, 200)}`;
      sent.push({ ...row, column: null, problem });
    }
  }
}

const DELIMITERS = [',', ';', '\t'] as const;
/** Only a delimiter of a header without the others, because names contain it more often than they do those. */
const RARE_DELIMITER = '|';
/** A first line that names the delimiter, which Excel writes and reads. */
const SEP_LINE = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r)/i;
/** Its line end may be CR LF. */
const CUT_SEP_LINE = /^"?sep=[,;\t|]"?\r$/i;
const MAX_HEADER_LENGTH = 1024 * 1024;

/** The columns that headers belong to; null leaves a header out. Other headers keep their names. */
export type HeaderColumns = Readonly<Record<string, string | null>>;

/** A field of the header. `type` is undefined when the collection has no such column. */
interface Field {
  /** Undefined for a field that is left out. */
  readonly name: string | undefined;
  readonly type: ColumnTypeName | undefined;
}

/**
 * Reads CSV with a header. Fields get the types of their columns, and an empty field is null. Other fields are text,
 * and empty ones are absent.
 */
export class CsvDecoder implements Decoder {
  private head = '';
  private reader: CsvReader | undefined;
  private header: readonly Field[] | undefined;
  private row = 0;

  /**
   * `withLines`: each row comes with its text. `delimiter`: if the media type tells it. Throws 400 for a name in `columns` that is not a column, and for two
   * headers of one column.
   */
  constructor(
    private readonly shape: CollectionShape,
    private readonly columns: HeaderColumns = {},
    private readonly withLines = false,
    private readonly delimiter?: string,
  ) {
    refuseOtherColumns(shape, columns);
  }

  take(piece: string, isLast: boolean): Sent[] {
    if (this.reader !== undefined) return this.records(this.reader, piece, isLast);
    this.head += piece;
    if (!isLast && CUT_SEP_LINE.test(this.head)) return [];
    const [line = '', named] = SEP_LINE.exec(this.head) ?? [];
    const delimiter = named ?? this.delimiter ?? delimiterOf(this.head, isLast);
    if (delimiter === undefined) return [];
    this.reader = new CsvReader(delimiter);
    return this.records(this.reader, this.head.slice(line.length), isLast);
  }

  private records(reader: CsvReader, piece: string, isLast: boolean): Sent[] {
    const sent: Sent[] = [];
    for (const record of reader.read(piece, isLast)) {
      if (this.header === undefined) {
        this.header = this.headerOf(record);
        continue;
      }
      // Skips empty lines, unless the file has one column: then the field is empty.
      if (isEmptyLine(record) && this.header.length > 1) continue;
      this.row += 1;
      const decoded =
        'flaw' in record
          ? { row: this.row, column: null, problem: record.flaw }
          : sentRecord(this.header, this.row, record);
      sent.push(this.withLines ? { ...decoded, line: reader.lastText() } : decoded);
    }
    if (isLast && this.header === undefined)
      throw invalid('The file is empty. Its first line must name the fields.');
    return sent;
  }

  private headerOf(record: CsvFields | CsvFlaw): readonly Field[] {
    if ('flaw' in record) throw invalid(`The header (first line): ${record.flaw}.`);
    const { columns } = this.shape;
    const headers = new Set(record.map(field => field ?? ''));
    for (const header of Object.keys(this.columns))
      if (!headers.has(header)) throw invalid(`columns: the file has no header ${shown(header)}`);
    const seen = new Set<string>();
    return record.map((field, index) => {
      const header = field ?? '';
      const name = Object.hasOwn(this.columns, header) ? this.columns[header] : header;
      if (name === null || name === undefined) return { name: undefined, type: undefined };
      const flaw = nameFlaw(name) ?? (seen.has(name) ? 'this name appears twice' : undefined);
      if (flaw !== undefined) throw invalid(`The header, field ${index + 1} (${shown(header)}): ${flaw}.`);
      seen.add(name);
      return { name, type: Object.hasOwn(columns, name) ? columns[name]?.type : undefined };
    });
  }
}

function isEmptyLine(record: CsvFields | CsvFlaw): boolean {
  return !('flaw' in record) && record.length === 1 && record[0] === null;
}

function refuseOtherColumns({ columns }: CollectionShape, wanted: HeaderColumns): void {
  const headers = new Map<string, string>();
  for (const [header, name] of Object.entries(wanted)) {
    if (name === null) continue;
    if (!Object.hasOwn(columns, name)) throw invalid(`columns: the collection has no column ${shown(name)}`);
    const other = headers.get(name);
    if (other !== undefined)
      throw invalid(`columns: ${shown(other)} and ${shown(header)} both belong to the column ${shown(name)}`);
    headers.set(name, header);
  }
}

/** A name in a message. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 60).toWellFormed());
}

function sentRecord(header: readonly Field[], row: number, fields: CsvFields): Sent {
  if (fields.length !== header.length) {
    const problem = `has ${fields.length} fields, the header has ${header.length}`;
    return { row, column: null, problem };
  }
  const record: JsonObject = {};
  for (let index = 0; index < header.length; index++) {
    const { name, type } = header[index] as Field;
    if (name === undefined) continue;
    const text = fields[index] as string | null;
    if (type === undefined) {
      if (text !== null) record[name] = text;
      continue;
    }
    try {
      record[name] = columnValue(type, text);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      return { row, column: name, problem: `expects ${COLUMN_TYPES[type].expects}, as JSON text` };
    }
  }
  return { row, record };
}

/** The most frequent delimiter in the first line; undefined while the line is incomplete. */
function delimiterOf(head: string, isLast: boolean): string | undefined {
  const unquoted = head.replace(/"[^"]*"?/g, '');
  const end = unquoted.search(/[\r\n]/);
  if (end < 0 && !isLast) {
    if (head.length > MAX_HEADER_LENGTH) throw invalid('The header (first line) is longer than 1 MiB.');
    return undefined;
  }
  const line = end < 0 ? unquoted : unquoted.slice(0, end);
  const counts = DELIMITERS.map(delimiter => line.split(delimiter).length);
  const most = Math.max(...counts);
  return most === 1 && line.includes(RARE_DELIMITER) ? RARE_DELIMITER : DELIMITERS[counts.indexOf(most)];
}
