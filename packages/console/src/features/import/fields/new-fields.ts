import { type ColumnType, type DraftColumn, drafted } from '../../../values/draft-columns.js';
import { serviceTexts } from '../../../values/local-values.js';
import type { Reading, Samples } from '../file/head.js';
import type { TargetNames } from '../file/plan.js';

/** A field of a file as a column of a new collection. `key` is its place in the file. */
export interface NewField extends DraftColumn {
  /** Its name in the file. */
  readonly source: string;
  /** False: the field is left out. */
  readonly isIn: boolean;
}

/** What the service suggests for samples. */
export interface Suggestion {
  readonly properties: Readonly<Record<string, { readonly type: ColumnType; readonly nullable: boolean }>>;
  /** The column of each header of a CSV file. */
  readonly columns?: Readonly<Record<string, string | null>> | undefined;
}

/** Characters of the samples that are sent, so that they fit into a request. */
const MAX_CHARACTERS = 200_000;
const MAX_TEXT = 500;

/** The samples as the service takes them: values as an import would write them. */
export function sampleRecords({ names, rows }: Samples, reading: Reading): Record<string, unknown>[] {
  const fields = names.map((_, index) => {
    const values = rows.map(row => row[index]);
    return reading.format === 'csv' ? serviceTexts(values as (string | null)[], reading) : values;
  });
  const records: Record<string, unknown>[] = [];
  let characters = 0;
  for (const at of rows.keys()) {
    const entries = names.map((name, index) => [name, shortened(fields[index]?.[at])] as const);
    const record = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    characters += JSON.stringify(record).length;
    if (characters > MAX_CHARACTERS) break;
    records.push(record);
  }
  return records;
}

/** A long text is a text with fewer characters too. */
function shortened(value: unknown): unknown {
  return typeof value === 'string' && value.length > MAX_TEXT ? value.slice(0, MAX_TEXT) : value;
}

/**
 * The fields of a file with the suggested columns. A column is required only if all rows of the file are known: a value
 * may be missing in a later row.
 */
export function newFields(
  names: readonly string[],
  suggestion: Suggestion,
  isAll: boolean,
): readonly NewField[] {
  const { properties, columns = {} } = suggestion;
  const known = new Map(drafted(properties).map(column => [column.name, column]));
  return names.map((source, key) => {
    const column = known.get(columns[source] ?? source);
    const { name = '', type = 'text', nullable = true } = column ?? {};
    return { key, source, name, type, nullable: nullable || !isAll, isIn: column !== undefined };
  });
}

/** Where each field of the file goes. */
export function newTargets(fields: readonly NewField[]): TargetNames {
  return fields.map(({ isIn, name }) => (isIn ? name.trim() : null));
}
