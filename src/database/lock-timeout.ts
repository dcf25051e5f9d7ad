import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntitySubscriberInterface, TransactionStartEvent } from 'typeorm';
import { sqlState } from '../kernel/sql-state.js';

/**
 * The lock timeout of the pool's connections, in milliseconds. Statements on records give their connection back and are
 * retried. The platform's transactions have no lock timeout of their own (`PatientTransactions`).
 */
export function lockTimeout(statementTimeoutMs: number): number {
  return Math.min(1_000, Math.ceil(statementTimeoutMs / 2));
}

const LOCK_NOT_AVAILABLE = '55P03';

/** True when a statement failed because it waited too long for a lock. Nothing of its transaction was written. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

/**
 * True when the lock is that of a table. The error has a context (`while updating tuple (0,1) in relation …`) for a
 * row, an index entry or a lock taken in a function, but none for a table, which is locked before the statement begins.
 */
export function isTableLockTimeout(error: unknown): boolean {
  if (!isLockTimeout(error)) return false;
  const source = (error as { driverError?: unknown }).driverError ?? error;
  return (source as { where?: string }).where === undefined;
}

/**
 * Removes the pool's lock timeout from TypeORM's transactions. They are not retried, so they may wait for locks as long
 * as a statement may take.
 */
@Injectable()
export class PatientTransactions implements EntitySubscriberInterface {
  constructor(@InjectDataSource() source: DataSource) {
    source.subscribers.push(this);
  }

  async afterTransactionStart({ queryRunner }: TransactionStartEvent): Promise<void> {
    await queryRunner.query('SET LOCAL lock_timeout = 0');
  }
}
