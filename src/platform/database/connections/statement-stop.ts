import { Logger } from '@nestjs/common';
import type { ClientBase, PoolClient } from 'pg';
import type { Presence } from '../../../base/kernel/bounds/deadline.js';
import { cancelConnection, privateClient } from '../private-api.js';

/** The caller is watched only after this time: nearly every statement has ended by then. */
const WATCHED_AFTER_MS = 100;
const SENT_WITHIN_MS = 5_000;

/** Cancels a statement when its caller disconnects, by a cancel request on another connection. */
export class StatementStop {
  private readonly timer: NodeJS.Timeout;
  private signal: AbortSignal | undefined;
  private sent: Promise<void> | undefined;
  private readonly stop = () => {
    this.sent = cancelStatement(this.client);
  };

  constructor(
    private readonly client: PoolClient,
    presence: Presence,
  ) {
    this.timer = setTimeout(() => {
      this.signal = presence.signal;
      if (this.signal.aborted) this.stop();
      else this.signal.addEventListener('abort', this.stop, { once: true });
    }, WATCHED_AFTER_MS);
  }

  /** True when a cancel request was sent. */
  get isSent(): boolean {
    return this.sent !== undefined;
  }

  /** Call it when the statement has ended, and wait for the returned promise before the connection is used again. */
  end(): Promise<void> | undefined {
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.stop);
    return this.sent;
  }
}

/**
 * Asks the server to cancel the statement of a connection. Resolves when the server has closed the connection of the
 * request, which means that it was passed on, or when the server cannot be reached.
 */
export function cancelStatement(client: ClientBase): Promise<void> {
  const { processID, secretKey, host, port, ssl } = privateClient(client);
  const connection = cancelConnection(ssl);
  return new Promise(resolve => {
    const send = () => connection.cancel(processID as number, secretKey);
    connection.on('connect', () => (ssl ? connection.requestSsl() : send()));
    connection.on('sslconnect', send);
    connection.on('error', () => new Logger(StatementStop.name).debug('a cancel request failed'));
    connection.on('end', resolve);
    connection.stream.setTimeout(SENT_WITHIN_MS, () => connection.stream.destroy());
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
