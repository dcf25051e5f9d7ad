import { invalid } from '../../../base/kernel/errors.js';
import type { JsonObject } from '../../../base/kernel/json.js';
import { COLUMN_TYPES, type ColumnTypeName, nameFlaw } from '../../../engine/columns/index.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import { areTable, CUT_SEP_LINE, delimiterOf, SEP_LINE, withoutLines } from './csv-delimiter.js';
import { type CsvFields, type CsvFlaw, CsvReader } from './csv-reader.js';
import { columnValue, localValue, NotJson } from './csv-values.js';
import type { FieldNotes, UntypedField } from './field-notes.js';
import type { LocalValues } from './local-values.js';
import type { Decoder, Sent, SentColumns } from './record-decoders.js';
import { isRounded } from './rounded-numbers.js';

/** How a CSV file is read. */
export interface CsvOptions {
  readonly columns?: SentColumns | undefined;
  /** True: `columns` may name fields that are not columns. */
  readonly allowUnknown?: boolean | undefined;
  /** How many lines come before the header; undefined: none that are known. */
  readonly skipLines?: number | undefined;
  /** Each row comes with its text. */
  readonly withLines?: boolean | undefined;
  /** If the caller or the media type tells it. */
  readonly delimiter?: string | undefined;
  /** True: the delimiter is that of the caller, whatever a first line such as `sep=;` says. */
  readonly isDelimiterSure?: boolean | undefined;
  /** How numbers and dates are written, if not as the service does. */
  readonly local?: LocalValues | undefined;
  /** Gets the texts of fields without a column. */
  readonly notes?: FieldNotes | undefined;
}

/** A field of the header. `type` is undefined when the collection has no such column. */
interface Field {
  /** Undefined for a field that is left out. */
  readonly name: string | undefined;
  readonly type: ColumnTypeName | undefined;
  readonly untyped?: UntypedField | undefined;
}

/**
 * Reads CSV with a header. Fields get the types of their columns, and an empty field is null. Other fields are text,
 * and empty ones are absent.
 */
export class CsvDecoder implements Decoder {
  private head = '';
  private reader: CsvReader | undefined;
  private header: readonly Field[] | undefined;
  /** The fields of the header as they are in the file. */
  private titles: CsvFields = [];
  private row = 0;
  /** The first two lines below the header that are not empty. */
  private readonly begin: CsvFields[] = [];
  private readonly columns: SentColumns;

  /** Throws 400 for a name in `columns` that is not a column, and for two headers of one column. */
  constructor(
    private readonly shape: CollectionShape,
    private readonly options: CsvOptions = {},
  ) {
    this.columns = options.columns ?? {};
    refuseOtherColumns(shape, this.columns, options.allowUnknown ?? false);
  }

