import type { RefusedRow } from '@typed-collections/client';
import { type CsvFields, csvLine, csvRows } from '../file/csv-rows.js';
import { type FilePlan, fileOptions, headerLineOf, type SentFile } from '../file/plan.js';

/** Corrected texts of refused rows, by the number of the row. They are written as the file is. */
export type Corrections = ReadonlyMap<number, string>;

/** The cells of the text of a row; undefined if it has not one cell for each field of the file, or is JSON. */
export function cellsOf(text: string, { reading, samples }: FilePlan): CsvFields | undefined {
  if (reading.format !== 'csv') return undefined;
  const [cells, ...others] = csvRows(text, reading.delimiter);
  return others.length === 0 && cells?.length === samples.headers.length ? cells : undefined;
}

/** The text of a row with another value in one cell. An empty cell has no value. */
export function withCell(cells: CsvFields, at: number, value: string, { reading }: FilePlan): string {
  return csvLine(
    cells.map((cell, index) => (index === at ? value || null : cell)),
    reading.delimiter,
  ).slice(0, -1);
}

/** Rows as a file that can be imported again, with the options of that import. */
export function correctedFile(
  rows: readonly RefusedRow[],
  corrections: Corrections,
  plan: FilePlan,
): SentFile {
  const isCsv = plan.reading.format === 'csv';
  const lines = rows.flatMap(({ row, line }) => corrections.get(row) ?? line ?? []);
  const body = new Blob([isCsv ? headerLineOf(plan) : '', ...lines.map(line => `${line}\n`)]);
  const format = isCsv ? ({ format: 'csv', skipLines: 0 } as const) : ({ format: 'ndjson' } as const);
  return { body, options: { ...fileOptions(plan), ...format, textEncoding: 'utf-8' } };
}
