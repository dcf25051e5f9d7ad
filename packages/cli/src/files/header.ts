import { parse } from 'csv-parse/sync';
import type { TextFile } from './text-file.js';

/** The names in the header of a CSV file. A repeated one has its number, as the service names it. */
export function headerOf({ sample, delimiter }: TextFile): string[] {
  const [header = []] = parse(sample, {
    bom: true,
    delimiter,
    to: 1,
    relax_column_count: true,
  }) as string[][];
  return numbered(header);
}

function numbered(header: readonly string[]): string[] {
  const times = new Map<string, number>();
  return header.map(name => {
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    return nth === 1 ? name : `${name} (${nth})`;
  });
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
    columns: numbered,
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
