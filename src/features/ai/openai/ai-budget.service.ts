import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock, DAY_MS } from '../../../base/kernel/clock.js';
import { Settings } from '../../../platform/config/settings.js';
import { TooManyRequests } from '../../../platform/http/rate-limit/source-attempts.service.js';

/** Tokens of one call of a model: those sent and those received. */
export interface TokenUse {
  readonly input: number;
  readonly output: number;
}

/** The most that a call can use, taken from the day's budget before the call. */
export interface Reservation {
  readonly orgId: string;
  readonly day: string;
  readonly use: TokenUse;
}

/** One row per organization; the first call of a day resets it. Returns no row when the budget would be exceeded. */
const RESERVE = `
  INSERT INTO ai_usage AS u (org_id, day, tokens, microcents) VALUES ($1, $2, $3, $4)
  ON CONFLICT (org_id) DO UPDATE SET
    day = greatest(u.day, excluded.day),
    tokens = CASE WHEN u.day >= excluded.day THEN u.tokens ELSE 0 END + excluded.tokens,
    microcents = CASE WHEN u.day >= excluded.day THEN u.microcents ELSE 0 END + excluded.microcents
  WHERE u.day < excluded.day OR (u.tokens + excluded.tokens <= $5 AND u.microcents + excluded.microcents <= $6)
  RETURNING 1`;

const SETTLE = `
  UPDATE ai_usage SET tokens = greatest(0, tokens + $3), microcents = greatest(0, microcents + $4)
  WHERE org_id = $1 AND day = $2`;

/**
 * What an organization may spend on a language model in a day (UTC). It is counted in PostgreSQL, so it holds for all
 * instances together, and reserved before each call, so concurrent calls cannot exceed it. The real use is settled after
 * the call.
 */
@Injectable()
export class AiBudget {
  private readonly maxTokens: number;
  private readonly maxMicrocents: number;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    this.maxTokens = settings.AI_TOKENS_PER_DAY;
    this.maxMicrocents =
      settings.AI_COST_PER_DAY === 0 ? Number.MAX_SAFE_INTEGER : settings.AI_COST_PER_DAY * 1_000_000;
  }

  /** Throws 429 when the rest of the day's budget is smaller. */
  async reserve(orgId: string, use: TokenUse): Promise<Reservation> {
    const day = this.clock.now().toISOString().slice(0, 10);
    const [tokens, microcents] = [use.input + use.output, this.microcents(use)];
    const values = [orgId, day, tokens, microcents, this.maxTokens, this.maxMicrocents];
    const alone = tokens <= this.maxTokens && microcents <= this.maxMicrocents;
    const rows = alone ? await this.source.query(RESERVE, values) : [];
    if (rows.length === 0) throw this.spent();
    return { orgId, day, use };
  }

  /** Replaces the reservation by the real use. */
  async settle({ orgId, day, use }: Reservation, used: TokenUse): Promise<void> {
    const tokens = used.input + used.output - use.input - use.output;
    const microcents = this.microcents(used) - this.microcents(use);
    if (tokens !== 0 || microcents !== 0) await this.source.query(SETTLE, [orgId, day, tokens, microcents]);
  }

  /** A price in cents per million tokens is one in millionths of a cent per token. */
  private microcents({ input, output }: TokenUse): number {
    return input * this.settings.AI_INPUT_PRICE + output * this.settings.AI_OUTPUT_PRICE;
  }

  private spent(): TooManyRequests {
    const now = this.clock.now().getTime();
    return new TooManyRequests(
      Math.ceil((DAY_MS - (now % DAY_MS)) / 1000),
      'The organization has spent its budget for the language model today. Retry after midnight UTC.',
    );
  }
}
