import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { Settings } from '../config/settings.js';
import { clientOptions } from '../database/connection.js';
import type { Queryable } from '../database/queryable.js';
import { WatchedClient } from '../database/watched-client.js';
import { PlatformError } from '../kernel/errors.js';

/** Imports and exports that an instance runs at once; each has a connection beyond the pool. */
const MOST_AT_ONCE = 6;
const WAIT_AT_MOST_MS = 10_000;

/** A connection of one's own; whatever transaction is open ends with it. */
export interface CopySession extends Queryable {
  close(): Promise<void>;
}

/**
 * Connections for what takes as long as its client does. They are not the pool's, so that slow clients hold up no request
 * but other imports and exports.
 */
@Injectable()
export class CopySessions implements OnApplicationShutdown {
  private readonly open = new Set<pg.Client>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly settings: Settings) {}

  /**
   * A session, closed by whoever opened it. A statement is stopped after `timeoutMs`, by default that of all statements; 0 =
   * never. Throws 503 when there is none to be had for a while.
   */
  async start(
    purpose: 'import' | 'export',
    timeoutMs = this.settings.DATABASE_STATEMENT_TIMEOUT_MS,
  ): Promise<CopySession> {
    await this.turn();
    const client = new WatchedClient(
      clientOptions({ ...this.settings, DATABASE_STATEMENT_TIMEOUT_MS: timeoutMs }, purpose),
    );
    this.open.add(client);
    const close = async () => {
      if (!this.open.delete(client)) return;
      this.pass();
      await client.end().catch(() => undefined);
    };
    try {
      await client.connect();
    } catch (error) {
      await close();
      throw error;
    }
    return { query: async (text, values) => (await client.query(text, values)).rows, close };
  }

  /** What is under way fails at once and leaves nothing behind. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.open].map(client => client.end()));
  }

  private async turn(): Promise<void> {
    if (this.running < MOST_AT_ONCE) {
      this.running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const called = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(called), 1);
        reject(
          new PlatformError('Unavailable', 'Too many imports and exports are under way. Try again later.'),
        );
      }, WAIT_AT_MOST_MS);
      this.waiting.push(called);
    });
  }

  private pass(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
  }
}
