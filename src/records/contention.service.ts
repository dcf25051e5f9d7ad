import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import { PlatformError } from '../kernel/errors.js';
import { sqlState } from '../kernel/sql-state.js';
import { ExpiredRecords } from './expired-records.service.js';
import { refusal } from './record-errors.js';

const MAX_ATTEMPTS = 5;
/** Those who met do not meet again in step. */
const PAUSE_AT_MOST_MS = 50;
/** Two writes that wait for each other: PostgreSQL ends one of them, and nothing of it is done. */
const DEADLOCK = '40P01';

/** Lets writes meet others: what is nobody's fault is done again, what is the client's is told in its words. */
@Injectable()
export class Contention {
  constructor(private readonly expired: ExpiredRecords) {}

  /** Rejects with what the database refused, in the client's words. */
  settle<T>(collection: Collection, write: () => Promise<T>, told = refusal): Promise<T> {
    return this.meet(collection, write).catch(error => {
      throw told(error, collection);
    });
  }

  /** Rejects with the database's error. */
  async meet<T>(collection: Collection, write: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.expired.outOfTheWay(collection, write);
      } catch (error) {
        if (sqlState(error) !== DEADLOCK) throw error;
        if (attempt === MAX_ATTEMPTS)
          throw new PlatformError('Conflict', 'Other writes are changing the same records. Try again.');
        await pause(Math.random() * attempt * PAUSE_AT_MOST_MS);
      }
    }
  }
}
