import type { CollectionFullError } from '@typed-collections/client';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../../api/client.js';
import { noticeFailure } from '../../../api/query-client.js';
import { t } from '../../../i18n/language.js';
import type { Slice } from '../file/slices.js';
import {
  type ImportRun,
  NOTHING_YET,
  type Outcome,
  type Progress,
  type RefusedRow,
  runImport,
} from './run-import.js';

/** Refused rows that are kept with their texts. All of them are counted. */
const MAX_KEPT = 2_000;

/** What is imported, and how. */
export interface ImportJob {
  readonly collectionId: string;
  readonly slices: () => AsyncIterable<Slice>;
  readonly format: 'csv' | 'ndjson';
  readonly totalBytes: number;
  /** Nothing is written. */
  readonly isCheck: boolean;
  readonly isAllOrNothing: boolean;
  /** Records with the same value in this column are updated. */
  readonly upsertKey: string | undefined;
  /** Sent with all parts of a file and with its corrected rows, so that they are undone together. */
  readonly correlationId: string;
  /** With the number of a part, the idempotency key of its request: a part is written once, however often it is sent. */
  readonly key: string;
}

export interface RunState {
  readonly job: ImportJob;
  readonly progress: Progress;
  readonly refused: readonly RefusedRow[];
  /** Undefined while the import runs, and if it failed. */
  readonly outcome?: Outcome;
  readonly error?: unknown;
  /** The import waits until the collection takes more records. */
  readonly full?: CollectionFullError;
  readonly isStopping?: boolean;
  /** What was written is undone. */
  readonly isUndone?: boolean;
}

/** An import that goes on after another one: rows of it that were not sent again, and what it has written. */
type Before = Pick<RunState, 'progress' | 'refused'>;

export interface ImportRunner {
  readonly state: RunState | undefined;
  readonly isRunning: boolean;
  readonly start: (job: ImportJob, before?: Before) => void;
  /** Sends the rest of an import that failed, beginning with the part that failed. */
  readonly resume: () => void;
  readonly stop: () => void;
  /** Answers a collection that is full: true sends the rest. */
  readonly goOn: (isRaised: boolean) => void;
  /** What the import has written was undone. */
  readonly markUndone: () => void;
}

/** Runs imports one after the other, and stops when the page is left. */
export function useImportRun(): ImportRunner {
  const [state, setState] = useState<RunState>();
  const stopped = useRef(new AbortController());
  const answer = useRef<(isRaised: boolean) => void>(undefined);
  const change = (part: Partial<RunState>) => setState(before => before && { ...before, ...part });
  const stop = () => {
    stopped.current.abort();
    answer.current?.(false);
    change({ isStopping: true });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the page is left
  useEffect(() => stop, []);
  const start = (
    job: ImportJob,
    before: Before = { progress: NOTHING_YET, refused: [] },
    skipped: number = 0,
  ) => {
    stopped.current = new AbortController();
    setState({ job, ...before });
    const refused = [...before.refused];
    const whenFull = (full: CollectionFullError) =>
      new Promise<boolean>(resolve => {
        answer.current = isRaised => {
          answer.current = undefined;
          setState(({ full: _, ...rest } = { job, ...before }) => rest);
          resolve(isRaised);
        };
        change({ full });
      });
    const show = throttled((progress: Progress) =>
      change({ progress: added(before.progress, progress), refused: [...refused] }),
    );
    run(job, stopped.current.signal, {
      skipped,
      whenFull,
      onProgress: show.call,
      onRefused: row => void (refused.length < MAX_KEPT && refused.push(row)),
    })
      .then(outcome => change({ outcome }))
      .catch(error => {
        noticeFailure(error);
        change(stopped.current.signal.aborted ? { outcome: 'stopped' } : { error });
      })
      .finally(show.flush);
  };
  const isRunning = state !== undefined && state.outcome === undefined && state.error === undefined;
  const markUndone = () =>
    setState(
      before =>
        before && { ...before, isUndone: true, progress: { ...before.progress, inserted: 0, updated: 0 } },
    );
  const resume = () => {
    if (state === undefined) return;
    const { job, progress, refused } = state;
    start(job, { progress, refused }, progress.parts);
  };
  return { state, isRunning, start, resume, stop, goOn: isRaised => answer.current?.(isRaised), markUndone };
}

type Hooks = Pick<ImportRun, 'skipped' | 'whenFull' | 'onProgress' | 'onRefused'>;

function run(job: ImportJob, signal: AbortSignal, hooks: Hooks): Promise<Outcome> {
  const { collectionId, slices, format, isCheck, isAllOrNothing, upsertKey, correlationId, key } = job;
  return runImport({
    ...hooks,
    slices: slices(),
    isAllOrNothing,
    send: (body, onRefused, onRows, part) =>
      client.collection(collectionId).import(body, {
        format,
        upsertKey,
        correlationId,
        idempotencyKey: isCheck ? undefined : `${key}.${part}`,
        dryRun: isCheck,
        onError: isAllOrNothing ? 'abort' : 'skip',
        onRefused,
        onProgress: ({ rows }) => onRows(rows),
        // A part that is on its way is waited for, so that it is known what is written.
        signal: isAllOrNothing ? signal : undefined,
      }),
    isStopped: () => signal.aborted,
    problemText: ({ problem }) => t(`import.unreadable_${problem}`),
  });
}

/** Refused rows that are sent again are no longer refused. */
function added(before: Progress, now: Progress): Progress {
  return {
    bytes: now.bytes,
    rows: before.rows + now.rows,
    inserted: before.inserted + now.inserted,
    updated: before.updated + now.updated,
    refused: before.refused + now.refused,
    parts: before.parts + now.parts,
  };
}

/** Calls at most ten times a second, and at the end with the last value. */
function throttled<T>(show: (value: T) => void) {
  let last = 0;
  let latest: { readonly value: T } | undefined;
  return {
    call: (value: T) => {
      latest = { value };
      const now = performance.now();
      if (now - last < 100) return;
      last = now;
      show(value);
    },
    flush: () => {
      if (latest !== undefined) show(latest.value);
    },
  };
}
