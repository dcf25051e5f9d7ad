import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { isStale } from './record-store.js';

/** Work on users' tables that one statement cannot do. */
@Injectable()
export class RecordTransactions {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /**
   * Runs work in a transaction of its own (read committed: every statement sees what was committed before it). Work that
   * comes to undefined is undone; so is all of a dry run, but for its answer. Undefined, too, when the collection is no
   * longer what its statements were made for.
   */
  async run<T>(
    work: (transaction: EntityManager) => Promise<T | undefined>,
    { dryRun = false } = {},
  ): Promise<T | undefined> {
    let answer: T | undefined;
    try {
      return await this.source.transaction(async transaction => {
        answer = await work(transaction);
        if (dryRun || answer === undefined) throw new Undo();
        return answer;
      });
    } catch (error) {
      if (error instanceof Undo) return answer;
      if (isStale(error)) return undefined;
      throw error;
    }
  }
}

/** Rolls a transaction back in which nothing failed. */
class Undo extends Error {}
