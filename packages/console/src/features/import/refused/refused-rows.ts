import { serviceText } from '../../../values/local-values.js';
import { CsvRows, csvLine } from '../file/csv-rows.js';
import { type FilePlan, headerLine, type Slice, sentTargets } from '../file/slices.js';
import type { RefusedRow } from '../run/run-import.js';

/** Corrected texts of refused rows, by the number of the row. */
export type Corrections = ReadonlyMap<number, string>;

/** The cells of the text of a row; undefined if it has not one cell for each column, or is JSON. */
export function cellsOf(text: string, plan: FilePlan): readonly (string | null)[] | undefined {
  if (plan.reading.format !== 'csv') return undefined;
  const [row, ...others] = new CsvRows(',').read(text, true);
  if (row === undefined || row.broken !== undefined || others.length > 0) return undefined;
  return row.fields.length === sentTargets(plan).length ? row.fields : undefined;
}

/** The text of a row with another value in one cell. An empty cell has no value. */
export function withCell(cells: readonly (string | null)[], at: number, value: string): string {
  return csvLine(cells.map((cell, index) => (index === at ? value || null : cell))).trimEnd();
}

/** Rows as a file that can be imported again. */
export function fileOf(rows: readonly RefusedRow[], corrections: Corrections, plan: FilePlan): Blob {
  const texts = rows
    .map(({ row, text }) => {
      const corrected = corrections.get(row);
      return corrected === undefined ? text : serviceRow(corrected, text, plan);
    })
    .filter(text => text !== null);
  return new Blob([headerLine(plan), ...texts.map(text => `${text}\n`)]);
}

/** A corrected row as the service reads it: corrections are written as the file is, and the other cells are read already. */
function serviceRow(corrected: string, before: string | null, plan: FilePlan): string {
  const cells = cellsOf(corrected, plan);
  if (cells === undefined) return corrected;
  const known = before === null ? undefined : cellsOf(before, plan);
  const targets = sentTargets(plan);
  return csvLine(
    cells.map((cell, at) =>
      cell === null || cell === known?.[at] ? cell : serviceText(cell, targets[at]?.type, plan.reading),
    ),
  ).trimEnd();
}

/** The corrected rows as one part of an import. They keep their numbers. */
export async function* correctedSlice(
  rows: readonly RefusedRow[],
  corrections: Corrections,
  plan: FilePlan,
): AsyncGenerator<Slice> {
  const corrected = rows.filter(({ row }) => corrections.has(row));
  yield {
    body: fileOf(corrected, corrections, plan),
    rows: corrected.map(({ row }) => row),
    unreadable: [],
    bytes: 0,
  };
}
