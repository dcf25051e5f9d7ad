import { type LocalStyle, styleOf } from '../../../values/local-values.js';
import { type CsvFields, csvRows } from './csv-rows.js';
import { type Encoding, encodingOf, isNotText } from './encoding.js';
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
  /** The names as the service knows them. */
  readonly headers: readonly string[];
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
  const guess = { encoding, format, delimiter, headerLine: line, decimal: '.', dates: 'ymd' } as const;
  if (format !== 'csv') return guess;
  const [first = []] = rowsOf(text, head.isWhole, guess);
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
  const all = rowsOf(text, isWhole, reading);
  const [first = []] = all;
  const hasHeader = reading.headerLine > 0;
  const titles = first.map((title, at) => (hasHeader && title?.trim()) || `field_${at + 1}`);
  const names = distinct(titles);
  const rows = hasHeader ? all.slice(1) : all;
  return {
    names,
    headers: hasHeader ? distinct(first.map(title => title ?? '')) : names,
    rows: rows.slice(0, MAX_SAMPLES).map(fields => names.map((_, index) => fields[index] ?? null)),
    isAll: isWhole && rows.length <= MAX_SAMPLES,
  };
}

/** The rows from the line with the names on. */
function rowsOf(text: string, isWhole: boolean, { delimiter, headerLine }: Reading): readonly CsvFields[] {
  const before = new RegExp(`^(?:.*(?:\\r\\n|\\n|\\r)){${Math.max(0, headerLine - 1)}}`);
  return csvRows(text.replace(before, ''), delimiter, isWhole);
}

/** The second `price` is `price (2)`, as in an import. */
function distinct(names: readonly string[]): readonly string[] {
  const times = new Map<string, number>();
  return names.map(name => {
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    return nth === 1 ? name : `${name} (${nth})`;
  });
}

function jsonSamples(text: string, isWhole: boolean, format: Format): Samples {
  const lines = format === 'ndjson' ? text.split('\n').filter(line => line.trim() !== '') : jsonObjects(text);
  const records = lines
    .slice(0, MAX_SAMPLES)
    .map(recordOf)
    .filter(record => record !== undefined);
  const names = [...new Set(records.flatMap(record => Object.keys(record)))];
  return {
    names,
    headers: names,
    rows: records.map(record => names.map(name => record[name])),
    isAll: isWhole && lines.length <= MAX_SAMPLES,
  };
}

/** The texts of the objects of a JSON list, or of objects behind each other. */
export function jsonObjects(text: string): readonly string[] {
  const objects: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: sign, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/gs)) {
    if (sign === '{' && depth++ === 0) start = index;
    if (sign === '}' && --depth === 0) objects.push(text.slice(start, index + 1));
  }
  return objects;
}

/** The record of a JSON text; undefined if it is none. */
function recordOf(text: string): Readonly<Record<string, unknown>> | undefined {
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
