import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { Settings } from '../../config/settings.js';
import { PlatformError } from '../../kernel/errors.js';
import { isConnectionLost, sqlState } from '../../kernel/sql-state.js';
import type { Rows } from '../statements.js';
import { clientOptions } from './options.js';
import { PreparedNames } from './prepared-names.js';
import { WatchedClient } from './watched-client.js';

const LANES = 2;
/** Statements that may wait on one connection; what they hold is bounded by it. */
const MOST_UNDER_WAY = 4_000;
/** Statements that find a table locked fail after this time, so that they do not block the statements behind them. */
const LOCK_WITHIN_MS = 1;
const LOCKED = '55P03';
/**
 * What becomes of statements that were sent behind one whose preparation failed because of a lock: they find it not prepared,
 * or prepared already (node-postgres sends the text only with the first of them).
 */
const BEHIND_A_LOCKED_ONE = new Set(['26000', '42P05']);

/**
 * Runs statements that are sure to be short, such as reads by id, on two connections that do not wait for one answer
 * before they send the next question. A slow statement would hold up all behind it: everything else takes the pool.
 */
@Injectable()
export class ReadPipeline implements OnApplicationShutdown {
  private readonly lanes: Lane[];
  private next = 0;

  constructor(settings: Settings, names: PreparedNames) {
    this.lanes = Array.from({ length: LANES }, () => new Lane(settings, names));
  }

  /**
   * One statement, its own transaction, one round trip shared with others. When its connection breaks, it is sent again on
   * another one, once for each of them: they may break one after the other. Rejects with node-postgres' error, with 55P03 at
   * once where the table is locked, and with 503 when too many statements wait already.
   */
  async run(text: string, values: unknown[]): Promise<Rows> {
    let broken: Lane | undefined;
    for (let breaks = 0; ; breaks++) {
      const lane = this.choose(broken);
      try {
        return await lane.run(text, values);
      } catch (error) {
        if (BEHIND_A_LOCKED_ONE.has(sqlState(error) ?? ''))
          throw Object.assign(new Error('the table is locked', { cause: error }), { code: LOCKED });
        if (!isConnectionLost(error) || breaks === LANES) throw error;
        broken = lane;
      }
    }
  }

  /** The one with the fewest statements under way, by turns: a connection that does not answer gets few more. */
  private choose(except: Lane | undefined): Lane {
    this.next = (this.next + 1) % LANES;
    let chosen = this.lanes[this.next] as Lane;
    for (const lane of this.lanes) {
      if (chosen === except || (lane !== except && lane.underWay < chosen.underWay)) chosen = lane;
    }
    if (chosen.underWay >= MOST_UNDER_WAY)
      throw new PlatformError('Unavailable', 'Too many reads wait for the database. Retry in a few seconds.');
    return chosen;
  }

  /** Statements that wait for their answer, per connection. */
  get underWay(): readonly number[] {
    return this.lanes.map(lane => lane.underWay);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.lanes.map(lane => lane.close()));
  }
}

/** One pipelining connection, opened at its first use and replaced when it breaks or has grown old. */
class Lane {
  underWay = 0;
  private readonly logger = new Logger(ReadPipeline.name);
  private client: Promise<pg.Client> | undefined;
  private retireAt = 0;
  private corked = false;

  constructor(
    private readonly settings: Settings,
    private readonly names: PreparedNames,
  ) {}

  async run(text: string, values: unknown[]): Promise<Rows> {
    if (this.client === undefined || performance.now() > this.retireAt) this.replace();
    const opened = this.client as Promise<pg.Client>;
    this.underWay += 1;
    try {
      const client = await opened;
      this.sendTogether(client);
      const name = this.names.of(text);
      const { rows } = await client.query<unknown[]>({
        text,
        values,
        rowMode: 'array',
        ...(name && { name }),
      });
      // Statements that were sent before it was replaced say so of a connection that is no longer this one.
      if (this.names.isFull(client, name) && this.client === opened) this.retireAt = 0;
      return rows;
    } finally {
      this.underWay -= 1;
    }
  }

  async close(): Promise<void> {
    const closing = this.client;
    this.client = undefined;
    const client = await closing?.catch(() => undefined);
    await client?.end();
  }

  /** What was asked of the old connection is still answered: `end` waits for it. */
  private replace(): void {
    void this.close().catch(() => undefined);
    const opening: Promise<pg.Client> = this.open(() => this.forget(opening));
    this.client = opening;
    this.retireAt = performance.now() + this.settings.DATABASE_CONNECTION_LIFETIME_SECONDS * 1_000;
    opening.catch(() => this.forget(opening));
  }

  private async open(ended: () => void): Promise<pg.Client> {
    const client = new WatchedClient({
      ...clientOptions(this.settings, 'pipeline', { lock_timeout: LOCK_WITHIN_MS }),
      pipeline: true,
    });
    await client.connect();
    client.on('error', error => {
      this.logger.warn(`a connection was lost: ${error.message}`);
      ended();
    });
    client.on('end', ended);
    return client;
  }

  private forget(client: Promise<pg.Client>): void {
    if (this.client === client) this.client = undefined;
  }

  /** Statements of one turn of the event loop leave in one write: each write is a system call and wakes the server. */
  private sendTogether(client: pg.Client): void {
    if (this.corked) return;
    const { stream } = (
      client as unknown as {
        connection: { stream: NodeJS.WritableStream & { cork(): void; uncork(): void } };
      }
    ).connection;
    this.corked = true;
    stream.cork();
    setImmediate(() => {
      this.corked = false;
      stream.uncork();
    });
  }
}
