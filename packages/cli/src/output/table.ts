import Table from 'cli-table3';
import pc from 'picocolors';
import { cut, printable, widthOf } from './printable.js';

const MIN_WIDTH = 6;
const MAX_WIDTH = 60;
/** Spaces between two columns. */
const GAP = 2;

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
  const table = new Table({
    head: names.map((name, n) => bold(shown(name, n))),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      right: '',
      'right-mid': '',
      mid: '',
      'mid-mid': '',
      middle: '  ',
    },
  });
  for (const cells of texts) table.push(cells.map((text, n) => (text === '' ? dim('–') : shown(text, n))));
  return table.toString();
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
