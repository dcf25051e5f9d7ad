import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { PreparedNames } from './prepared-names.js';

/** Rows as arrays of column values, in the order of the select list. */
export type Rows = readonly unknown[][];

/** Runs hand-made SQL on a pool. Statements are prepared by their text, so text must never hold a value. */
export class PooledStatements {
  constructor(
    /** Whose counts the metrics show. */
    readonly pool: Pick<Pool, 'connect' | 'totalCount' | 'idleCount' | 'waitingCount'>,
    private readonly names: PreparedNames,
  ) {}

  /** Statements of one transaction, which `begin` begins. */
  async transaction<T>(
    begin: string,
    work: (client: PoolClient, names: PreparedNames) => Promise<T>,
  ): Promise<T> {
    const client = await this.pool.connect();
    let broken: boolean | Error = false;
    try {
      await client.query(begin);
      const result = await work(client, this.names);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      broken = !isServerError(error) && (error as Error);
      if (broken === false) await client.query('ROLLBACK').catch(lost => (broken = lost as Error));
      throw error;
    } finally {
      client.release(broken || this.names.isFull(client, undefined));
    }
  }

  /** As `run`, for a statement about many tables: it is not prepared, and its connection is replaced afterwards. */
  async runApart(text: string, values: unknown[]): Promise<Rows> {
    const client = await this.pool.connect();
    try {
      return (await client.query<unknown[]>({ text, values, rowMode: 'array' })).rows;
    } finally {
      client.release(true);
    }
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
      client.release(broken || this.names.isFull(client, name));
    }
  }
}

/** Runs the hand-made SQL of users' tables on the pool that TypeORM opened. */
@Injectable()
export class Statements extends PooledStatements {
  constructor(@InjectDataSource() source: DataSource, names: PreparedNames) {
    super((source.driver as unknown as { master: Pool }).master, names);
  }
}

/** True when PostgreSQL answered with an error (SQLSTATE), so that the connection is still in order. */
function isServerError(error: unknown): boolean {
  return typeof (error as { severity?: unknown }).severity === 'string';
}
