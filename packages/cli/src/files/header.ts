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

/** The options of an import that send each header to its column, as a shell reads them; null leaves a header out. */
export function mapOptions(columns: Readonly<Record<string, string | null>>): string {
  return Object.entries(columns)
    .filter(([header, column]) => header !== column)
    .map(([header, column]) => ` --map ${shellWord(`${header}=${column ?? ''}`)}`)
    .join('');
}

/** A word of a command, in quotes if a shell would read it otherwise. */
export function shellWord(text: string): string {
  return /^[\w./=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
