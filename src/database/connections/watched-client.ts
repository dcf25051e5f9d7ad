import type { Socket } from 'node:net';
import pg, { type ClientConfig, type PoolClient } from 'pg';
import { isConnectionLost } from '../../kernel/sql-state.js';
import { LinkWatch, type Watched } from './link-watch.js';

/** Options of a watched connection. */
export interface WatchedConfig extends ClientConfig {
  /** Behind a pooler, where the server cannot be asked: a statement that waits longer is given up. */
  readonly silenceLimitMs?: number;
}

/** What node-postgres keeps about a connection and its types do not name. */
interface Internals {
  /** False while a statement is under way. */
  readonly readyForQuery?: boolean;
  readonly processID: number | null;
  readonly connection: {
    readonly stream: Socket;
    on(event: 'errorMessage', told: (error: unknown) => void): void;
  };
}

/** The process's own: connections come from several pools, and one timer looks after all of them. */
const watch = new LinkWatch();

/**
 * A connection whose statements fail within seconds when its link to the server has gone silent. An error event without a
 * listener would end the process; the statement under way fails with it in any case.
 */
export class WatchedClient extends pg.Client implements Watched {
  /** The server has said that it ends this connection; the socket may not be closed yet. */
  isEnding = false;
  private readonly config: WatchedConfig;

  constructor(config: WatchedConfig = {}) {
    super(config);
    this.config = config;
    this.on('error', () => undefined);
    this.internals.connection.on('errorMessage', error => {
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
    return this.internals.processID;
  }

  get isWaiting(): boolean {
    return this.internals.readyForQuery === false;
  }

  get isSpare(): boolean {
    return false;
  }

  get bytesRead(): number {
    return this.internals.connection.stream.bytesRead;
  }

  abandon(reason: Error): void {
    this.internals.connection.stream.destroy(reason);
  }

  private get internals(): Internals {
    return this as unknown as Internals;
  }
}

/** A watched connection of a pool. */
export class PooledClient extends WatchedClient {
  override get isSpare(): boolean {
    return !this.isWaiting && ['I', null].includes(this.getTransactionStatus());
  }
}

/**
 * Times that TypeORM may borrow a connection before it is replaced. Each may be about a table that the connection has not
 * met: jobs go through those of all organizations. What PostgreSQL learns of one, 10 to 20 kB with each of its indexes, it
 * keeps for as long as the connection lives.
 */
const MOST_USES = 1_000;

type Borrow = (error: Error | undefined, client: PoolClient | undefined, done: Release) => void;
type Release = (error?: Error | boolean) => void;

/**
 * The pool for TypeORM, which borrows with a callback and gives back a connection that the server is ending like any other.
 * Who borrows with a promise says itself when a connection is not to be lent again.
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
    return uses >= MOST_USES;
  }
}

function isEnding(client: PoolClient): boolean {
  return (client as PoolClient & Pick<PooledClient, 'isEnding'>).isEnding;
}
