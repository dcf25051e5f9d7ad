import {
  type ImportOptions,
  type ImportProblem,
  type ImportSummary,
  newIdempotencyKey,
  PartialWriteError,
  type RefusedRow,
  TcError,
} from '@typed-collections/client';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../../api/client.js';
import { noticeFailure } from '../../../api/query-client.js';
import { throttled } from '../../../values/throttled.js';
import { type FilePlan, fileOptions, type SentFile, sentFile } from '../file/plan.js';
import type { RunChoice } from '../parts/run-options.js';
import { type Corrections, correctedFile } from '../refused/refused-rows.js';

/** Bytes of a part. A part is one transaction, and its end is where an import can stop. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** Refused rows that are kept with their texts. All of them are counted. */
const MAX_KEPT = 2_000;

/** What is imported, and how. */
interface ImportJob {
  readonly collectionId: string;
  readonly sent: () => Promise<SentFile>;
  readonly totalBytes: number;
  readonly options: ImportOptions & { readonly correlationId: string };
  /** The number of each row in the file of the person, if another file is sent. */
  readonly numbers?: readonly number[];
}

/** What the finished parts of an import have done. It is written and stays. */
interface Done {
  /** Bytes of the file that are read: where the next part begins. */
  readonly bytes: number;
  /** Rows of this file, without those of imports before it. */
  readonly ownRows: number;
  readonly rows: number;
  readonly inserted: number;
  readonly updated: number;
  readonly refused: number;
  readonly ignored: readonly string[];
  readonly as_text: readonly string[];
  readonly rounded: readonly string[];
}

const NOTHING: Done = {
  ...{ bytes: 0, ownRows: 0, rows: 0, inserted: 0, updated: 0, refused: 0 },
  ...{ ignored: [], as_text: [], rounded: [] },
};

export interface RunState {
  readonly job: ImportJob;
  readonly done: Done;
  /** Rows of the part that is on its way. */
  readonly rowsOnWay: number;
  readonly refused: readonly RefusedRow[];
  /** Undefined while the import runs, and if it failed. `refused`: rows did not fit, and nothing was imported. */
  readonly outcome?: 'done' | 'stopped' | 'refused' | undefined;
  readonly error?: unknown;
  readonly isStopping?: boolean;
  /** What was written is undone. */
  readonly isUndone?: boolean;
}

export type FileImport = ReturnType<typeof useFileImport>;

/** Imports of one file: a check, the import, and the rows that were corrected afterwards. They stop when the page is left. */
export function useFileImport(file: File, plan: FilePlan, { isAllOrNothing, upsertKey }: RunChoice) {
  const [state, setState] = useState<RunState>();
  const stopping = useRef(new AbortController());
  useEffect(() => () => stopping.current.abort(), []);
  const change = (part: Partial<RunState>) => setState(now => now && { ...now, ...part });
  const start = async (job: ImportJob, done: Done, refused: readonly RefusedRow[]) => {
    stopping.current = new AbortController();
    const begin = { job, done, refused, rowsOnWay: 0 };
    setState(begin);
    await runImport(begin, stopping.current.signal, change);
  };
  const begin = (collectionId: string, dryRun: boolean) => {
    const isCut = !isAllOrNothing && canBeCut(fileOptions(plan));
    const options: ImportJob['options'] = {
      ...{ upsertKey, dryRun, onError: isAllOrNothing ? 'abort' : 'skip' },
      sliceBytes: isCut ? SLICE_BYTES : undefined,
      // The import and its corrected rows are undone together. Each part is written once, however often it is sent.
      ...{ correlationId: newIdempotencyKey(), idempotencyKey: newIdempotencyKey() },
    };
    const sent = () => sentFile(file, plan);
    void start({ collectionId, sent, totalBytes: file.size, options }, NOTHING, []);
  };
  const sendCorrected = (corrections: Corrections) => {
    if (state === undefined) return;
    const { job, done, refused } = state;
    const corrected = refused.filter(({ row }) => corrections.has(row));
    const sent = correctedFile(corrected, corrections, plan);
    const next = {
      ...job,
      sent: async () => sent,
      numbers: corrected.map(({ row }) => row),
      options: { ...job.options, sliceBytes: undefined, idempotencyKey: newIdempotencyKey() },
    };
    // These rows are read and counted as refused already.
    const count = corrected.length;
    const before = { ...done, bytes: 0, ownRows: 0, rows: done.rows - count, refused: done.refused - count };
    void start(
      next,
      before,
      refused.filter(({ row }) => !corrections.has(row)),
    );
  };
  const run = {
    state,
    isRunning: state !== undefined && state.outcome === undefined && state.error === undefined,
    /** Sends the rest of an import that failed, beginning with the part that failed. */
    resume: () => void (state && start(state.job, state.done, state.refused)),
    stop: () => {
      stopping.current.abort();
      change({ isStopping: true });
    },
    /** Ends an import that waits until the collection takes more records. */
    end: () => change({ outcome: 'stopped', error: undefined }),
    markUndone: () =>
      setState(now => now && { ...now, isUndone: true, done: { ...now.done, inserted: 0, updated: 0 } }),
  };
  return { run, begin, sendCorrected };
}

