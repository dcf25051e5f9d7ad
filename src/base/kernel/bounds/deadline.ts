import { setTimeout as wait } from 'node:timers/promises';

/**
 * Time after which a request is not retried any more, or a transfer ends, by `performance.now()`. It is a plain number, so it costs nothing
 * for requests that are not retried.
 */
export type Deadline = number;

/** Maximum of the first pause before a retry. The maximum grows by this step with each failed attempt. */
const PAUSE_STEP_MS = 50;
const MAX_PAUSE_MS = 1_000;

export function deadlineIn(ms: number): Deadline {
  return performance.now() + ms;
}

export function isOver(deadline: Deadline): boolean {
  return performance.now() >= deadline;
}

/** Milliseconds until the deadline; 0 after it. */
export function timeLeft(deadline: Deadline): number {
  return Math.max(0, deadline - performance.now());
}

/**
 * Pauses before a retry, longer after more failed attempts, and never past the deadline. The length is random, so that
 * requests that contend with each other do not retry at the same moment.
 */
export async function pauseBeforeRetry(deadline: Deadline, failed: number): Promise<void> {
  const longest = Math.min(failed * PAUSE_STEP_MS, MAX_PAUSE_MS);
  const ms = Math.min(Math.random() * longest, deadline - performance.now());
  if (ms > 0) await wait(ms);
}

/** The result of `work`; after `ms` the result of `late`, which may throw. The work itself is not stopped. */
export function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout;
  const timeout = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, timeout.then(late)]).finally(() => clearTimeout(timer));
}

/** Shows whether the caller is still connected. An `AbortController` has this form. */
export interface Presence {
  /** Aborted when the caller has disconnected. May be created on first access. */
  readonly signal: AbortSignal;
  /** Id of the caller, which takes turns with others. */
  readonly id?: string | undefined;
}

/** Ends work whose caller has disconnected. It is never sent as a response. */
export class CallerGone extends Error {
  constructor() {
    super('the caller has gone');
  }
}
