import {
  CollectionFullError,
  type ImportProblem,
  type ImportSummary,
  TcError,
} from '@typed-collections/client';
import type { Slice, UnreadableRow } from '../file/slices.js';

/** A row that was not imported. */
export interface RefusedRow {
  /** Its number in the file, from 1, without the header. */
  readonly row: number;
  readonly column: string | null;
  readonly problem: string;
  /** Its text as the service read it; null if it is too long. */
  readonly text: string | null;
}

/** How far an import is. What it counts as inserted and updated is written and stays. */
export interface Progress {
  /** Bytes of the file that are read. */
  readonly bytes: number;
  readonly rows: number;
  readonly inserted: number;
  readonly updated: number;
  readonly refused: number;
}

export const NOTHING_YET: Progress = { bytes: 0, rows: 0, inserted: 0, updated: 0, refused: 0 };

/** `refused`: rows did not fit, and the rest was not imported either. */
export type Outcome = 'done' | 'stopped' | 'refused';

export interface ImportRun {
  readonly slices: AsyncIterable<Slice>;
  /** All rows or none: the first row that does not fit ends the import. */
  readonly isAllOrNothing: boolean;
  /** Sends a part to the service. */
  readonly send: (
    body: Blob,
    onRefused: (row: ImportProblem & { readonly line: string | null }) => void,
    onRows: (rows: number) => void,
  ) => Promise<ImportSummary>;
  /** True once the person has stopped the import. It ends between two parts, so that it is known what is written. */
  readonly isStopped: () => boolean;
  /** The collection is full. True: it takes more now. */
  readonly whenFull: (error: CollectionFullError) => Promise<boolean>;
  readonly problemText: (row: UnreadableRow) => string;
  readonly onProgress: (progress: Progress) => void;
  readonly onRefused: (row: RefusedRow) => void;
}

/** Imports the parts of a file one after the other. */
export async function runImport(run: ImportRun): Promise<Outcome> {
  const { isAllOrNothing, isStopped, onProgress, onRefused } = run;
  let progress = NOTHING_YET;
  const advance = (news: Partial<Progress>) => {
    progress = { ...progress, ...news };
    onProgress(progress);
  };
  const refuse = (row: RefusedRow) => {
    onRefused(row);
    advance({ refused: progress.refused + 1 });
  };
  for await (const slice of run.slices) {
    if (isStopped()) return 'stopped';
    for (const row of slice.unreadable) {
      refuse({ row: row.row, column: null, problem: run.problemText(row), text: row.text });
    }
    if (isAllOrNothing && slice.unreadable.length > 0) return 'refused';
    const before = progress.rows;
    const outcome = await sent(run, slice, refuse, rows => advance({ rows: before + rows }));
    if (typeof outcome === 'string') return outcome;
    advance({
      bytes: slice.bytes,
      rows: before + slice.rows.length + slice.unreadable.length,
      inserted: progress.inserted + outcome.inserted,
      updated: progress.updated + outcome.updated,
    });
  }
  return isStopped() ? 'stopped' : 'done';
}

async function sent(
  run: ImportRun,
  { body, rows }: Slice,
  refuse: (row: RefusedRow) => void,
  onRows: (rows: number) => void,
): Promise<ImportSummary | Outcome> {
  for (;;) {
    // A part that the collection has no room for is sent again, and its refused rows are told again.
    const refused = new Map<number, RefusedRow>();
    const add = ({ row, column, problem, line = null }: ImportProblem & { readonly line?: string | null }) =>
      refused.set(row, { row: rows[row - 1] ?? row, column, problem, text: line });
    try {
      const summary = await run.send(body, add, onRows);
      for (const row of refused.values()) refuse(row);
      return summary;
    } catch (error) {
      if (error instanceof CollectionFullError) {
        if (await run.whenFull(error)) continue;
        return 'stopped';
      }
      const problems = problemsOf(error);
      if (problems.length === 0) throw error;
      for (const problem of problems) if (!refused.has(problem.row)) add(problem);
      for (const row of refused.values()) refuse(row);
      return 'refused';
    }
  }
}

/** The rows that a refusal of the whole file names. */
function problemsOf(error: unknown): readonly ImportProblem[] {
  if (!(error instanceof TcError) || !Array.isArray(error.details)) return [];
  return error.details.filter((each): each is ImportProblem => typeof each?.row === 'number');
}
