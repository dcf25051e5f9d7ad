import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntitySubscriberInterface, TransactionStartEvent } from 'typeorm';
import { sqlState } from '../kernel/sql-state.js';

/**
 * A statement of the pool waits so long for a lock, in milliseconds. Statements on records are then retried without a
 * connection; the transactions of the platform wait as long as a statement may take.
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
 * True when the lock is that of a table. A wait for a row, an index entry or a lock that a function takes has a context
 * (`while updating tuple (0,1) in relation …`); tables are locked before the statement begins, without one.
 */
export function isTableLockTimeout(error: unknown): boolean {
  if (!isLockTimeout(error)) return false;
  const source = (error as { driverError?: unknown }).driverError ?? error;
  return (source as { where?: string }).where === undefined;
}

/**
 * Lets the platform's transactions wait for locks as long as a statement may take: the lock timeout of the pool is for
 * statements on records, which are retried.
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
