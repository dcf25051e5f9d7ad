import { COMMA } from '../../base/kernel/ascii.js';
import { guardedText } from '../../base/kernel/formula-guard.js';
import { type JsonObject, ownValue } from '../../base/kernel/json.js';
import { NOTHING } from '../../base/sql/index.js';
import type { Projection } from '../../engine/filter/index.js';
import {
  type CollectionShape,
  declaredColumn,
  SYSTEM_FIELDS,
} from '../../engine/storage/collection-shape.js';
import {
  columnPart,
  type ExportLayout,
  type ExportPart,
  FIRST_PART,
  flexiblePart,
  recordPart,
} from '../../engine/storage/copy/export-layout.js';
import type { TextBuffer } from '../../engine/storage/copy/text-buffer.js';
import { hasDeepPaths, projector } from '../../engine/storage/records/projection.js';
import type { RowReader } from '../../platform/database/connections/row-reader.js';
import { FIELDS, quoted, quotedHeader } from './csv-fields.js';
import { guard } from './formula-guard.js';

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
export function csvHeader(columns: readonly string[], safe: boolean): string {
  const fields = columns.map(name => quotedHeader(safe ? guardedText(name) : name));
  return `${fields.join()}\r\n`;
}

/** Writes a field of a line. `others` has the fields that no other part contains. */
type WriteColumn = (row: RowReader, to: TextBuffer, others: JsonObject) => void;

/**
 * The lines of a CSV file. `""` is an empty string; an empty field is null or absent. Each column is a part. The last part is
 * the JSON of all flexible fields. It is the JSON of the whole record when the projection has deeper paths, which PostgreSQL
 * does not apply, and in reads of the past, where a value may have another type than its column has today. `safe`: texts that
 * spreadsheets would run as formulas are guarded.
 */
export function csvLayout(
  shape: CollectionShape,
  projection: Projection | undefined,
  columns: readonly string[],
  safe: boolean,
): ExportLayout {
  const isWhole = hasDeepPaths(projection) || shape.pastRecords !== undefined;
  const parts: ExportPart[] = [];
  const writers = columns.map(name => {
    const part = isWhole ? undefined : columnPart(shape, name);
    if (part === undefined) return otherField(shape, name);
    parts.push(part);
    return columnField(part, parts.length - 1 + FIRST_PART);
  });
  const hasOthers = parts.length < columns.length;
  const { part: record, join } = recordPart(shape, projection);
  const project = isWhole ? projector(projection) : (json: string) => json;
  const at = parts.length + FIRST_PART;
  if (hasOthers) parts.push(isWhole ? record : flexiblePart(shape, projection));
  return {
    parts,
    join: isWhole ? join : NOTHING,
    write(row, to) {
      const json = hasOthers ? row.text(at) : null;
      const others: JsonObject = json === null ? NO_FIELDS : JSON.parse(project(json));
      let isFirst = true;
      for (const write of writers) {
        if (!isFirst) to.byte(COMMA);
        isFirst = false;
        const start = to.length;
        write(row, to, others);
        if (safe) guard(to, start);
      }
      to.byte(CR);
      to.byte(LF);
    },
  };
}

const NO_FIELDS: JsonObject = {};
const CR = 0x0d;
const LF = 0x0a;

function columnField({ form }: ExportPart, at: number): WriteColumn {
  const write = FIELDS[form];
  return (row, to) => {
    const end = row.end(at);
    if (end !== undefined) write(row.bytes, row.start(at), end, to);
  };
}

/** Strings in a JSON column have quotation marks, so that an import reads the same values. */
function otherField(shape: CollectionShape, name: string): WriteColumn {
  const isJson = declaredColumn(shape.columns, name)?.type === 'json';
  return (_, to, others) => {
    const value = ownValue(others, name) ?? null;
    if (value === null) return;
    to.text(quoted(typeof value === 'string' && !isJson ? value : JSON.stringify(value)));
  };
}
