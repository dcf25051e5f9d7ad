import { Injectable } from '@nestjs/common';
import { Statements } from '../database/statements.js';
import type { CollectionShape } from './collection-shape.js';
import { type LockRetry, RecordAdmission } from './record-admission.js';
import { RecordTransaction } from './record-transaction.js';
import type { Statement } from './statement.js';
import { TableAccess } from './table-access.js';

export { RecordTransaction } from './record-transaction.js';

/** Work on users' tables that one statement cannot do. */
@Injectable()
export class RecordTransactions {
  constructor(
    private readonly statements: Statements,
    private readonly admission: RecordAdmission,
    private readonly tables: TableAccess,
  ) {}

  /** The one row of a statement that writes, its count of version checks first. */
  write(transaction: RecordTransaction, statement: Statement): Promise<readonly unknown[]> {
    return this.tables.runWithin(transaction, statement);
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
        (client, names) => work(new RecordTransaction(table, client, names)),
        answer => (dryRun || answer === undefined ? 'ROLLBACK' : 'COMMIT'),
      );
    return this.admission.run(table, attempt, retry);
  }
}
