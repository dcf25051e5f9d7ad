import { setTimeout as wait } from 'node:timers/promises';

/**
 * When a request stops retrying, by `performance.now()`. A number, so that it costs nothing where nothing is retried.
 */
export type Deadline = number;

/** The first pause before a retry is at most this long; each further one may be as much longer. */
const PAUSE_STEP_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export function deadlineIn(ms: number): Deadline {
  return performance.now() + ms;
}

export function isOver(deadline: Deadline): boolean {
  return performance.now() >= deadline;
}

/**
 * Pauses before a retry, longer after more failed attempts, and never past the deadline. The length is random, so that
 * requests that contend with each other do not retry at the same moment.
 */
export async function pauseBeforeRetry(deadline: Deadline, failed: number): Promise<void> {
  const longest = Math.min(failed * PAUSE_STEP_MS, LONGEST_PAUSE_MS);
  const ms = Math.min(Math.random() * longest, deadline - performance.now());
  if (ms > 0) await wait(ms);
}

/** The result of `work`, or after `ms` that of `late`, which may throw. The work itself is not stopped. */
export function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout;
  const patience = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, patience.then(late)]).finally(() => clearTimeout(timer));
}

/** Tells whether the caller still waits for its answer. An `AbortController` has this form. */
export interface Presence {
  /** Aborted when the caller has disconnected. May be created on first access. */
  readonly signal: AbortSignal;
}

/** Ends work whose caller has disconnected. It is never sent as an answer. */
export class CallerGone extends Error {
  constructor() {
    super('the caller has gone');
  }
}
