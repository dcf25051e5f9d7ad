import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { normalizeIp, type ThrottlerStorage } from '@nestjs/throttler';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../../config/settings.js';
import { PlatformError } from '../../kernel/errors.js';
import { WINDOW_MS } from './limited.decorator.js';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Sources over a limit that an instance remembers. */
const MAX_BLOCKED = 10_000;

/** One statement decides, on the database's clock: of any number of parallel attempts each has a number of its own. */
const COUNT = `
  INSERT INTO rate_limits AS r (name, source, attempts, ends_at)
  VALUES ($1, $2, 1, statement_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (name, source) DO UPDATE SET
    attempts = CASE WHEN r.ends_at > statement_timestamp() THEN r.attempts + 1 ELSE 1 END,
    ends_at = CASE WHEN r.ends_at > statement_timestamp() THEN r.ends_at ELSE excluded.ends_at END
  RETURNING attempts, extract(epoch FROM ends_at - statement_timestamp())::float8 * 1000 AS ms_left`;

/** An address with a port, as some proxies write it. The port differs for each connection. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?::\d+)?$/;

/** The source that an address counts as. An IPv6 client owns its whole /64. Texts that are not an address share one source. */
export function sourceOf(ip = ''): string {
  const { v6, v4 } = WITH_PORT.exec(ip)?.groups ?? {};
  const address = v6 ?? v4 ?? ip;
  return isIP(address) === 0 ? 'unknown' : normalizeIp(address, 64);
}

/** Attempts per source in windows that all instances share: a storage of @nestjs/throttler in PostgreSQL. */
@Injectable()
export class SourceAttempts implements ThrottlerStorage {
  /** Until when a source is over a limit, on the process's monotonic clock: a flood costs no round trips. */
  private readonly blocked = new Map<string, number>();

  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /** Counts an attempt of a source against the limit `name`. Times of the answer are in seconds, rounded up. */
  async increment(
    source: string,
    windowMs: number,
    limit: number,
    _blockDuration: number,
    name: string,
  ): Promise<ThrottlerStorageRecord> {
    const key = `${name} ${source}`;
    const blockedMs = (this.blocked.get(key) ?? 0) - performance.now();
    if (blockedMs > 0) return record(limit + 1, limit, blockedMs);
    const [{ attempts, ms_left }] = await this.source.query(COUNT, [name, source, windowMs]);
    if (attempts > limit) this.block(key, ms_left);
    return record(attempts, limit, ms_left);
  }

  /** Removes counters whose window is over. Returns how many. */
  async removeExpired(): Promise<number> {
    const [, removed] = await this.source.query(
      'DELETE FROM rate_limits WHERE ends_at < statement_timestamp()',
    );
    return removed;
  }

  private block(key: string, ms: number): void {
    this.blocked.delete(key);
    if (this.blocked.size >= MAX_BLOCKED) this.blocked.delete(this.blocked.keys().next().value as string);
    this.blocked.set(key, performance.now() + ms);
  }
}

function record(totalHits: number, limit: number, msLeft: number): ThrottlerStorageRecord {
  const seconds = Math.ceil(msLeft / 1000);
  return { totalHits, timeToExpire: seconds, isBlocked: totalHits > limit, timeToBlockExpire: seconds };
}

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

/** 429; `retryAfter` are the seconds until the limit counts anew. */
export class TooManyRequests extends PlatformError {
  constructor(
    readonly retryAfter: number,
    message = `Too many requests. Try again in ${retryAfter} s.`,
  ) {
    super('TooManyRequests', message);
  }
}
