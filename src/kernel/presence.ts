/** Whether a caller still waits for its answer. An `AbortController` is one. */
export interface Presence {
  /** Aborted when the caller has gone. May be made only when it is asked for. */
  readonly signal: AbortSignal;
}

/** What work is given up with whose caller has gone. Nobody gets it as an answer. */
export class CallerGone extends Error {
  constructor() {
    super('the caller has gone');
  }
}
