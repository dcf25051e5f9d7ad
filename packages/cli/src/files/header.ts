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
