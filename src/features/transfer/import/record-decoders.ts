import { isJsonObject, isTextOfTooMany, type JsonObject, type JsonValue } from '../../../base/kernel/json.js';
import { MAX_RECORD_BYTES, MAX_VALUES } from '../../../base/kernel/limits.js';
import { recordTooLong } from './csv-reader.js';
import { roundedFields } from './rounded-numbers.js';

/** A row of a file. Rows are numbered from 1 without the header of a CSV file. */
interface SentRow {
  readonly row: number;
  /** The text of the row as it is in the file, without its line end. Only set when the decoder was asked for it. */
  readonly line?: string;
}

/** A record of a file, or the problem of its row. */
export type Sent =
  | (SentRow & {
      readonly record: unknown;
      /** Fields whose whole numbers lost digits. */
      readonly rounded?: readonly string[];
    })
  | (SentRow & { readonly column: string | null; readonly problem: string });

/** The columns that headers or fields belong to; null leaves one out. Others keep their names. */
export type SentColumns = Readonly<Record<string, string | null>>;

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
  constructor(
    private readonly withLines = false,
    private readonly columns?: SentColumns,
  ) {}

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
    sent.push(sentJson(line, row, this.columns));
  }
}

/** The record of a JSON text, with its fields under the names that `columns` gives them. */
export function sentJson(text: string, row: SentRow, columns?: SentColumns): Sent {
  if (isTextOfTooMany(text)) return { ...row, column: null, problem: `more than ${MAX_VALUES} values` };
  try {
    const record = JSON.parse(text);
    const rounded = roundedFields(text, record);
    const sent = { ...row, record, ...(rounded.length > 0 && { rounded }) };
    return columns !== undefined && isJsonObject(record) ? renamed(sent, record, columns) : sent;
  } catch (error) {
    const problem = `is not valid JSON: ${(error as Error).message.slice(0, 200)}`;
    return { ...row, column: null, problem };
  }
}

function renamed(
  { rounded = [], ...sent }: SentRow & { readonly rounded?: readonly string[] },
  record: JsonObject,
  columns: SentColumns,
): Sent {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const field of Object.keys(record)) {
    const name = Object.hasOwn(columns, field) ? columns[field] : field;
    if (name === null || name === undefined) continue;
    if (taken.has(name)) return { ...sent, column: name, problem: 'two fields of the record have this name' };
    taken.add(name);
    names.set(field, name);
  }
  const fields = [...names].map(([field, name]) => [name, record[field] as JsonValue] as const);
  const named = rounded.flatMap(field => names.get(field) ?? []);
  return { ...sent, record: Object.fromEntries(fields), ...(named.length > 0 && { rounded: named }) };
}
