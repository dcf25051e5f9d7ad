import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntitySubscriberInterface, TransactionStartEvent } from 'typeorm';

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
