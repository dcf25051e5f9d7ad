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

declare module 'vitest' {
  export interface ProvidedContext {
    faultNotes: string;
  }
}

const COLUMNS: readonly [head: string, of: (figures: Figures) => string | number][] = [
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

/** Collects the results of all faults, and prints them as a table at the end of the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const notes = await mkdtemp(join(tmpdir(), 'typed-collections-faults-notes-'));
  project.provide('faultNotes', notes);
  return async () => {
    process.stdout.write(`\n${table(await noted(notes))}\n`);
    await rm(notes, { recursive: true });
  };
}

/** Records the figures of a fault for the table. */
export async function note(figures: Figures): Promise<void> {
  await writeFile(join(inject('faultNotes'), `${Date.now()}.json`), JSON.stringify(figures));
}

async function noted(directory: string): Promise<Figures[]> {
  const files = (await readdir(directory)).sort();
  return Promise.all(files.map(async file => JSON.parse(await readFile(join(directory, file), 'utf8'))));
}

/** The table as Markdown, in the form used in docs/faults.md. */
function table(rows: readonly Figures[]): string {
  const cells = [
    COLUMNS.map(([head]) => head),
    COLUMNS.map((_, index) => (index === 0 ? '---' : '--:')),
    ...rows.map(row => COLUMNS.map(([, of]) => String(of(row)))),
  ];
  return cells.map(line => `| ${line.join(' | ')} |`).join('\n');
}
