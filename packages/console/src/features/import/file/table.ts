export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** Where the rows of a CSV file are. */
export interface Table {
  readonly delimiter: Delimiter;
  /** The first line of the table, from 1. Lines before it are a title or a date, for example. */
  readonly line: number;
  /** Other lines come before it, and not only empty ones. */
  readonly isBelow: boolean;
}

/** Lines that are looked at. */
const MAX_LINES = 50;
/** At least this part of the lines of a table has the same number of cells. */
const MOST = 2 / 3;
/** A first line that names the delimiter, which Excel writes and reads. */
const SEP_LINE = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r)/i;
/** What is in quotes, with the delimiter or the line end before it. */
const QUOTED = /(^|[,;\t|\r\n])"(?:[^"]|"")*"?/g;
const LINE_END = /\r\n|\n|\r/;

/**
 * Finds the delimiter and the first line of the table. It is the first line of the file, unless the lines below have more
 * cells: then it is the first line with as many cells as most of them.
 */
export function tableOf(text: string): Table {
  const named = SEP_LINE.exec(text)?.[1];
  if (named !== undefined) return { delimiter: named as Delimiter, line: 2, isBelow: true };
  const lines = linesOutsideQuotes(text);
  const first = lines.find(isFilled) ?? { text: '', line: 1 };
  const counts = DELIMITERS.map(each => first.text.split(each).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] as Delimiter;
  const asFirst = { delimiter, line: first.line, isBelow: false };
  if (fitOf(lines, delimiter)?.line === first.line) return asFirst;
  const [best] = DELIMITERS.flatMap(each => fitOf(lines, each) ?? []).sort((a, b) => b.fitting - a.fitting);
  return best === undefined ? asFirst : { ...best, isBelow: best.line > first.line };
}

/** The first lines of a file, for people who choose the one with the names. */
export function firstLines(text: string): readonly string[] {
  return text.split(LINE_END, MAX_LINES);
}

interface Line {
  readonly text: string;
  /** Its number in the file. */
  readonly line: number;
}

interface Fit extends Omit<Table, 'isBelow'> {
  /** Lines with as many cells as most have. */
  readonly fitting: number;
}

/** The lines with `x` in the place of each text in quotes. A line end in quotes is counted, but does not end the line. */
function linesOutsideQuotes(text: string): readonly Line[] {
  const unquoted = text.replace(QUOTED, (quoted, before: string) => {
    const ends = quoted.slice(before.length).split(LINE_END).length - 1;
    return `${before}x${'\v'.repeat(ends)}`;
  });
  let next = 1;
  return unquoted.split(LINE_END, MAX_LINES).map(each => {
    const line = next;
    next += each.split('\v').length;
    return { text: each, line };
  });
}

/** The table that a delimiter makes of the lines; undefined if it does not. */
function fitOf(lines: readonly Line[], delimiter: Delimiter): Fit | undefined {
  const rows = lines.filter(isFilled).map(({ text, line }) => ({ line, cells: text.split(delimiter) }));
  const width = mostFrequent(rows.map(({ cells }) => cells.length));
  const begin = rows.findIndex(({ cells }) => cells.length === width && !isTitle(cells));
  const table = begin < 0 ? [] : rows.slice(begin);
  const [head] = table;
  if (head === undefined || width < 2) return undefined;
  if (rows.slice(0, begin).some(({ cells }) => cells.length > width)) return undefined;
  const fitting = table.filter(({ cells }) => cells.length === width).length;
  return fitting < Math.max(2, table.length * MOST) ? undefined : { delimiter, line: head.line, fitting };
}

function isFilled({ text }: Line): boolean {
  return text.trim() !== '';
}

/** Spreadsheets write a title with empty cells, as many as the table has. */
function isTitle(cells: readonly string[]): boolean {
  return cells.length > 2 && cells.filter(cell => cell.trim() !== '').length < 2;
}

/** The larger of two numbers that are equally frequent. */
function mostFrequent(numbers: readonly number[]): number {
  const times = new Map<number, number>();
  for (const each of numbers) times.set(each, (times.get(each) ?? 0) + 1);
  const [[most] = [0]] = [...times].sort(([a, m], [b, n]) => n - m || b - a);
  return most;
}
