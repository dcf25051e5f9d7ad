import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { Settings } from '../../config/settings.js';
import { PlatformError } from '../../kernel/errors.js';
import { isConnectionLost, sqlState } from '../../kernel/sql-state.js';
import type { Rows } from '../statements.js';
import { clientOptions } from './options.js';
import { PreparedNames } from './prepared-names.js';
import { WatchedClient } from './watched-client.js';

const CONNECTIONS = 2;
/** Statements that may wait on one connection, which bounds the memory that they take. */
const MOST_UNDER_WAY = 4_000;
/** Statements that find a table locked fail after this time, so that they do not block the statements behind them. */
const LOCK_WITHIN_MS = 1;
const LOCKED = '55P03';
/**
 * Errors of statements that were sent after one whose preparation failed because of a lock: "not prepared" or "prepared
 * already" (node-postgres sends the text only with the first of them).
 */
const AFTER_A_LOCKED_ONE = new Set(['26000', '42P05']);

/**
 * Runs short statements, such as reads by id, on two pipelined connections, which send the next statement before the
 * response to the one before has come. A slow statement would delay all after it, so all others use the pool.
 */
@Injectable()
export class ReadPipeline implements OnApplicationShutdown {
  private readonly connections: PipelinedConnection[];
  private next = 0;

  constructor(settings: Settings, names: PreparedNames) {
    this.connections = Array.from({ length: CONNECTIONS }, () => new PipelinedConnection(settings, names));
  }

  /**
   * Runs one statement in a transaction of its own. When its connection breaks, it is sent again on the other one, and
   * once more if that one breaks too. Rejects with the error of node-postgres, with 55P03 at once when the table is
   * locked, and with 503 when too many statements wait.
   */
  async run(text: string, values: unknown[]): Promise<Rows> {
    let broken: PipelinedConnection | undefined;
    for (let breaks = 0; ; breaks++) {
      const connection = this.choose(broken);
      try {
        return await connection.run(text, values);
      } catch (error) {
        if (AFTER_A_LOCKED_ONE.has(sqlState(error) ?? ''))
          throw Object.assign(new Error('the table is locked', { cause: error }), { code: LOCKED });
        if (!isConnectionLost(error) || breaks === CONNECTIONS) throw error;
        broken = connection;
      }
    }
  }

  /**
   * The connection that other statements of this turn of the event loop are sent on, because each write is a system call
   * and wakes a server process. Else the one with the fewest running statements, so that one that does not respond gets
   * few more.
   */
  private choose(except: PipelinedConnection | undefined): PipelinedConnection {
    for (const connection of this.connections) {
      if (connection.isGathering && connection !== except && connection.underWay < MOST_UNDER_WAY)
        return connection;
    }
    this.next = (this.next + 1) % CONNECTIONS;
    let chosen = this.connections[this.next] as PipelinedConnection;
    for (const connection of this.connections) {
      if (chosen === except || (connection !== except && connection.underWay < chosen.underWay))
        chosen = connection;
    }
    if (chosen.underWay >= MOST_UNDER_WAY)
      throw new PlatformError('Unavailable', 'Too many reads wait for the database. Retry in a few seconds.');
    return chosen;
  }

  /** Statements that wait for their response, per connection. */
  get underWay(): readonly number[] {
    return this.connections.map(connection => connection.underWay);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.connections.map(connection => connection.close()));
  }
}

/** A pipelined connection, opened at its first use and replaced when it breaks or reaches its lifetime. */
class PipelinedConnection {
  underWay = 0;
  private readonly logger = new Logger(ReadPipeline.name);
  private client: Promise<pg.Client> | undefined;
  private retireAt = 0;
  /** True while statements of this turn of the event loop wait to be sent in one write. */
  isGathering = false;

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
      // The connection may have been replaced since the statement was sent.
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

  /** `end` waits for the responses of the old connection. */
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

  /** Sends the statements of one turn of the event loop in one write. */
  private sendTogether(client: pg.Client): void {
    if (this.isGathering) return;
    const { stream } = (
      client as unknown as {
        connection: { stream: NodeJS.WritableStream & { cork(): void; uncork(): void } };
      }
    ).connection;
    this.isGathering = true;
    stream.cork();
    setImmediate(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }
}
