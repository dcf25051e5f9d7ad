/** Time is a dependency: tests set it, services never call `Date.now()` themselves. */
export abstract class Clock {
  abstract now(): Date;

  /** Unix seconds, rounded down (RFC 7519 NumericDate). */
  seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
