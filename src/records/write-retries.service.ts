import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import { type Deadline, isOver, pauseBeforeRetry } from '../kernel/bounds/deadline.js';
import { PlatformError } from '../kernel/errors.js';
import { sqlState } from '../kernel/sql-state.js';
import { ExpiredRecords } from './expiry.service.js';
import { refusal } from './record-writes.js';

/** PostgreSQL rolls back one of the transactions in a deadlock. */
const DEADLOCK = '40P01';

/** Retries deadlocks until the deadline of the request; maps other database errors to client errors. */
@Injectable()
export class WriteRetries {
  constructor(private readonly expired: ExpiredRecords) {}

  /** Rejects with the client error for what the database has refused. */
  runOrRefuse<T>(
    collection: Collection,
    until: Deadline,
    write: () => Promise<T>,
    toRefusal = refusal,
  ): Promise<T> {
    return this.run(collection, until, write).catch(error => {
      throw toRefusal(error, collection);
    });
  }

  /** Rejects with the database's error. */
  async run<T>(collection: Collection, until: Deadline, write: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.expired.removeExpiredAndRetry(collection, until, write);
      } catch (error) {
        if (sqlState(error) !== DEADLOCK) throw error;
        if (isOver(until)) throw recordsKeepChanging();
        await pauseBeforeRetry(until, attempt);
      }
    }
  }
}

/** 409: concurrent writes made every attempt fail until the deadline. */
export function recordsKeepChanging(): PlatformError {
  return new PlatformError(
    'Conflict',
    'Other writes keep changing the same records. Nothing was written. Retry.',
  );
}
