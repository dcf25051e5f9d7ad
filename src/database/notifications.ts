import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Settings } from '../config/settings.js';

const CHANNEL = 'platform_changes';
const RECONNECT_MS = 500;
const HEARTBEAT_MS = 5_000;

/** What a notification can be about; the triggers in the migrations send these words. */
export type ChangeTopic = 'credentials' | 'signing-keys';

/**
 * Tells this instance that rows it may have cached were changed, by any instance or by hand. On a connection of
 * its own: a transaction pooler would lose LISTEN silently. After a reconnect every topic is told, because
 * notifications in between are gone; while the connection is away, caches live on their own short bound.
 */
@Injectable()
export class Notifications implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Notifications.name);
  private readonly handlers = new Map<ChangeTopic, (() => void)[]>();
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly settings: Settings) {}

  subscribe(topic: ChangeTopic, handler: () => void): void {
    this.handlers.set(topic, [...(this.handlers.get(topic) ?? []), handler]);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.connect();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.settings.DATABASE_URL,
      application_name: 'typed-collections listen',
      connectionTimeoutMillis: HEARTBEAT_MS,
      query_timeout: HEARTBEAT_MS,
      keepAlive: true,
    });
    client.on('error', () => this.reconnect(client));
    client.on('end', () => this.reconnect(client));
    client.on('notification', ({ payload }) => this.tell(payload as ChangeTopic));
    this.client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      for (const topic of this.handlers.keys()) this.tell(topic);
      this.beat(client);
    } catch (error) {
      this.logger.warn(`listening for changes failed: ${(error as Error).message}`);
      this.reconnect(client);
    }
  }

  private beat(client: pg.Client): void {
    this.timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => client === this.client && this.beat(client),
        () => this.reconnect(client),
      );
    }, HEARTBEAT_MS).unref();
  }

  private reconnect(client: pg.Client): void {
    if (this.stopped || client !== this.client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS).unref();
  }

  private tell(topic: ChangeTopic): void {
    for (const handler of this.handlers.get(topic) ?? []) handler();
  }
}
