import { MAX_COLUMNS } from '../../base/kernel/limits.js';
import { COLUMN_TYPES, type ColumnTypeName } from '../../engine/columns/index.js';
import { isSystemField } from '../../engine/storage/collection-shape.js';
import { columnValue, isCode } from '../transfer/import/csv-values.js';
import { columnName, wordsOf } from './builtin-schemas/described-schema.js';
import type { Sample } from './schema-suggester.js';

/** Samples of a CSV file as the records that an import makes of them. */
interface CsvSamples {
  readonly samples: readonly Sample[];
  /** The column of each header, as an import takes it; null for a header without a column. */
  readonly columns: Readonly<Record<string, string | null>>;
  /** Columns with texts such as `5.0` and `1e5`, which an import refuses in a column of integers. */
  readonly decimals: ReadonlySet<string>;
}

/** Types that texts of a file are read as, narrowest first. Dates stay text, which date columns accept. */
const READ_AS: readonly ColumnTypeName[] = ['boolean', 'integer', 'double'];
const COLUMN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const MAX_COLUMN = 63;

/** Reads the texts of each header as numbers or booleans where every one of them can be read so. */
export function csvSamples(rows: readonly Sample[]): CsvSamples {
  const headers = [...new Set(rows.flatMap(row => Object.keys(row)))];
  // A collection has no more columns, and suggestions must not take long for a file of a million headers.
  const columns = columnsFor(headers.slice(0, MAX_COLUMNS));
  const read = [...columns].flatMap(([header, column]) =>
    column === null ? [] : [{ header, column, type: typeFor(header, rows) }],
  );
  const samples = rows.map(row =>
    Object.fromEntries(
      read
        .filter(({ header }) => Object.hasOwn(row, header))
        .map(({ header, column, type }) => [column, sampleOf(row[header], type)]),
    ),
  );
  return {
    samples,
    columns: Object.fromEntries(headers.map(header => [header, columns.get(header) ?? null])),
    decimals: new Set(read.filter(({ type }) => type === 'double').map(({ column }) => column)),
  };
}

/** Different headers get different columns, because an import refuses two headers of one column. */
function columnsFor(headers: readonly string[]): Map<string, string | null> {
  const taken = new Set(headers.filter(isColumnName));
  return new Map(
    headers.map(header => {
      if (isColumnName(header)) return [header, header];
      const wanted = isSystemField(header) ? undefined : columnName(wordsOf(header));
      if (wanted === undefined || isSystemField(wanted)) return [header, null];
      let name = wanted;
      for (let number = 2; taken.has(name); number++)
        name = `${wanted.slice(0, MAX_COLUMN - String(number).length - 1)}_${number}`;
      taken.add(name);
      return [header, name];
    }),
  );
}

function isColumnName(name: string): boolean {
  return COLUMN_NAME.test(name) && name !== '__proto__' && !isSystemField(name);
}

function typeFor(header: string, rows: readonly Sample[]): ColumnTypeName {
  const texts = rows
    .map(row => (Object.hasOwn(row, header) ? row[header] : undefined))
    .filter(value => typeof value === 'string' && value !== '') as string[];
  if (texts.length === 0 || texts.some(isCode)) return 'text';
  return READ_AS.find(type => texts.every(text => isRead(type, text))) ?? 'text';
}

function isRead(type: ColumnTypeName, text: string): boolean {
  return COLUMN_TYPES[type].accept(columnValue(type, text)) !== undefined;
}

/** An empty text is no value, as in an import. */
function sampleOf(value: unknown, type: ColumnTypeName): unknown {
  if (value === '') return null;
  return typeof value === 'string' ? columnValue(type, value) : value;
}