  take(piece: string, isLast: boolean): Sent[] {
    if (this.reader !== undefined) return this.records(this.reader, piece, isLast);
    this.head += piece;
    const rest = withoutLines(this.head, this.options.skipLines ?? 0, isLast);
    if (rest === undefined || (!isLast && CUT_SEP_LINE.test(rest))) return [];
    const [line = '', named] = SEP_LINE.exec(rest) ?? [];
    const { delimiter: given, isDelimiterSure } = this.options;
    const delimiter = (isDelimiterSure ? given : (named ?? given)) ?? delimiterOf(rest, isLast);
    if (delimiter === undefined) return [];
    this.reader = new CsvReader(delimiter);
    this.head = '';
    return this.records(this.reader, rest.slice(line.length), isLast);
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
          : this.sentRecord(this.header, record);
      sent.push(this.options.withLines ? { ...decoded, line: reader.lastText() } : decoded);
    }
    if (isLast && this.header === undefined)
      throw invalid('The file is empty. Its first line must name the fields.');
    return sent;
  }

  private headerOf(record: CsvFields | CsvFlaw): readonly Field[] {
    if ('flaw' in record) throw invalid(`The header: ${record.flaw}. ${BEFORE_HEADER}`);
    const { columns } = this.shape;
    this.titles = record;
    const headers = distinct(record);
    const known = new Set(headers);
    for (const header of Object.keys(this.columns))
      if (!known.has(header)) throw invalid(`columns: the file has no header ${shown(header)}`);
    const seen = new Set<string>();
    return headers.map((header, index) => {
      if (header !== (record[index] ?? '') && !Object.hasOwn(this.columns, header))
        throw repeated(header, index);
      const name = Object.hasOwn(this.columns, header) ? this.columns[header] : header;
      if (name === null || name === undefined) return { name: undefined, type: undefined };
      const flaw = nameFlaw(name) ?? (seen.has(name) ? 'this name appears twice' : undefined);
      if (flaw !== undefined) throw headerRefusal(header, index, flaw);
      seen.add(name);
      if (Object.hasOwn(columns, name)) return { name, type: columns[name]?.type };
      return { name, type: undefined, untyped: this.options.notes?.untypedField(name) };
    });
  }

  private sentRecord(header: readonly Field[], fields: CsvFields): Sent {
    const { row } = this;
    const flaw = this.flawOf(header, fields);
    return flaw === undefined
      ? recordOf(header, row, fields, this.options.local)
      : { row, column: null, problem: flaw };
  }

  /** Throws 400 if the header has one field and the lines below it look like a table, as those below a title do. */
  private requireHeader(): void {
    const [first, second] = this.begin;
    if (first!.length === 1 && !(second && areTable(first![0] ?? '', second[0] ?? ''))) return;
    throw invalid(
      `The header has 1 field, and the lines below it look like more. ${BEFORE_HEADER} If there are none, send skip_lines=0.`,
    );
  }

  private flawOf(header: readonly Field[], fields: CsvFields): string | undefined {
    const { length } = header;
    if (this.begin.length < 2 && !isEmptyLine(fields)) {
      this.begin.push(fields);
      if (length === 1 && header[0]?.type === undefined && this.options.skipLines === undefined)
        this.requireHeader();
    }
    if (fields.length !== length) return `has ${fields.length} fields, the header has ${length}`;
    const isHeader = length > 1 && fields.every((field, at) => field === this.titles[at]);
    return isHeader ? 'repeats the header: remove the line, or leave it out with on_error=skip' : undefined;
  }
}

const BEFORE_HEADER =
  'If other lines come before the header, for example a title, send their number as skip_lines.';

/** The headers, where a repeated one has its number: `price`, `price (2)`. */
function distinct(fields: CsvFields): string[] {
  const times = new Map<string, number>();
  return fields.map(field => {
    const header = field ?? '';
    const nth = (times.get(header) ?? 0) + 1;
    times.set(header, nth);
    return nth === 1 ? header : `${header} (${nth})`;
  });
}

function headerRefusal(header: string, index: number, flaw: string): Error {
  return invalid(
    `The header, field ${index + 1} (${shown(header)}): ${flaw}. Give it another name with columns. ${BEFORE_HEADER}`,
  );
}

function repeated(header: string, index: number): Error {
  return invalid(
    `The header, field ${index + 1}: this name appears twice. In columns, it is ${shown(header)}: give it a column, or null to leave it out.`,
  );
}

function isEmptyLine(record: CsvFields | CsvFlaw): boolean {
  return !('flaw' in record) && record.length === 1 && record[0] === null;
}

/** Throws 400 for a name in `columns` that is not a column, and for two fields of one column. */
export function refuseOtherColumns(
  { columns }: CollectionShape,
  wanted: SentColumns,
  allowUnknown: boolean,
): void {
  const headers = new Map<string, string>();
  for (const [header, name] of Object.entries(wanted)) {
    if (name === null) continue;
    if (!allowUnknown && !Object.hasOwn(columns, name))
      throw invalid(
        `columns: the collection has no column ${shown(name)}. Send allow_unknown=true to import into a field without a column.`,
      );
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

function recordOf(header: readonly Field[], row: number, fields: CsvFields, local?: LocalValues): Sent {
  const record: JsonObject = {};
  const rounded: string[] = [];
  for (let index = 0; index < header.length; index++) {
    const { name, type, untyped } = header[index] as Field;
    if (name === undefined) continue;
    const text = fields[index] as string | null;
    if (type === undefined) {
      if (text === null) continue;
      record[name] = text;
      untyped?.note(text);
      continue;
    }
    try {
      const value = local === undefined ? columnValue(type, text) : localValue(type, text, local);
      record[name] = value;
      if (text !== null && typeof value !== 'string' && isRounded(digitsOf(text, local), value))
        rounded.push(name);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      return { row, column: name, problem: `expects ${COLUMN_TYPES[type].expects}, as JSON text` };
    }
  }
  return { row, record, ...(rounded.length > 0 && { rounded }) };
}

/** A text without the signs between groups of digits. */
function digitsOf(text: string, local: LocalValues | undefined): string {
  return local?.text('double', text.trim()) ?? text;
}
