import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { PlatformError } from '../../kernel/errors.js';
import { WINDOW_MS } from './limits.js';
import { SourceAttempts, sourceOf } from './source-attempts.service.js';
import { TooManyRequests } from './too-many-requests.js';

/**
 * Slows down guesses of credentials, and bodies that are sent without one only to be refused. Refusals alone are
 * counted, by address: a good credential passes from anywhere at any time and costs nothing here, and no guessing locks
 * out the organization or the key that is guessed at.
 */
@Injectable()
export class AuthFailures {
  constructor(
    private readonly settings: Settings,
    private readonly attempts: SourceAttempts,
  ) {}

  /** What to answer instead of `error`: the same, or 429 when a 401 is one too many from this address. */
  async answerTo(error: unknown, ip: string | undefined): Promise<unknown> {
    return error instanceof PlatformError && error.status === 401 ? this.counted(error, ip) : error;
  }

  /** Counts a refusal: resolves with what to answer, which is 429 when it is one too many from this address. */
  async counted(error: PlatformError, ip: string | undefined): Promise<PlatformError> {
    const { RATE_LIMITS, RATE_LIMIT_AUTH_FAILURES: limit } = this.settings;
    if (RATE_LIMITS === 'off') return error;
    const source = sourceOf(ip);
    const { isBlocked, timeToBlockExpire } = await this.attempts.increment(
      source,
      WINDOW_MS,
      limit,
      WINDOW_MS,
      'auth-failures',
    );
    return isBlocked ? new TooManyRequests(timeToBlockExpire) : error;
  }
}
