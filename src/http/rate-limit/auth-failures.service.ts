import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { PlatformError } from '../../kernel/errors.js';
import { WINDOW_MS } from './limits.js';
import { SourceAttempts, sourceOf } from './source-attempts.service.js';
import { TooManyRequests } from './too-many-requests.js';

/**
 * Slows down who guesses credentials. Only refusals are counted, by address: a good credential passes from anywhere
 * at any time and costs nothing here, and no guessing locks out the organization or the key that is guessed at.
 */
@Injectable()
export class AuthFailures {
  constructor(
    private readonly settings: Settings,
    private readonly attempts: SourceAttempts,
  ) {}

  /** What to answer instead of `error`: the same, or 429 when a 401 is one too many from this address. */
  async answerTo(error: unknown, ip: string | undefined): Promise<unknown> {
    const { RATE_LIMITS, RATE_LIMIT_AUTH_FAILURES: limit } = this.settings;
    if (RATE_LIMITS === 'off' || !(error instanceof PlatformError && error.status === 401)) return error;
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
