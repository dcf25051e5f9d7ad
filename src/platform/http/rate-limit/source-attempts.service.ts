import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { normalizeIp, type ThrottlerStorage } from '@nestjs/throttler';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inBatches } from '../../../base/kernel/bounds/batches.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../config/settings.js';
import { WINDOW_MS } from './limited.decorator.js';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Maximum number of blocked sources in the memory of an instance. */
const MAX_BLOCKED = 10_000;

/** One atomic statement with the database's clock, so that parallel attempts get different numbers. */
const COUNT = `
  INSERT INTO rate_limits AS r (name, source, attempts, ends_at)
  VALUES ($1, $2, 1, statement_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (name, source) DO UPDATE SET
    attempts = CASE WHEN r.ends_at > statement_timestamp() THEN r.attempts + 1 ELSE 1 END,
    ends_at = CASE WHEN r.ends_at > statement_timestamp() THEN r.ends_at ELSE excluded.ends_at END
  RETURNING attempts, extract(epoch FROM ends_at - statement_timestamp())::float8 * 1000 AS ms_left`;

/** Counters that one statement removes. */
const BATCH = 5_000;
/** There is no index on the time, because each attempt changes it. The rows stay where they were found: they are locked. */
const REMOVE_EXPIRED = `
  DELETE FROM rate_limits WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM rate_limits WHERE ends_at < statement_timestamp() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;

/** An address with a port, as some proxies write it. The port differs for each connection. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?::\d+)?$/;

/**
 * The source of an address. For IPv6 it is the /64, because a client usually has a whole one. Texts that are not an
 * address share one source.
 */
export function sourceOf(ip = ''): string {
  const { v6, v4 } = WITH_PORT.exec(ip)?.groups ?? {};
  const address = v6 ?? v4 ?? ip;
  return isIP(address) === 0 ? 'unknown' : normalizeIp(address, 64);
}

/**
 * Attempts per source in windows that all instances share. Implements the storage of @nestjs/throttler in PostgreSQL.
 */
@Injectable()
export class SourceAttempts implements ThrottlerStorage {
  /** The end of a block by source, on the process's monotonic clock. Blocked sources cause no round trips. */
  // biome-ignore lint/plugin/bounded-maps: at most MAX_BLOCKED
  private readonly blocked = new Map<string, number>();

  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /** Counts an attempt of a source against the limit `name`. Times in the result are in seconds, rounded up. */
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

  /** Removes expired counters. Returns their number. */
  removeExpired(signal?: AbortSignal): Promise<number> {
    return inBatches(BATCH, signal, async () => (await this.source.query(REMOVE_EXPIRED))[1]);
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
 * Limits attempts to guess credentials, and refused bodies that were sent without one. Only refusals are counted, by
 * address. Valid credentials are never limited here, and guessing cannot lock out the organization or key that is
 * guessed.
 */
@Injectable()
export class AuthFailures {
  constructor(
    private readonly settings: Settings,
    private readonly attempts: SourceAttempts,
  ) {}

  /** Returns the error to send: 429 when this 401 exceeds the limit of the address, else `error`. */
  async answerTo(error: unknown, ip: string | undefined): Promise<unknown> {
    return error instanceof PlatformError && error.status === 401 ? this.counted(error, ip) : error;
  }

  /** Counts a refusal. Resolves to the error to send: 429 when the address is over its limit, else `error`. */
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

/** 429. `retryAfter` is the number of seconds until the window ends. */
export class TooManyRequests extends PlatformError {
  constructor(
    readonly retryAfter: number,
    message = `Too many requests. Try again in ${retryAfter} s.`,
  ) {
    super('TooManyRequests', message);
  }
}
