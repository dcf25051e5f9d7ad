import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PreparedNames } from './prepared-names.js';

/** Rows as arrays of column values, in the order of the select list. */
export type Rows = readonly unknown[][];

/**
 * Runs the hand-made SQL of users' tables on the pool that TypeORM opened. Statements are prepared by their text,
 * so text must never hold a value.
 */
@Injectable()
export class Statements {
  /** Whose counts the metrics show. */
  readonly pool: Pick<Pool, 'connect' | 'totalCount' | 'idleCount' | 'waitingCount'>;

  constructor(
    @InjectDataSource() source: DataSource,
    private readonly names: PreparedNames,
  ) {
    this.pool = (source.driver as unknown as { master: Pool }).master;
  }

  /** One statement, one round trip, its own transaction. Rejects with node-postgres' DatabaseError. */
  async run(text: string, values: unknown[]): Promise<Rows> {
    const name = this.names.of(text);
    const client = await this.pool.connect();
    let broken: boolean | Error = false;
    try {
      const result = await client.query<unknown[]>({ text, values, rowMode: 'array', ...(name && { name }) });
      return result.rows;
    } catch (error) {
      broken = !isServerError(error) && (error as Error);
      throw error;
    } finally {
      client.release(broken || (name !== undefined && this.names.isFull(client, name)));
    }
  }
}

/** True when PostgreSQL answered with an error (SQLSTATE), so that the connection is still in order. */
function isServerError(error: unknown): boolean {
  return typeof (error as { severity?: unknown }).severity === 'string';
}