/** The client cuts files at the bytes of line ends. */
function canBeCut({ format, skipLines = 0, textEncoding = '' }: ImportOptions): boolean {
  return format !== 'json' && skipLines === 0 && !textEncoding.startsWith('utf-16');
}

/** Imports a file, or the rest of one. */
async function runImport(
  { job, done: before, refused: refusedBefore }: RunState,
  signal: AbortSignal,
  change: (part: Partial<RunState>) => void,
): Promise<void> {
  const { numbers, options } = job;
  const { sliceBytes } = options;
  const refused = new Map(refusedBefore.map(row => [row.row, row]));
  let done = before;
  let totalBytes = 0;
  const show = throttled(change);
  const tell = (rowsOnWay: number) =>
    show.call({ done, rowsOnWay, refused: [...refused.values()].sort((a, b) => a.row - b.row) });
  const refuse = (row: ImportProblem & { readonly line?: string | null }) => {
    const number = numbers?.[row.row - 1] ?? before.ownRows + row.row;
    // A part that is sent again names its rows again.
    if (refused.size < MAX_KEPT || refused.has(number))
      refused.set(number, { line: refused.get(number)?.line ?? null, ...row, row: number });
  };
  const onSlice = (sum: ImportSummary, bytes: number) => {
    done = added(before, sum, bytes);
    tell(0);
    if (signal.aborted && bytes < totalBytes) throw signal.reason;
  };
  const finish = (end: Partial<RunState>) => {
    tell(0);
    show.flush();
    change(end);
  };
  try {
    const file = await job.sent();
    totalBytes = file.body.size;
    const sum = await client.collection(job.collectionId).import(file.body, {
      ...{ ...file.options, ...options },
      startAt: before.bytes,
      onRefused: refuse,
      onProgress: ({ rows }) => tell(before.rows + rows - done.rows),
      onSlice,
      // A part that is on its way is waited for, so that it is known what is written.
      signal: sliceBytes === undefined ? signal : undefined,
    });
    if (sliceBytes === undefined) onSlice(sum, totalBytes);
    finish({ outcome: 'done' });
  } catch (failure) {
    const error = failure instanceof PartialWriteError ? failure.cause : failure;
    const problems = problemsOf(error);
    for (const problem of problems) refuse(problem);
    if (signal.aborted) return finish({ outcome: 'stopped' });
    if (problems.length === 0) {
      noticeFailure(error);
      return finish({ error });
    }
    done = { ...done, refused: refused.size };
    finish({ outcome: 'refused' });
  }
}

function added(before: Done, sum: ImportSummary, bytes: number): Done {
  const both = (list: 'ignored' | 'as_text' | 'rounded') => [
    ...new Set([...before[list], ...(sum[list] ?? [])]),
  ];
  return {
    bytes,
    ownRows: before.ownRows + sum.rows,
    rows: before.rows + sum.rows,
    inserted: before.inserted + sum.inserted,
    updated: before.updated + sum.updated,
    refused: before.refused + sum.skipped,
    ...{ ignored: both('ignored'), as_text: both('as_text'), rounded: both('rounded') },
  };
}

/** The rows that a refusal of the whole file names. */
function problemsOf(error: unknown): readonly ImportProblem[] {
  if (!(error instanceof TcError) || !Array.isArray(error.details)) return [];
  return error.details.filter((each): each is ImportProblem => typeof each?.row === 'number');
}
