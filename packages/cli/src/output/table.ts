import pc from 'picocolors';
import { cut, printable, widthOf } from './printable.js';

const MIN_WIDTH = 6;
const MAX_WIDTH = 60;
/** Spaces between two columns. */
const GAP = 2;
/** What stands for no value. */
const ABSENT = '–';

export type Row = Readonly<Record<string, unknown>>;

export interface TableOptions {
  readonly color: boolean;
  /** Characters of a line of the terminal. */
  readonly width: number;
}

/** Draws rows as a table that fits the terminal. Long values are cut and end with `…`. */
export function tableOf(
  rows: readonly Row[],
  columns: readonly string[],
  { color, width }: TableOptions,
): string {
  const { bold, dim } = pc.createColors(color);
  const names = columns.map(printable);
  const texts = rows.map(row => columns.map(column => cellOf(row[column])));
  const longest = names.map((name, n) => Math.max(widthOf(name), ...texts.map(cells => widthOf(cells[n]!))));
  // Ids are shown whole: people copy them.
  const ids = columns[0] === '_id' || columns[0] === 'id' ? longest.splice(0, 1) : [];
  const wanted = longest.map(each => Math.min(MAX_WIDTH, each));
  const widths = [...ids, ...fitted(wanted, width - GAP * (columns.length - 1) - sum(ids))];
  const shown = (text: string, n: number) => cut(text, widths[n] as number);
  const line = (cells: readonly string[], style: (text: string, n: number) => string) =>
    cells
      .map((text, n) => {
        const cell = shown(text, n);
        const padding = n === cells.length - 1 ? 0 : (widths[n] as number) - widthOf(cell) + GAP;
        return style(cell, n) + ' '.repeat(padding);
      })
      .join('');
  const rest = texts.map(cells =>
    line(
      cells.map(text => text || ABSENT),
      (text, n) => (cells[n] === '' ? dim(text) : text),
    ),
  );
  return [line(names, bold), ...rest].join('\n');
}

/** Narrows the widest columns until all fit. */
function fitted(widths: readonly number[], available: number): number[] {
  const fitting = [...widths];
  for (let excess = sum(fitting) - available; excess > 0; excess--) {
    const widest = fitting.indexOf(Math.max(...fitting));
    if ((fitting[widest] as number) <= MIN_WIDTH) break;
    fitting[widest] = (fitting[widest] as number) - 1;
  }
  return fitting;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
