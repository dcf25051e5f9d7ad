import type { Projection } from '../filter/index.js';
import { type JsonObject, ownValue } from '../kernel/json.js';
import { NOTHING, sql } from '../sql/index.js';
import { type CollectionShape, declaredColumn, SYSTEM_FIELDS } from '../storage/collection-shape.js';
import {
  columnPart,
  type ExportLayout,
  type ExportPart,
  flexiblePart,
  type PartValues,
  recordPart,
} from '../storage/copy/export-layout.js';
import { hasDeepPaths, projector } from '../storage/records/projection.js';
import { jsonField } from './json-field.js';

const NEEDS_QUOTES = /[",;\t\r\n]|^$|^\s|\s$/;

/** The columns of a CSV file: those of the projection in its order, else all columns and then the other fields. */
export function csvColumns(
  shape: CollectionShape,
  projection: Projection | undefined,
  flexibleNames: readonly string[],
): string[] {
  const named = new Set(projection?.paths.map(([name]) => name as string));
  if (projection?.mode === 'include') return [...new Set([...(projection.id ? ['_id'] : []), ...named])];
  const left = new Set(projection?.paths.filter(path => path.length === 1).map(([name]) => name as string));
  if (projection?.id === false) left.add('_id');
  return [...SYSTEM_FIELDS, ...Object.keys(shape.columns), ...flexibleNames].filter(name => !left.has(name));
}

/** The header line (RFC 4180). */
export function csvHeader(columns: readonly string[]): string {
  return csvLine(columns.map(quoted));
}

/** Writes one or more fields of a line. `others` has the fields that no other part contains. */
type Writer = (values: PartValues, others: JsonObject) => string;

/**
 * The lines of a CSV file. `""` is an empty string; an empty field is null or absent. PostgreSQL joins neighbouring fields
 * whose texts need no quotes into one part; each other column is a part. The last part is the JSON of all flexible fields.
 * It is the JSON of the whole record when the projection has deeper paths, which PostgreSQL does not apply, and in reads of
 * the past, where a value may have another type than its column has today.
 */
export function csvLayout(
  shape: CollectionShape,
  projection: Projection | undefined,
  columns: readonly string[],
): ExportLayout {
  const isWhole = hasDeepPaths(projection) || shape.past !== undefined;
  const parts: ExportPart[] = [];
  const writers: Writer[] = [];
  let [wasPlain, hasOthers] = [false, false];
  for (const name of columns) {
    const part = isWhole ? undefined : columnPart(shape, name);
    const isPlain = part?.length === 'short';
    if (part === undefined) {
      writers.push(otherField(shape, name));
      hasOthers = true;
    } else if (wasPlain && isPlain) parts.push(together(parts.pop() as ExportPart, part));
    else {
      writers.push(WRITERS[part.length](parts.length));
      parts.push(part);
    }
    wasPlain = isPlain;
  }
  const { part: record, join } = recordPart(shape, projection);
  const project = isWhole ? projector(projection) : (json: string) => json;
  const at = parts.length;
  if (hasOthers) parts.push(isWhole ? record : flexiblePart(shape, projection));
  return {
    parts,
    join: isWhole ? join : NOTHING,
    line(values) {
      const json = hasOthers ? (values[at] as string | null) : null;
      const others: JsonObject = json === null ? NO_FIELDS : JSON.parse(project(json));
      return csvLine(writers.map(write => write(values, others)));
    },
  };
}

const NO_FIELDS: JsonObject = {};

const WRITERS: Readonly<Record<ExportPart['length'], (at: number) => Writer>> = {
  short: at => values => values[at] ?? '',
  column: at => values => field(values[at] ?? null),
  document: at => values => documentField(values[at] ?? null),
};

/** Two parts of short texts, as one part with a comma between them. */
function together(first: ExportPart, second: ExportPart): ExportPart {
  return { text: sql`coalesce(${first.text}, '') || ',' || coalesce(${second.text}, '')`, length: 'short' };
}

/** Strings in a JSON column have quotation marks, so that an import reads the same values. */
function otherField(shape: CollectionShape, name: string): Writer {
  const isJson = declaredColumn(shape.columns, name)?.type === 'json';
  return (_, others) => {
    const value = ownValue(others, name) ?? null;
    return field(value === null || (typeof value === 'string' && !isJson) ? value : JSON.stringify(value));
  };
}

function documentField(text: string | null): string {
  return text === null || text === 'null' ? '' : jsonField(text);
}

function field(text: string | null): string {
  return text === null ? '' : quoted(text);
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLine(fields: readonly string[]): string {
  return `${fields.join()}\r\n`;
}
