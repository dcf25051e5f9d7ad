import type { PoolClient } from 'pg';
import type { PreparedNames } from '../database/connections/prepared-names.js';
import { isLockTimeout } from '../database/lock-timeout.js';
import { execute, type Queryable } from '../database/queryable.js';
import type { Sql } from '../sql/index.js';
import type { CollectionShape } from './collection-shape.js';

/** A transaction on the table of one collection. */
export class RecordTransaction implements Queryable {
  constructor(
    readonly table: Pick<CollectionShape, 'id' | 'orgId'>,
    readonly client: PoolClient,
    readonly names: PreparedNames,
  ) {}

  // biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
  async query(text: string, values?: any[]): Promise<any> {
    return (await this.client.query(text, values)).rows;
  }

  /** Takes an advisory lock. Other statements on the collection do not wait for it. */
  async lock(statement: Sql): Promise<void> {
    try {
      await execute(this, statement);
    } catch (error) {
      throw isLockTimeout(error) ? Object.assign(error as Error, { where: 'a lock of its own' }) : error;
    }
  }
}
