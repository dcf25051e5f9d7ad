import { PlatformError } from '../../kernel/errors.js';

/** 429; `retryAfter` are the seconds until the limit counts anew. */
export class TooManyRequests extends PlatformError {
  constructor(
    readonly retryAfter: number,
    message = `Too many requests. Try again in ${retryAfter} s.`,
  ) {
    super('TooManyRequests', message);
  }
}
