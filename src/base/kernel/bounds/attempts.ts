import { type Deadline, isOver, pauseBeforeRetry } from './deadline.js';

/** A way in which an attempt can fail, and what has to be done before the next attempt. */
export interface Outcome<State> {
  /** True for an error of this outcome. `failed`: attempts before this one that ended with the same outcome. */
  readonly is: (error: unknown, state: State, failed: number) => boolean;
  /** Attempts after this outcome that begin without a pause. Default: all. */
  readonly withoutPause?: number;
  /** Prepares the next attempt. There is none when this throws. */
  readonly prepare?: (error: unknown, state: State, failed: number) => unknown;
  /** The error when the deadline is over. Without it, the next attempt begins even then. */
  readonly late?: (error: unknown) => unknown;
}

/** Repeats an attempt as long as it ends with one of the outcomes. Rejects with the error of another outcome. */
export async function attemptUntil<State, T>(
  until: Deadline,
  state: State,
  attempt: (state: State) => Promise<T>,
  outcomes: readonly Outcome<State>[],
): Promise<T> {
  let failures: Map<Outcome<State>, number> | undefined;
  for (;;) {
    try {
      return await attempt(state);
    } catch (error) {
      failures ??= new Map();
      const outcome = outcomes.find(each => each.is(error, state, failures?.get(each) ?? 0));
      if (outcome === undefined) throw error;
      const failed = failures.get(outcome) ?? 0;
      failures.set(outcome, failed + 1);
      if (failed >= (outcome.withoutPause ?? Infinity)) await pauseBeforeRetry(until, failed + 1);
      await outcome.prepare?.(error, state, failed);
      if (outcome.late !== undefined && isOver(until)) throw outcome.late(error);
    }
  }
}
