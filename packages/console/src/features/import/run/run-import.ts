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
  /** Parts of the file that are imported. */
  readonly parts: number;
}

export const NOTHING_YET: Progress = { bytes: 0, rows: 0, inserted: 0, updated: 0, refused: 0, parts: 0 };

/** `refused`: rows did not fit, and the rest was not imported either. */
export type Outcome = 'done' | 'stopped' | 'refused';

export interface ImportRun {
  readonly slices: AsyncIterable<Slice>;
  /** Parts at the beginning that are imported already. */
  readonly skipped?: number;
  /** All rows or none: the first row that does not fit ends the import. */
  readonly isAllOrNothing: boolean;
  /** Sends a part, with its number from 1, to the service. */
  readonly send: (
    body: Blob,
    onRefused: (row: ImportProblem & { readonly line: string | null }) => void,
    onRows: (rows: number) => void,
    part: number,
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
  let part = 0;
  for await (const slice of run.slices) {
    part += 1;
    if (part <= (run.skipped ?? 0)) continue;
    if (isStopped()) return 'stopped';
    const refuseUnreadable = () => {
      for (const row of slice.unreadable) {
        refuse({ row: row.row, column: null, problem: run.problemText(row), text: row.text });
      }
    };
    if (isAllOrNothing && slice.unreadable.length > 0) {
      refuseUnreadable();
      return 'refused';
    }
    const before = progress.rows;
    const sending = sent(run, slice, part, rows => advance({ rows: before + rows }));
    const { outcome, refused } = await sending.catch((error: unknown) => {
      // A part that is sent again is counted again.
      advance({ rows: before });
      throw error;
    });
    if (outcome !== 'stopped') refuseUnreadable();
    for (const row of refused) refuse(row);
    if (typeof outcome === 'string') return outcome;
    advance({
      parts: progress.parts + 1,
      bytes: slice.bytes,
      rows: before + slice.rows.length + slice.unreadable.length,
      inserted: progress.inserted + outcome.inserted,
      updated: progress.updated + outcome.updated,
    });
  }
  return isStopped() ? 'stopped' : 'done';
}

interface Sent {
  readonly outcome: ImportSummary | Outcome;
  readonly refused: Iterable<RefusedRow>;
}

async function sent(
  run: ImportRun,
  { body, rows }: Slice,
  part: number,
  onRows: (rows: number) => void,
): Promise<Sent> {
  for (;;) {
    // A part that the collection has no room for is sent again, and its refused rows are told again.
    const refused = new Map<number, RefusedRow>();
    const add = ({ row, column, problem, line = null }: ImportProblem & { readonly line?: string | null }) =>
      refused.set(row, { row: rows[row - 1] ?? row, column, problem, text: line });
    try {
      const outcome = await run.send(body, add, onRows, part);
      return { outcome, refused: refused.values() };
    } catch (error) {
      if (error instanceof CollectionFullError) {
        if (await run.whenFull(error)) continue;
        return { outcome: 'stopped', refused: [] };
      }
      const problems = problemsOf(error);
      if (problems.length === 0) throw error;
      for (const problem of problems) if (!refused.has(problem.row)) add(problem);
      return { outcome: 'refused', refused: refused.values() };
    }
  }
}

/** The rows that a refusal of the whole file names. */
function problemsOf(error: unknown): readonly ImportProblem[] {
  if (!(error instanceof TcError) || !Array.isArray(error.details)) return [];
  return error.details.filter((each): each is ImportProblem => typeof each?.row === 'number');
}
