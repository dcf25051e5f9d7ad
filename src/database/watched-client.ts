import type { Socket } from 'node:net';
import pg, { type ClientConfig } from 'pg';
import { isConnectionLost } from '../kernel/sql-state.js';
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
