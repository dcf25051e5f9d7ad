import { parse } from 'csv-parse/sync';
import type { TextFile } from './text-file.js';

/** The names in the first line of a CSV file. */
export function headerOf({ sample, delimiter }: TextFile): string[] {
  const [header = []] = parse(sample, {
    bom: true,
    delimiter,
    to: 1,
    relax_column_count: true,
  }) as string[][];
  return header;
}

/** The first records of a file, with texts as values for CSV. */
export function samplesOf(file: TextFile, count: number): Record<string, unknown>[] {
  if (file.format === 'ndjson') {
    const lines = file.sample.split('\n').filter(line => line.trim() !== '');
    return lines.slice(0, count).map(line => JSON.parse(line));
  }
  const { delimiter, sample } = file;
  return parse(sample, {
    bom: true,
    delimiter,
    columns: true,
    to: count,
    relax_column_count: true,
    skip_empty_lines: true,
  });
}

/** The column for each header that names one but for case, accents and punctuation. */
export function mapped(header: readonly string[], columns: readonly string[]): Record<string, string> {
  const free = columns.filter(column => !header.includes(column));
  const byPlain = new Map(free.map(column => [plain(column), column]));
  const found: Record<string, string> = {};
  for (const name of header) {
    const column = columns.includes(name) || plain(name) === '' ? undefined : byPlain.get(plain(name));
    if (column === undefined) continue;
    found[name] = column;
    byPlain.delete(plain(name));
  }
  return found;
}

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
