import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { type ChangedIds, changedIds, newId } from '../kernel/id.js';
import { addressPastPooler, CONNECT_WITHIN_MS } from './connections/options.js';
import { OutageLog } from './outage-log.js';

const RECONNECT_MS = 500;
/** With the time below, a link that has gone silent is noticed within 5 s. */
const HEARTBEAT_MS = 2_500;
/** An answer or a notification takes milliseconds; one that takes longer than this has been lost on the way. */
const HEARD_WITHIN_MS = 2_000;
/** Every so many heartbeats, 30 seconds, tables are read again whatever was heard (platform contract, "Gateway and runtime"). */
const REREAD_EVERY = 12;

/** What others change and this instance may remember; sent by triggers, so that a row changed by hand counts too. */
export type ChangeEvent = 'jwks.updated' | 'sessions.revoked' | 'permissions.changed' | 'quota.recalled';

type Handler = (changed: ChangedIds) => void;

/** What was sent was not heard. */
class Deaf extends Error {}

/**
 * Tells this instance which rows it may have cached were changed, by any instance or by hand. It listens on a connection
 * of its own. A transaction pooler would lose LISTEN silently, so a heartbeat is sent over another connection and must
 * arrive. After a reconnect every handler is told that all may have changed, because the notifications in between are
 * lost; while the connection is down, nothing that was remembered may be trusted.
 */
@Injectable()
export class Notifications implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly outage = new OutageLog(new Logger(Notifications.name), 'listening for changes');
  private readonly handlers = new Map<string, Handler[]>();
  private readonly rereads: (() => void)[] = [];
  private readonly heartbeat = `heartbeat.${newId()}`;
  private client: pg.Client | undefined;
  private listening = false;
  private timer: NodeJS.Timeout | undefined;
  private heard: () => void = () => {};
  private stopped = false;

  constructor(
    private readonly settings: Settings,
    @InjectDataSource() private readonly source: DataSource,
  ) {}

  subscribe(event: ChangeEvent, handler: Handler): void {
    const channel = this.channelOf(event);
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  /** For what is remembered for as long as nothing is heard: it is read again every 30 seconds, whatever was heard. */
  onReread(handler: () => void): void {
    this.rereads.push(handler);
  }

  /** True while this instance hears of changes. */
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

  /** Of the two events about signing keys an instance needs one. */
  private channelOf(event: ChangeEvent): string {
    if (event !== 'jwks.updated') return event;
    return `${this.settings.PLATFORM_ROLES.includes('gateway') ? 'gateway' : 'runtime'}.${event}`;
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: addressPastPooler(this.settings),
      application_name: 'typed-collections listen',
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: HEARD_WITHIN_MS,
      keepAlive: true,
    });
    client.on('error', error => this.lost(client, error));
    client.on('end', () => this.lost(client, new Error('the connection has ended')));
    client.on('notification', ({ channel, payload }) => this.tell(channel, changedIds(payload ?? '')));
    this.client = client;
    try {
      await client.connect();
      const channels = [...this.handlers.keys(), this.heartbeat];
      await client.query(channels.map(channel => `LISTEN ${client.escapeIdentifier(channel)}`).join(';'));
      await this.hearOneself();
      if (client === this.client) this.begin(client);
    } catch (error) {
      this.lost(client, error as Error);
    }
  }

  private begin(client: pg.Client): void {
    this.outage.succeeded();
    this.listening = true;
    this.tellAll();
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
    const heard = this.hearOneself().catch(error => {
      // A heartbeat that was not sent, because the pool is busy, says nothing about this connection.
      if (error instanceof Deaf) throw error;
    });
    await Promise.all([client.query('SELECT 1'), heard]);
  }

  /** Over the pool: on the connection that listens, a pooler in between would answer as if all were well. */
  private async hearOneself(): Promise<void> {
    let patience: NodeJS.Timeout | undefined;
    const heard = new Promise<void>(resolve => {
      this.heard = resolve;
    });
    await this.source.query('SELECT pg_notify($1, $2)', [this.heartbeat, '']);
    const late = new Promise<never>((_, reject) => {
      patience = setTimeout(() => reject(new Deaf('no notification arrives')), HEARD_WITHIN_MS);
    });
    await Promise.race([heard, late]).finally(() => clearTimeout(patience));
  }

  private lost(client: pg.Client, error: Error): void {
    if (this.stopped || client !== this.client) return;
    this.outage.failed(error);
    this.client = undefined;
    this.listening = false;
    this.tellAll();
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS).unref();
  }

  private tell(channel: string, changed: ChangedIds): void {
    if (channel === this.heartbeat) this.heard();
    for (const handler of this.handlers.get(channel) ?? []) handler(changed);
  }

  private tellAll(): void {
    for (const channel of this.handlers.keys()) this.tell(channel, 'all');
  }
}
