import { CsvRows } from './csv-rows.js';
import { type Encoding, encodingOf, isNotText } from './encoding.js';
import { JsonElements, JsonLines } from './json-rows.js';
import { type LocalStyle, styleOf } from './local-values.js';

/** Bytes that are looked at to recognize a file. */
const HEAD_BYTES = 256 * 1024;
/** Rows of the head that are shown and looked at. */
const MAX_SAMPLES = 200;

type Format = 'csv' | 'ndjson' | 'json';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
type Delimiter = (typeof DELIMITERS)[number];

/** How a file is read. All of it is recognized, and can be changed. */
export interface Reading extends LocalStyle {
  readonly encoding: Encoding;
  readonly format: Format;
  /** The character between two fields, for CSV. */
  readonly delimiter: Delimiter;
  /** The first row has the names of the fields, for CSV. */
  readonly hasHeader: boolean;
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
  const delimiter = delimiterOf(text);
  const guess = { encoding, format, delimiter, decimal: '.', dates: 'iso' } as const;
  const hasHeader = format !== 'csv' || looksLikeHeader(head, { ...guess, hasHeader: true });
  const { rows } = samplesOf(head, { ...guess, hasHeader });
  const texts = rows.flat().filter(value => typeof value === 'string');
  return { ...guess, hasHeader, ...(format === 'csv' && styleOf(texts, ambiguous)) };
}

/** The fields and the first rows of a file that is read like this. */
export function samplesOf(head: Head, reading: Reading): Samples {
  const text = textOf(head, reading.encoding);
  return reading.format === 'csv'
    ? csvSamples(text, head.isWhole, reading)
    : jsonSamples(text, head.isWhole, reading.format);
}

function csvSamples(text: string, isWhole: boolean, { delimiter, hasHeader }: Reading): Samples {
  const all = new CsvRows(delimiter).read(text, isWhole).filter(({ broken }) => broken === undefined);
  const [first] = all;
  const names = hasHeader ? headerNames(first?.fields ?? []) : numberedNames(first?.fields.length ?? 0);
  const rows = hasHeader ? all.slice(1) : all;
  return {
    names,
    rows: rows.slice(0, MAX_SAMPLES).map(({ fields }) => names.map((_, index) => fields[index] ?? null)),
    isAll: isWhole && rows.length <= MAX_SAMPLES,
  };
}

/** The names of a header, each another one. Fields without a name get their number. */
export function headerNames(fields: readonly (string | null)[]): readonly string[] {
  const seen = new Set<string>();
  return fields.map((field, index) => {
    const wanted = field?.trim() || `field_${index + 1}`;
    let name = wanted;
    for (let number = 2; seen.has(name); number++) name = `${wanted}_${number}`;
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

/** The most frequent candidate of the first line, outside of quotes. */
function delimiterOf(text: string): Delimiter {
  const [line = ''] = text.replace(/"[^"]*"?/g, '').split(/[\r\n]/, 1);
  const counts = DELIMITERS.map(candidate => line.split(candidate).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as Delimiter;
}

const NUMBER_OR_DATE = /^[+-]?\d[\d.,/: -]*$/;

/** A first row with a number, a date or an empty field is a row like others, unless it is the only one. */
function looksLikeHeader(head: Head, reading: Reading): boolean {
  const [first] = samplesOf(head, { ...reading, hasHeader: false }).rows;
  return first === undefined || !first.some(field => NUMBER_OR_DATE.test(String(field).trim()));
}
