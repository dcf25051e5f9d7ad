import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { changedIds } from '../../base/kernel/id.js';
import { render, type Sql, sql } from '../../base/sql/index.js';
import { PreparedNames } from './connections/prepared-names.js';
import { CredentialChanges } from './credential-changes.js';
import { joinTransaction, poolOf } from './private-api.js';

/** What a transaction begins with. All of it is sent together with BEGIN. */
export interface TransactionOptions {
  /** All statements read from one snapshot, and none of them may write. Otherwise each sees what was committed before. */
  readonly snapshot?: boolean;
  /**
   * How long a statement waits for a lock, in milliseconds. By default it waits as long as a statement may take, because
   * a transaction is not retried.
   */
  readonly lockTimeoutMs?: number;
  /** How long a statement may take, in milliseconds; 0: without limit. Default: `DATABASE_STATEMENT_TIMEOUT_MS`. */
  readonly statementTimeoutMs?: number;
  /** The key of an advisory lock that the transaction waits for, as SQL without parameters. */
  readonly lock?: Sql;
}

/** How a transaction on a plain connection begins and ends. */
interface ConnectionOptions {
  /** Statements without parameters, which are sent together with BEGIN. */
  readonly first?: Sql;
  /** The transaction is rolled back also when its work succeeds. */
  readonly dryRun?: boolean;
}

type Work<T> = (manager: EntityManager) => Promise<T>;

/** In one transaction, a snapshot of everything that was committed when it began. */
export const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/** Also reads the payloads that triggers have sent by NOTIFY in this transaction, for other processes. */
const COMMIT = `SELECT current_setting('platform.changes', true) AS changes; COMMIT`;

/**
 * Opens every transaction of the service on a connection of the pool. A transaction is committed when its work succeeds,
 * and rolled back when the work throws.
 */
@Injectable()
export class Transactions {
  private readonly pool: Pool;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly names: PreparedNames,
    private readonly changes: CredentialChanges,
  ) {
    this.pool = poolOf(source);
  }

  /** For a program that is not the service, such as a command on a database of its own. */
  static on(source: DataSource): Transactions {
    return new Transactions(source, new PreparedNames(), new CredentialChanges());
  }

  /**
   * Runs work on the tables of the platform. When it has changed rights or credentials, this process drops its cached
   * copies of them before the promise resolves.
   */
  run<T>(work: Work<T>): Promise<T>;
  run<T>(options: TransactionOptions, work: Work<T>): Promise<T>;
  async run<T>(...given: [Work<T>] | [TransactionOptions, Work<T>]): Promise<T> {
    const [options, work] = given.length === 1 ? [{}, given[0]] : given;
    const runner = this.source.createQueryRunner();
    try {
      const client: ClientBase = await runner.connect();
      try {
        await client.query(beginning(options));
        joinTransaction(runner);
        const result = await work(runner.manager);
        this.announce(await client.query(COMMIT));
        return result;
      } catch (error) {
        await rolledBack(client);
        throw error;
      }
    } finally {
      await runner.release();
    }
  }

  /**
   * Runs work on the tables of organizations on a plain connection, with the lock timeout of the pool: such work gives
   * its connection back when it waits too long for a lock, and is retried.
   */
  async onConnection<T>(
    work: (client: PoolClient, names: PreparedNames) => Promise<T>,
    { first, dryRun = false }: ConnectionOptions = {},
  ): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query(first === undefined ? 'BEGIN' : `BEGIN; ${render(first).text}`);
      const result = await work(client, this.names);
      await client.query(dryRun ? 'ROLLBACK' : 'COMMIT');
      return result;
    } catch (error) {
      broken = await rolledBack(client);
      throw error;
    } finally {
      client.release(broken ?? this.names.isFull(client, undefined));
    }
  }

  /** `committed`: the results of COMMIT, of which node-postgres returns one for each statement. */
  private announce(committed: unknown): void {
    const [{ rows }] = committed as [{ rows: [{ changes: string | null }] }];
    for (const payload of rows[0].changes?.split('\n') ?? [])
      if (payload !== '') this.changes.announce(changedIds(payload));
  }
}

/** Returns the error of a connection that is lost. */
function rolledBack(client: ClientBase): Promise<Error | undefined> {
  return client.query('ROLLBACK').then(
    () => undefined,
    error => error,
  );
}

function beginning({ snapshot, lockTimeoutMs = 0, statementTimeoutMs, lock }: TransactionOptions): string {
  const statements = [snapshot ? BEGIN_SNAPSHOT : 'BEGIN', `SET LOCAL lock_timeout = ${lockTimeoutMs}`];
  if (statementTimeoutMs !== undefined)
    statements.push(`SET LOCAL statement_timeout = ${statementTimeoutMs}`);
  // The lock has a statement of its own, because a statement that waits for a lock still sees the snapshot from before.
  if (lock !== undefined) statements.push(render(sql`SELECT pg_advisory_xact_lock(${lock})`).text);
  return statements.join('; ');
}
