import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ClientBase } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { Settings } from '../config/settings.js';
import { PreparedNames } from '../database/prepared-names.js';
import { isStale } from './record-store.js';
import type { Statement } from './statement.js';
import { lockOf, runStepwise } from './stepwise.js';

/** Work on users' tables that one statement cannot do. */
@Injectable()
export class RecordTransactions {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly names: PreparedNames,
    private readonly settings: Settings,
  ) {}

  /** The one row of a statement that writes by CTEs, its fence count first. */
  async write(transaction: EntityManager, statement: Statement): Promise<readonly unknown[]> {
    if (this.settings.DATABASE_CITUS === 'on') {
      const client: ClientBase = await transaction.queryRunner?.connect();
      await client.query(lockOf(statement));
      return (await runStepwise(client, this.names, statement))[0] as unknown[];
    }
    const [row] = await transaction.query(statement.text, statement.values);
    return Object.values(row);
  }

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
