import { correctIds } from './id.js';

export const DAY_SECONDS = 86_400;
export const DAY_MS = 1000 * DAY_SECONDS;

/** Time is a dependency: tests set it, services never call `Date.now()` themselves. */
export abstract class Clock {
  abstract now(): Date;

  /** Unix seconds, rounded down (RFC 7519 NumericDate). */
  seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}

/** The machine's clock, corrected by its known difference from the clock that all instances share. */
export class SystemClock extends Clock {
  private behindMs = 0;

  now(): Date {
    return new Date(Date.now() + this.behindMs);
  }

  /** Sets by how many milliseconds the machine's clock is behind; negative when it is ahead. */
  correct(behindMs: number): void {
    this.behindMs = behindMs;
    correctIds(behindMs);
  }
}
