import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Settings } from '../../config/settings.js';
import { type DatabaseState, databaseState } from '../migrating/lowest-version.js';
import { socketOf } from '../private-api.js';
import { clientOptions } from './options.js';
import { SharedQuestion } from './shared-question.js';

const ANSWER_WITHIN_MS = 2_000;

/**
 * Asks the database whether it is ready, on a connection of its own, so that a busy pool does not look like an
 * unreachable database. The connection is opened at the first request and replaced when it breaks or does not respond
 * in time.
 */
@Injectable()
export class ReadinessConnection implements OnApplicationShutdown {
  private client: pg.Client | undefined;
  private readonly question = new SharedQuestion(() => this.ask());

  constructor(private readonly settings: Settings) {}

  /** Whether the database has its tables, and this version may run on it. Rejects when it does not respond in time. */
  state(): Promise<DatabaseState> {
    return this.question.ask();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client?.end().catch(() => undefined);
  }

  private async ask(): Promise<DatabaseState> {
    const client = this.client ?? this.newClient();
    const isNew = this.client === undefined;
    this.client = client;
    try {
      if (isNew) await client.connect();
      return await databaseState(async text => (await client.query(text)).rows);
    } catch (error) {
      this.drop(client);
      throw error;
    }
  }

  /** Connects as requests do, through the pooler if there is one. */
  private newClient(): pg.Client {
    const client = new pg.Client({
      ...clientOptions(this.settings, 'readiness'),
      connectionString: this.settings.DATABASE_URL,
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    });
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    return client;
  }

  /** Destroys the socket, because a silent connection would not respond to a close. */
  private drop(client: pg.Client): void {
    if (this.client === client) this.client = undefined;
    socketOf(client).destroy();
  }
}
