import { Injectable } from '@nestjs/common';
import { Statements } from '../database/statements.js';
import type { CollectionShape } from './collection-shape.js';
import { type LockRetry, RecordAdmission } from './record-admission.js';
import { RecordTransaction } from './record-transaction.js';
import type { Statement } from './statement.js';
import { TableAccess } from './table-access.js';

export { RecordTransaction } from './record-transaction.js';

/** Runs work on users' tables that needs more than one statement. */
@Injectable()
export class RecordTransactions {
  constructor(
    private readonly statements: Statements,
    private readonly admission: RecordAdmission,
    private readonly tables: TableAccess,
  ) {}

  /** The one row of a statement that writes; its first value is the count of version checks. */
  write(transaction: RecordTransaction, statement: Statement): Promise<readonly unknown[]> {
    return this.tables.runWithin(transaction, statement);
  }

  /**
   * Runs work in a transaction of its own (read committed: every statement sees what was committed before it). The
   * transaction is rolled back when the work returns undefined, and always in a dry run, which still returns its
   * result. Resolves to undefined also when the statements are stale. Work that waits too long for a lock is rolled
   * back and retried.
   */
  run<T>(
    table: Pick<CollectionShape, 'id' | 'orgId'>,
    work: (transaction: RecordTransaction) => Promise<T | undefined>,
    { dryRun = false, ...retry }: { readonly dryRun?: boolean | undefined } & LockRetry = {},
  ): Promise<T | undefined> {
    const attempt = () =>
      this.statements.transaction(
        'BEGIN',
        (client, names) => work(new RecordTransaction(table, client, names)),
        answer => (dryRun || answer === undefined ? 'ROLLBACK' : 'COMMIT'),
      );
    return this.admission.run(table, attempt, retry);
  }
}
