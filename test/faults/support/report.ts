import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

/** The result of one fault. */
export interface Figures {
  readonly fault: string;
  readonly acknowledged: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly half: number;
  readonly refused: number;
  readonly unknown: number;
  readonly dropped: number;
  /** Duration of the slowest request, whether answered, refused or dropped. */
  readonly slowestMs: number;
  /**
   * Time after the end of the fault until every instance read and wrote again. The longest time if there were
   * several faults.
   */
  readonly secondsToRecover: number;
}

/** What another organization noticed of one fault. Times are in milliseconds. */
export interface Ratio {
  readonly fault: string;
  readonly requests: number;
  readonly failed: number;
  readonly quietMedian: number;
  readonly median: number;
  readonly ratioOfMedians: number;
  readonly quietP95: number;
  readonly p95: number;
  readonly ratioOfP95: number;
  readonly slowest: number;
}

declare module 'vitest' {
  export interface ProvidedContext {
    faultNotes: string;
  }
}

type Columns<T> = readonly (readonly [head: string, of: (row: T) => string | number])[];

const COLUMNS: Columns<Figures> = [
  ['Fault', ({ fault }) => fault],
  ['Acknowledged', ({ acknowledged }) => acknowledged],
  ['Lost', ({ lost }) => lost],
  ['Duplicated', ({ duplicated }) => duplicated],
  ['Incomplete', ({ half }) => half],
  ['Refused with 503', ({ refused }) => refused],
  ['503, write not known', ({ unknown }) => unknown],
  ['Dropped connections', ({ dropped }) => dropped],
  ['Slowest response, s', ({ slowestMs }) => (slowestMs / 1_000).toFixed(1)],
  ['Seconds to recover', ({ secondsToRecover }) => secondsToRecover.toFixed(1)],
];

const RATIO_COLUMNS: Columns<Ratio> = [
  ['Fault', ({ fault }) => fault],
  ['Requests', ({ requests }) => requests],
  ['Failed', ({ failed }) => failed],
  ['Median, ms', ({ quietMedian, median }) => `${quietMedian.toFixed(1)} → ${median.toFixed(1)}`],
  ['Ratio', ({ ratioOfMedians }) => ratioOfMedians.toFixed(2)],
  ['95%, ms', ({ quietP95, p95 }) => `${quietP95.toFixed(1)} → ${p95.toFixed(1)}`],
  ['Ratio', ({ ratioOfP95 }) => ratioOfP95.toFixed(2)],
  ['Slowest response, s', ({ slowest }) => (slowest / 1_000).toFixed(1)],
];

/** Collects the results of the faults of a project, and prints them as tables at the end of the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const notes = await mkdtemp(join(tmpdir(), 'typed-collections-faults-notes-'));
  project.provide('faultNotes', notes);
  return async () => {
    const faults = await noted<Figures>(notes, 'fault');
    const ratios = await noted<Ratio>(notes, 'ratio');
    if (faults.length > 0) process.stdout.write(`\n${table(COLUMNS, faults)}\n`);
    if (ratios.length > 0)
      process.stdout.write(
        `\nAnother organization, quiet → under the fault:\n\n${table(RATIO_COLUMNS, ratios)}\n`,
      );
    await rm(notes, { recursive: true });
  };
}

/** Records the figures of a fault for the table. */
export function note(figures: Figures): Promise<void> {
  return write('fault', figures);
}

/** Records what another organization noticed of a fault. */
export function noteRatio(ratio: Ratio): Promise<void> {
  return write('ratio', ratio);
}

async function write(kind: string, row: object): Promise<void> {
  await writeFile(
    join(inject('faultNotes'), `${kind}-${Date.now()}-${randomUUID()}.json`),
    JSON.stringify(row),
  );
}

async function noted<T>(directory: string, kind: string): Promise<T[]> {
  const files = (await readdir(directory)).filter(file => file.startsWith(kind)).sort();
  return Promise.all(files.map(async file => JSON.parse(await readFile(join(directory, file), 'utf8'))));
}

/** The table as Markdown, in the form used in docs/faults.md. */
function table<T>(columns: Columns<T>, rows: readonly T[]): string {
  const cells = [
    columns.map(([head]) => head),
    columns.map((_, index) => (index === 0 ? '---' : '--:')),
    ...rows.map(row => columns.map(([, of]) => String(of(row)))),
  ];
  return cells.map(line => `| ${line.join(' | ')} |`).join('\n');
}
