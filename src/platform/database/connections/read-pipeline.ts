import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { PlatformError } from '../../../base/kernel/errors.js';
import { isConnectionLost, sqlState } from '../../../base/kernel/sql-state.js';
import type { Rendered } from '../../../base/sql/index.js';
import { Settings } from '../../config/settings.js';
import { ArrayQuery, socketOf } from '../private-api.js';
import type { Rows } from '../statements.js';
import { clientOptions } from './options.js';
import { type ConnectionLimits, PreparedNames } from './prepared-names.js';
import { type SharedRead, SharedReads } from './shared-reads.js';
import { WatchedClient } from './watched-client.js';

/** Reads by id are small, and these connections serve those of all collections, so they keep more statements. */
const LIMITS: ConnectionLimits = { prepared: 2_000, rare: 2_000 };
/** The difference of the numbers of statements under way from which on the second connection gets statements. */
const MORE_ON_FIRST = 32;
/** Statements that may wait on one connection, which bounds the memory that they take. */
const MAX_UNDER_WAY = 4_000;
/** Statements that find a table locked fail after this time, so that they do not block the statements behind them. */
const LOCK_WITHIN_MS = 1;
const SESSION = {
  lock_timeout: LOCK_WITHIN_MS,
  // The plan for an id does not depend on the id. With `auto` PostgreSQL would plan each statement for few ids again.
  plan_cache_mode: 'force_generic_plan',
  // A plan that reads the whole table, made while the table was small, would be kept until the next ANALYZE.
  enable_seqscan: 'off',
};
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
  private readonly connections: readonly [PipelinedConnection, PipelinedConnection];

  constructor(settings: Settings, names: PreparedNames) {
    this.connections = [new PipelinedConnection(settings, names), new PipelinedConnection(settings, names)];
  }

  /**
   * Runs one statement in a transaction of its own. When its connection breaks, it is sent again on the other one, and
   * once more if that one breaks too. Rejects with the error of node-postgres, with 55P03 at once when the table is
   * locked, and with 503 when too many statements wait. A shared read may be sent as part of a statement.
   */
  async run(read: Rendered | SharedRead): Promise<Rows> {
    let broken: PipelinedConnection | undefined;
    for (let breaks = 0; ; breaks++) {
      const connection = this.choose(broken);
      try {
        return await connection.run(read);
      } catch (error) {
        if (AFTER_A_LOCKED_ONE.has(sqlState(error) ?? ''))
          throw Object.assign(new Error('the table is locked', { cause: error }), { code: LOCKED });
        if (!isConnectionLost(error) || breaks === this.connections.length) throw error;
        broken = connection;
      }
    }
  }

  /**
   * The first connection, because each connection that sends is a system call more and wakes a server process more. The
   * second one gets reads when the first has `MORE_ON_FIRST` more under way, so that a connection that does not respond
   * gets few new ones.
   */
  private choose(except: PipelinedConnection | undefined): PipelinedConnection {
    const [first, second] = this.connections;
    const isSecond =
      except === first || (except !== second && first.underWay > second.underWay + MORE_ON_FIRST);
    const chosen = isSecond ? second : first;
    if (chosen.underWay >= MAX_UNDER_WAY)
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
  private session: Promise<Session> | undefined;
  private retireAt = 0;

  constructor(
    private readonly settings: Settings,
    private readonly names: PreparedNames,
  ) {}

  async run(read: Rendered | SharedRead): Promise<Rows> {
    if (this.session === undefined || performance.now() > this.retireAt) this.replace();
    const opening = this.session as Promise<Session>;
    this.underWay += 1;
    try {
      const session = await opening;
      const rows = await session.run(read);
      // The connection may have been replaced since the statement was sent.
      if (session.isFull && this.session === opening) this.retireAt = 0;
      return rows;
    } finally {
      this.underWay -= 1;
    }
  }

  async close(): Promise<void> {
    const closing = this.session;
    this.session = undefined;
    const session = await closing?.catch(() => undefined);
    await session?.end();
  }

  /** `end` waits for the responses of the old connection. */
  private replace(): void {
    void this.close().catch(() => undefined);
    const opening: Promise<Session> = this.open(() => this.forget(opening));
    this.session = opening;
    this.retireAt = performance.now() + this.settings.DATABASE_CONNECTION_LIFETIME_SECONDS * 1_000;
    opening.catch(() => this.forget(opening));
  }

  private async open(ended: () => void): Promise<Session> {
    const client = new WatchedClient({
      ...clientOptions(this.settings, 'pipeline', SESSION),
      pipeline: true,
    });
    await client.connect();
    client.on('error', error => {
      this.logger.warn(`a connection was lost: ${error.message}`);
      ended();
    });
    client.on('end', ended);
    return new Session(client, this.names);
  }

  private forget(session: Promise<Session>): void {
    if (this.session === session) this.session = undefined;
  }
}

/** An open connection. */
class Session {
  /** True when the connection keeps so many prepared statements that it should be replaced. */
  isFull = false;
  private readonly reads: SharedReads;

  constructor(
    private readonly client: pg.Client,
    private readonly names: PreparedNames,
  ) {
    this.reads = new SharedReads(statement => this.send(statement), socketOf(client));
  }

  run(read: Rendered | SharedRead): Promise<Rows> {
    return this.reads.add(read);
  }

  /** A client that is ending takes no further statements, so those that wait are sent before. */
  end(): Promise<void> {
    this.reads.end();
    return this.client.end();
  }

  private async send({ text, values }: Rendered): Promise<Rows> {
    const name = this.names.of(text);
    const rows = await new ArrayQuery(text, values, name).run(this.client);
    if (this.names.isFull(this.client, name, LIMITS)) this.isFull = true;
    return rows;
  }
}
