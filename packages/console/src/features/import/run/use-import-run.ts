import type { CollectionFullError } from '@typed-collections/client';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { client } from '../../../api/client.js';
import { noticeFailure } from '../../../api/query-client.js';
import { t } from '../../../i18n/language.js';
import { throttled } from '../../../values/throttled.js';
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
  readonly full?: CollectionFullError | undefined;
  readonly isStopping?: boolean;
  /** What was written is undone. */
  readonly isUndone?: boolean;
}

/** An import that goes on after another one: rows of it that were not sent again, and what it has written. */
type Before = Pick<RunState, 'progress' | 'refused'>;

/** Runs imports one after the other. */
export class ImportRunner {
  private current: RunState | undefined;
  private stopped = new AbortController();
  private answer: ((isRaised: boolean) => void) | undefined;
  private readonly listeners = new Set<() => void>();

  readonly getState = (): RunState | undefined => this.current;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get state(): RunState | undefined {
    return this.current;
  }

  get isRunning(): boolean {
    const { current } = this;
    return current !== undefined && current.outcome === undefined && current.error === undefined;
  }

  start(job: ImportJob, before: Before = { progress: NOTHING_YET, refused: [] }, skipped = 0): void {
    const stopped = new AbortController();
    this.stopped = stopped;
    this.set({ job, ...before });
    const refused = [...before.refused];
    const show = throttled((progress: Progress) =>
      this.change({ progress: added(before.progress, progress), refused: [...refused] }),
    );
    run(job, stopped.signal, {
      skipped,
      whenFull: full => this.ask(full),
      onProgress: show.call,
      onRefused: row => void (refused.length < MAX_KEPT && refused.push(row)),
    })
      .then(outcome => this.change({ outcome }))
      .catch(error => {
        noticeFailure(error);
        this.change(stopped.signal.aborted ? { outcome: 'stopped' } : { error });
      })
      .finally(show.flush);
  }

  /** Sends the rest of an import that failed, beginning with the part that failed. */
  readonly resume = (): void => {
    if (this.current === undefined) return;
    const { job, progress, refused } = this.current;
    this.start(job, { progress, refused }, progress.parts);
  };

  readonly stop = (): void => {
    this.stopped.abort();
    this.answer?.(false);
    this.change({ isStopping: true });
  };

  /** Answers a collection that is full: true sends the rest. */
  readonly goOn = (isRaised: boolean): void => this.answer?.(isRaised);

  /** What the import has written was undone. */
  readonly markUndone = (): void => {
    if (this.current === undefined) return;
    this.change({ isUndone: true, progress: { ...this.current.progress, inserted: 0, updated: 0 } });
  };

  /** Waits until the collection takes more records, or nobody wants to go on. */
  private ask(full: CollectionFullError): Promise<boolean> {
    return new Promise(resolve => {
      this.answer = isRaised => {
        this.answer = undefined;
        this.change({ full: undefined });
        resolve(isRaised);
      };
      this.change({ full });
    });
  }

  private change(part: Partial<RunState>): void {
    if (this.current !== undefined) this.set({ ...this.current, ...part });
  }

  private set(state: RunState): void {
    this.current = state;
    for (const listener of this.listeners) listener();
  }
}

/** An import of the page, which stops when the page is left. */
export function useImportRun(): ImportRunner {
  const [runner] = useState(() => new ImportRunner());
  useSyncExternalStore(runner.subscribe, runner.getState);
  useEffect(() => runner.stop, [runner]);
  return runner;
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
