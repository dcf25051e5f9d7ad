import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../platform/database/queryable.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { CollectionShape } from './collection-shape.js';
import { type LockRetry, RecordAdmission } from './record-admission.js';
import { type Statement, written } from './statement.js';
import { RecordTransaction, type ServerWork, TableAccess } from './table-access.js';
import type { Table } from './table-sql.js';

/** Runs work on users' tables that needs more than one statement. */
@Injectable()
export class RecordTransactions {
  constructor(
    private readonly transactions: Transactions,
    private readonly admission: RecordAdmission,
    private readonly tables: TableAccess,
  ) {}

  /** True when triggers record the changes of records that others follow. */
  get keepsChanges(): boolean {
    return this.tables.noChanges === undefined;
  }

  /** From here on, versions that the transaction replaces name the audit event, if the collection keeps a history. */
  nameEvent(
    transaction: Queryable,
    shape: Pick<CollectionShape, 'historySince'>,
    eventId: string,
  ): Promise<void> {
    return this.tables.nameEvent(transaction, shape, eventId);
  }

  /** Runs work on the server that has the tables of the organization, in the transaction. */
  onServer<T>(transaction: RecordTransaction, work: ServerWork<T>): Promise<T> {
    return this.tables.onServer(transaction, transaction.table, work);
  }

  /** As `RecordStore.write`, in a transaction. */
  async write<Values extends readonly unknown[] = readonly number[]>(
    transaction: RecordTransaction,
    statement: Statement,
  ): Promise<Values> {
    return written(await this.tables.runWithin(transaction, statement));
  }

  /**
   * Runs work in a transaction of its own (read committed: every statement sees what was committed before it). The
   * transaction is rolled back when the work fails, and always in a dry run, which still returns its result. Work that
   * waits too long for a lock is rolled back and retried.
   */
  run<T>(
    table: Table,
    work: (transaction: RecordTransaction) => Promise<T>,
    { dryRun = false, ...retry }: { readonly dryRun?: boolean | undefined } & LockRetry = {},
  ): Promise<T> {
    const attempt = () =>
      this.transactions.onConnection((client, names) => work(new RecordTransaction(table, client, names)), {
        dryRun,
      });
    return this.admission.run(table, attempt, retry);
  }
}
