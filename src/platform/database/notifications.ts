import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { type ChangedIds, changedIds, newId } from '../../base/kernel/id.js';
import { Settings } from '../config/settings.js';
import { addressPastPooler, CONNECT_WITHIN_MS } from './connections/options.js';
import { OutageLog } from './outage-log.js';

const RECONNECT_MS = 500;
/** Together with `ARRIVES_WITHIN_MS` a silent connection is noticed within 5 s. */
const HEARTBEAT_MS = 2_500;
/** A response or a notification takes milliseconds; after this time it is considered lost. */
const ARRIVES_WITHIN_MS = 2_000;
/** Every 12 heartbeats, 30 seconds, caches are read again in any case (platform contract, "Gateway and runtime"). */
const REREAD_EVERY = 12;

/** Changes of rows that instances cache. Triggers send them, so changes made by hand are included. */
export type ChangeEvent = 'jwks.updated' | 'sessions.revoked' | 'permissions.changed' | 'quota.recalled';

type Handler = (changed: ChangedIds) => void;

/** A notification that was sent did not arrive in time. */
class NotificationLost extends Error {}

/**
 * Calls handlers when rows that this instance may have cached were changed, by any instance or by hand. It listens on a
 * connection of its own. A transaction pooler would lose LISTEN silently, so heartbeats are sent over another
 * connection and must arrive. After a reconnect all handlers are called with `all`, because notifications in between
 * are lost. While the connection is down, caches must not be used.
 */
@Injectable()
export class Notifications implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly outage = new OutageLog(new Logger(Notifications.name), 'listening for changes');
  // biome-ignore lint/plugin/bounded-maps: channels, which are constants
  private readonly handlers = new Map<string, Handler[]>();
  private readonly rereads: (() => void)[] = [];
  private readonly heartbeat = `heartbeat.${newId()}`;
  private client: pg.Client | undefined;
  private listening = false;
  private timer: NodeJS.Timeout | undefined;
  private heartbeatArrived: () => void = () => {};
  private stopped = false;

  constructor(
    private readonly settings: Settings,
    @InjectDataSource() private readonly source: DataSource,
  ) {}

  subscribe(event: ChangeEvent, handler: Handler): void {
    const channel = this.channelOf(event);
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  /** For caches that only notifications invalidate: the handler is called every 30 seconds in any case. */
  onReread(handler: () => void): void {
    this.rereads.push(handler);
  }

  /** True while notifications arrive. */
  get isListening(): boolean {
    return this.listening;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.connect();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  /** There are two channels for signing keys, and an instance needs one of them. */
  private channelOf(event: ChangeEvent): string {
    if (event !== 'jwks.updated') return event;
    return `${this.settings.PLATFORM_ROLES.includes('gateway') ? 'gateway' : 'runtime'}.${event}`;
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: addressPastPooler(this.settings),
      application_name: 'typed-collections listen',
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: ARRIVES_WITHIN_MS,
      keepAlive: true,
    });
    client.on('error', error => this.lost(client, error));
    client.on('end', () => this.lost(client, new Error('the connection has ended')));
    client.on('notification', ({ channel, payload }) => this.notify(channel, changedIds(payload ?? '')));
    this.client = client;
    try {
      await client.connect();
      const channels = [...this.handlers.keys(), this.heartbeat];
      await client.query(channels.map(channel => `LISTEN ${client.escapeIdentifier(channel)}`).join(';'));
      await this.receiveHeartbeat();
      if (client === this.client) this.begin(client);
    } catch (error) {
      this.lost(client, error as Error);
    }
  }

  private begin(client: pg.Client): void {
    this.outage.succeeded();
    this.listening = true;
    this.notifyAll();
    this.beat(client, 1);
  }

  private beat(client: pg.Client, count: number): void {
    this.timer = setTimeout(() => {
      this.check(client).then(
        () => {
          if (client !== this.client) return;
          if (count % REREAD_EVERY === 0) for (const reread of this.rereads) reread();
          this.beat(client, count + 1);
        },
        error => this.lost(client, error),
      );
    }, HEARTBEAT_MS).unref();
  }

  private async check(client: pg.Client): Promise<void> {
    const arrived = this.receiveHeartbeat().catch(error => {
      // A heartbeat that could not be sent, because the pool is busy, does not concern this connection.
      if (error instanceof NotificationLost) throw error;
    });
    await Promise.all([client.query('SELECT 1'), arrived]);
  }

  /**
   * Sends the heartbeat over the pool, because a pooler could answer on the listening connection although LISTEN was
   * lost.
   */
  private async receiveHeartbeat(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const arrived = new Promise<void>(resolve => {
      this.heartbeatArrived = resolve;
    });
    await this.source.query('SELECT pg_notify($1, $2)', [this.heartbeat, '']);
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new NotificationLost('no notification arrives')), ARRIVES_WITHIN_MS);
    });
    await Promise.race([arrived, late]).finally(() => clearTimeout(timer));
  }

  private lost(client: pg.Client, error: Error): void {
    if (this.stopped || client !== this.client) return;
    this.outage.failed(error);
    this.client = undefined;
    this.listening = false;
    this.notifyAll();
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS).unref();
  }

  private notify(channel: string, changed: ChangedIds): void {
    if (channel === this.heartbeat) this.heartbeatArrived();
    for (const handler of this.handlers.get(channel) ?? []) handler(changed);
  }

  private notifyAll(): void {
    for (const channel of this.handlers.keys()) this.notify(channel, 'all');
  }
}
