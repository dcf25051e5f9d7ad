import { type LocalStyle, styleOf } from '../../../values/local-values.js';
import { type CsvFields, CsvRows } from './csv-rows.js';
import { type Encoding, encodingOf, isNotText } from './encoding.js';
import { JsonElements, JsonLines } from './json-rows.js';
import { type Delimiter, firstLines, tableOf } from './table.js';

/** Bytes that are looked at to recognize a file. */
const HEAD_BYTES = 256 * 1024;
/** Rows of the head that are shown and looked at. */
const MAX_SAMPLES = 200;

type Format = 'csv' | 'ndjson' | 'json';

/** How a file is read. All of it is recognized, and can be changed. */
export interface Reading extends LocalStyle {
  readonly encoding: Encoding;
  readonly format: Format;
  /** The character between two fields, for CSV. */
  readonly delimiter: Delimiter;
  /** The line with the names of the fields, from 1, for CSV. Lines before it are left out. 0: the file has no names. */
  readonly headerLine: number;
}

/** The beginning of a file. */
export interface Head {
  readonly bytes: Uint8Array;
  /** The file is not longer. */
  readonly isWhole: boolean;
}

/** The fields of a file, and its first rows by field: texts of CSV, values of JSON. */
export interface Samples {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** The samples are all rows of the file. */
  readonly isAll: boolean;
}

export async function headOf(file: Blob): Promise<Head> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  return { bytes, isWhole: bytes.length === file.size };
}

/** Why a file cannot be imported; undefined if it can. */
export function problemOf({ bytes }: Head): 'empty' | 'notText' | undefined {
  if (bytes.length === 0) return 'empty';
  return isNotText(bytes) ? 'notText' : undefined;
}

/** Recognizes how a file is read. `ambiguous`: the order of dates that could be either. */
export function recognized(head: Head, ambiguous: 'dmy' | 'mdy'): Reading {
  const encoding = encodingOf(head.bytes, head.isWhole);
  const text = textOf(head, encoding);
  const format = formatOf(text);
  const { delimiter, line, isBelow } = tableOf(text);
  const guess = { encoding, format, delimiter, headerLine: line, decimal: '.', dates: 'iso' } as const;
  if (format !== 'csv') return guess;
  const [first = []] = csvRows(text, head.isWhole, guess);
  // Below a title the names may be years.
  const reading = { ...guess, headerLine: isBelow || looksLikeHeader(first) ? line : 0 };
  const { rows } = samplesOf(head, reading);
  const texts = rows.flat().filter(value => typeof value === 'string');
  return { ...reading, ...styleOf(texts, ambiguous) };
}

/** The fields and the first rows of a file that is read like this. */
export function samplesOf(head: Head, reading: Reading): Samples {
  const text = textOf(head, reading.encoding);
  return reading.format === 'csv'
    ? csvSamples(text, head.isWhole, reading)
    : jsonSamples(text, head.isWhole, reading.format);
}

/** The first lines of a CSV file as they are. */
export function linesOf(head: Head, { encoding }: Reading): readonly string[] {
  return firstLines(textOf(head, encoding));
}

function csvSamples(text: string, isWhole: boolean, reading: Reading): Samples {
  const all = csvRows(text, isWhole, reading);
  const [first = []] = all;
  const hasHeader = reading.headerLine > 0;
  const names = hasHeader ? headerNames(first) : numberedNames(first.length);
  const rows = hasHeader ? all.slice(1) : all;
  return {
    names,
    rows: rows.slice(0, MAX_SAMPLES).map(fields => names.map((_, index) => fields[index] ?? null)),
    isAll: isWhole && rows.length <= MAX_SAMPLES,
  };
}

function csvRows(text: string, isWhole: boolean, reading: Reading): readonly CsvFields[] {
  const rows = new CsvRows(reading.delimiter, linesBefore(reading)).read(text, isWhole);
  return rows.filter(({ broken }) => broken === undefined).map(({ fields }) => fields);
}

/** How many lines come before the rows. */
export function linesBefore({ headerLine }: Reading): number {
  return Math.max(0, headerLine - 1);
}

/** The names of a header. The second `price` is `price (2)`, as in an import. Fields without a name get their number. */
export function headerNames(fields: readonly (string | null)[]): readonly string[] {
  const seen = new Set<string>();
  return fields.map((field, index) => {
    const wanted = field?.trim() || `field_${index + 1}`;
    let name = wanted;
    for (let number = 2; seen.has(name); number++) name = `${wanted} (${number})`;
    seen.add(name);
    return name;
  });
}

function numberedNames(count: number): readonly string[] {
  return headerNames(Array.from({ length: count }, () => null));
}

function jsonSamples(text: string, isWhole: boolean, format: Format): Samples {
  const reader = format === 'ndjson' ? new JsonLines() : new JsonElements();
  const found = reader.read(text, isWhole);
  const records = found
    .slice(0, MAX_SAMPLES)
    .map(recordOf)
    .filter(record => record !== undefined);
  const names = [...new Set(records.flatMap(record => Object.keys(record)))];
  return {
    names,
    rows: records.map(record => names.map(name => record[name])),
    isAll: isWhole && found.length <= MAX_SAMPLES,
  };
}

/** The record of a JSON text; undefined if it is none. */
export function recordOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function textOf({ bytes, isWhole }: Head, encoding: Encoding): string {
  return new TextDecoder(encoding).decode(bytes, { stream: !isWhole });
}

function formatOf(text: string): Format {
  const start = text.trimStart();
  if (start.startsWith('[')) return 'json';
  if (!start.startsWith('{')) return 'csv';
  return recordOf(start.split('\n', 1)[0] as string) === undefined ? 'json' : 'ndjson';
}

const NUMBER_OR_DATE = /^[+-]?\d[\d.,/: -]*$/;

/** A row with a number or a date is a row like others. */
function looksLikeHeader(fields: CsvFields): boolean {
  return !fields.some(field => NUMBER_OR_DATE.test((field ?? '').trim()));
}
