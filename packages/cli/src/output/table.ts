import Table from 'cli-table3';
import pc from 'picocolors';

const MIN_WIDTH = 6;
/** Spaces between two columns. */
const GAP = 4;
const MAX_WIDTH = 60;
/** Control characters could move the cursor or change the terminal's colors. */
const CONTROL = /\p{Cc}/gu;

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
  const texts = rows.map(row => columns.map(column => cellOf(row[column])));
  const longest = columns.map((column, n) =>
    Math.max(column.length, ...texts.map(cells => cells[n]!.length)),
  );
  // Ids are shown whole: people copy them.
  const ids = columns[0] === '_id' ? longest.splice(0, 1) : [];
  const others = width - GAP * columns.length - sum(ids);
  const widths = [
    ...ids,
    ...fitted(
      longest.map(each => Math.min(MAX_WIDTH, each)),
      others,
    ),
  ];
  const cut = (text: string, n: number) => {
    const limit = widths[n] as number;
    return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  };
  const table = new Table({
    head: columns.map((column, n) => bold(cut(printable(column), n))),
    style: { head: [], border: [], compact: true },
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
  for (const cells of texts) table.push(cells.map((text, n) => (text === '' ? dim('–') : cut(text, n))));
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

/** Text of several lines without characters that a terminal acts on. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\n');
}

/** One line of text without characters that a terminal acts on. */
export function printable(text: string): string {
  return text.replace(/\s/g, ' ').replace(CONTROL, '�');
}
