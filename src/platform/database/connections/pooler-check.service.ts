import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { sqlState } from '../../../base/kernel/sql-state.js';
import { Settings } from '../../config/settings.js';
import { poolOf, privateClient } from '../private-api.js';
import { CONNECT_WITHIN_MS } from './options.js';

/** A pooler with a single connection answers the second use only after the other client has ended its transaction. */
const ANSWER_WITHIN_MS = 1_000;

const REFUSAL =
  'The connections of DATABASE_URL lead through a pooler that loses prepared statements. Set max_prepared_statements = 500 in PgBouncer 1.21 or newer, or pool_mode = session, or set DATABASE_URL to the address of PostgreSQL.';

/** Stops the start of the service when DATABASE_URL leads to a pooler that loses prepared statements. */
@Injectable()
export class PoolerCheck implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly settings: Settings,
  ) {}

  async onModuleInit(): Promise<void> {
    if ((await isPooled(this.source)) && (await this.losesStatements())) throw new Error(REFUSAL);
  }

  /** Uses a statement again while another client has the server's connection on which it was prepared. */
  private async losesStatements(): Promise<boolean> {
    const statement = { name: `check_${randomBytes(4).toString('hex')}`, text: 'SELECT 1' };
    const [client, other] = [this.newClient(), this.newClient()];
    try {
      await Promise.all([client.connect(), other.connect()]);
      await client.query(statement);
      // biome-ignore lint/plugin/one-transaction-class: tries whether two connections are two sessions
      await other.query('BEGIN');
      const again = client.query(statement).then(
        () => false,
        error => isUnprepared(error),
      );
      return await Promise.race([again, pause(ANSWER_WITHIN_MS, false, { ref: false })]);
    } finally {
      await Promise.all([other.end(), client.end()]);
    }
  }

  private newClient(): pg.Client {
    const client = new pg.Client({
      connectionString: this.settings.DATABASE_URL,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      application_name: 'typed-collections check',
    });
    client.on('error', () => undefined);
    return client;
  }
}

/** A pooler gives its clients process ids of its own. */
async function isPooled(source: DataSource): Promise<boolean> {
  const client = await poolOf(source).connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return rows[0]?.pid !== privateClient(client).processID;
  } finally {
    client.release();
  }
}

/** 26000: no statement has the name. 42P05: another statement has it. */
function isUnprepared(error: unknown): boolean {
  return ['26000', '42P05'].includes(sqlState(error) ?? '');
}
