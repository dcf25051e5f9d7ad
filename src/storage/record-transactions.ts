import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { Settings } from '../config/settings.js';
import { PreparedNames } from '../database/connections/prepared-names.js';
import { isLockTimeout } from '../database/lock-timeout.js';
import type { Queryable } from '../database/queryable.js';
import { Statements } from '../database/statements.js';
import type { CollectionShape } from './collection-shape.js';
import { type LockRetry, RecordAdmission } from './record-admission.js';
import type { Statement } from './statement.js';
import { lockOf, runStepwise } from './stepwise.js';

/** A transaction on users' tables. */
export class RecordTransaction implements Queryable {
  constructor(
    readonly client: PoolClient,
    readonly names: PreparedNames,
  ) {}

  // biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
  async query(text: string, values?: any[]): Promise<any> {
    return (await this.client.query(text, values)).rows;
  }

  /** Takes a lock that is not one of a table: others of the collection need not wait for it. */
  async lock({ text, values }: Statement): Promise<void> {
    try {
      await this.client.query(text, values);
    } catch (error) {
      throw isLockTimeout(error) ? Object.assign(error as Error, { where: 'a lock of its own' }) : error;
    }
  }
}

/** Work on users' tables that one statement cannot do. */
@Injectable()
export class RecordTransactions {
  constructor(
    private readonly statements: Statements,
    private readonly admission: RecordAdmission,
    private readonly settings: Settings,
  ) {}

  /** The one row of a statement that writes by CTEs, its fence count first. */
  async write(transaction: RecordTransaction, statement: Statement): Promise<readonly unknown[]> {
    const { client, names } = transaction;
    if (this.settings.DATABASE_CITUS === 'on') {
      await client.query(lockOf(statement));
      return (await runStepwise(client, names, statement))[0] as unknown[];
    }
    const { rows } = await client.query<unknown[]>({ ...statement, rowMode: 'array' });
    return rows[0] as unknown[];
  }

  /**
   * Runs work in a transaction of its own (read committed: every statement sees what was committed before it). Work that
   * comes to undefined is undone; so is all of a dry run, but for its answer. Undefined, too, when the collection is no
   * longer what its statements were made for. Work that waits too long for a lock is undone and done again.
   */
  run<T>(
    table: Pick<CollectionShape, 'id' | 'orgId'>,
    work: (transaction: RecordTransaction) => Promise<T | undefined>,
    { dryRun = false, ...retry }: { readonly dryRun?: boolean | undefined } & LockRetry = {},
  ): Promise<T | undefined> {
    const attempt = () =>
      this.statements.transaction(
        'BEGIN',
        (client, names) => work(new RecordTransaction(client, names)),
        answer => (dryRun || answer === undefined ? 'ROLLBACK' : 'COMMIT'),
      );
    return this.admission.run(table, attempt, retry);
  }
}
