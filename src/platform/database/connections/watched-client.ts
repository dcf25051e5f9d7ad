import pg, { type ClientConfig, type PoolClient } from 'pg';
import { isConnectionLost } from '../../../base/kernel/sql-state.js';
import { privateClient, socketOf } from '../private-api.js';
import { LinkWatch, type Watched } from './link-watch.js';

/** Options of a watched connection. */
export interface WatchedConfig extends ClientConfig {
  /** A statement behind a pooler is given up after this time, because the server cannot be asked about it. */
  readonly silenceLimitMs?: number;
}

/** One for the process, because one timer watches the connections of all pools. */
const watch = new LinkWatch();

/**
 * A connection whose statements fail within seconds when the network no longer passes packets. It has an error
 * listener, because an error event without one would end the process; statements under way fail with the error in any
 * case.
 */
export class WatchedClient extends pg.Client implements Watched {
  /** True when the server has announced the end of this connection; the socket may still be open. */
  isEnding = false;
  private readonly config: WatchedConfig;

  constructor(config: WatchedConfig = {}) {
    super(config);
    this.config = config;
    this.on('error', () => undefined);
    privateClient(this).connection.on('errorMessage', error => {
      this.isEnding ||= isConnectionLost(error);
    });
    this.once('connect', () => watch.add(this));
    this.once('end', () => watch.remove(this));
  }

  get address(): string {
    return `${this.user}@${this.host}:${this.port}/${this.database}`;
  }

  get monitorConfig(): ClientConfig {
    return { ...this.config, application_name: 'typed-collections monitor', pipeline: false };
  }

  get silenceLimitMs(): number {
    return this.config.silenceLimitMs ?? Number.POSITIVE_INFINITY;
  }

  get backendPid(): number | null {
    return privateClient(this).processID;
  }

  get isWaiting(): boolean {
    return privateClient(this).readyForQuery === false;
  }

  get isSpare(): boolean {
    return false;
  }

  get bytesRead(): number {
    return socketOf(this).bytesRead;
  }

  abandon(reason: Error): void {
    socketOf(this).destroy(reason);
  }
}

/** A watched connection of a pool. */
export class PooledClient extends WatchedClient {
  override get isSpare(): boolean {
    return !this.isWaiting && ['I', null].includes(this.getTransactionStatus());
  }
}

/**
 * Number of uses by TypeORM after which a connection is replaced. Each use may be about another table, because jobs
 * work on the tables of all organizations. PostgreSQL keeps the metadata of a table, 10 to 20 kB with each of its
 * indexes, for the life of the connection.
 */
const MAX_USES = 1_000;

type Borrow = (error: Error | undefined, client: PoolClient | undefined, done: Release) => void;
type Release = (error?: Error | boolean) => void;

/**
 * The pool for TypeORM. TypeORM borrows with a callback and returns every connection as if it could be used again, so
 * this pool itself closes those that the server is ending. Callers that use the promise decide that themselves.
 */
export class BoundedPool extends pg.Pool {
  private readonly uses = new WeakMap<PoolClient, number>();

  override connect(): Promise<PoolClient>;
  override connect(borrow: Borrow): void;
  override connect(borrow?: Borrow): Promise<PoolClient> | undefined {
    if (borrow === undefined) return super.connect();
    super.connect((error, client, done) => {
      borrow(
        error,
        client,
        client === undefined ? done : failure => done(failure || isEnding(client) || this.isUsedUp(client)),
      );
    });
  }

  private isUsedUp(client: PoolClient): boolean {
    const uses = (this.uses.get(client) ?? 0) + 1;
    this.uses.set(client, uses);
    return uses >= MAX_USES;
  }
}

function isEnding(client: PoolClient): boolean {
  return (client as PoolClient & Pick<PooledClient, 'isEnding'>).isEnding;
}
