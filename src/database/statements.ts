import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import pg, { type Pool, type PoolClient, type QueryArrayConfig } from 'pg';
import { DataSource } from 'typeorm';
import type { Presence } from '../kernel/deadline.js';
import { rereadWhenLost, sqlState } from '../kernel/sql-state.js';
import { PreparedNames } from './connections/prepared-names.js';
import { StatementStop } from './connections/statement-stop.js';

/** Rows as arrays of column values, in the order of the select list. */
export type Rows = readonly unknown[][] & {
  /** There are more rows, which were left out because of their length. */
  readonly isCut?: boolean;
};

/** What a statement may bring into memory. */
export interface RowBound {
  /** Rows behind so many bytes are left out; the first one is always there. */
  readonly maxBytes: number;
  /** Asked once, when the rows are longer than `freeBytes`; without its consent the statement is given up. */
  readonly freeBytes: number;
  readonly admit: () => boolean;
}

/** Rows that were taken: all of them, those within the bound, or none because the statement was not admitted. */
interface BoundedRows {
  readonly rows: Rows;
  /** Rows were left out, and the server may still be sending them: the connection is not to be used again. */
  readonly isCut: boolean;
}

const UNBOUNDED: RowBound = {
  maxBytes: Number.POSITIVE_INFINITY,
  freeBytes: Number.POSITIVE_INFINITY,
  admit: () => true,
};

/** Runs hand-made SQL on a pool. Statements are prepared by their text, so text must never hold a value. */
export class PooledStatements {
  constructor(
    /** Whose counts the metrics show. */
    readonly pool: Pick<Pool, 'connect' | 'totalCount' | 'idleCount' | 'waitingCount'>,
    private readonly names: PreparedNames,
  ) {}

  /** Statements of one transaction, which `begin` begins. It is committed, unless `ending` says otherwise of its result. */
  async transaction<T>(
    begin: string,
    work: (client: PoolClient, names: PreparedNames) => Promise<T>,
    ending: (result: T) => 'COMMIT' | 'ROLLBACK' = () => 'COMMIT',
  ): Promise<T> {
    const client = await this.pool.connect();
    let broken: boolean | Error = false;
    try {
      await client.query(begin);
      const result = await work(client, this.names);
      await client.query(ending(result));
      return result;
    } catch (error) {
      // Fails on a connection that is lost.
      await client.query('ROLLBACK').catch(lost => (broken = lost as Error));
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

  /**
   * As `runWithin`, for a statement that only reads: it is tried once more when its connection breaks, and stopped when its
   * caller has gone.
   */
  readWithin(text: string, values: unknown[], bound: RowBound, caller?: Presence): Promise<Rows> {
    return rereadWhenLost(() => this.runWithin(text, values, bound, caller));
  }

  /** One statement, one round trip, its own transaction. Rejects with node-postgres' DatabaseError. */
  async run(text: string, values: unknown[]): Promise<Rows> {
    return (await this.send(text, values, UNBOUNDED)).rows;
  }

  /** As `run`; rows that are left out because of the bound are told by `isCut`. All are when it does not admit the statement. */
  async runWithin(text: string, values: unknown[], bound: RowBound, caller?: Presence): Promise<Rows> {
    const { rows, isCut } = await this.send(text, values, bound, caller);
    return isCut ? Object.assign([...rows], { isCut }) : rows;
  }

  private async send(
    text: string,
    values: unknown[],
    bound: RowBound,
    caller?: Presence,
  ): Promise<BoundedRows> {
    const client = await this.pool.connect();
    const stop = caller && new StatementStop(client, caller);
    // Not before: while this one waited, the text may have been forgotten.
    const name = this.names.of(text);
    let broken: boolean | Error = false;
    try {
      const config = { text, values, rowMode: 'array' as const, ...(name && { name }) };
      const result = await take(client, config, bound);
      // The server stops sending when the connection is gone.
      broken = result.isCut;
      return result;
    } catch (error) {
      broken = !isServerError(error) && (error as Error);
      if (name !== undefined && !isPrepared(client, name)) this.names.forget(text);
      throw stop?.isSent ? caller?.signal.reason : error;
    } finally {
      const stopped = stop?.end();
      // A cancel request that comes late would stop the next statement of the connection.
      if (stopped !== undefined) await stopped;
      client.release(broken || stopped !== undefined || this.names.isFull(client, name));
    }
  }
}

/** With a callback and not by a promise, because rows that are cut off are there before the statement has ended. */
function take(client: PoolClient, config: QueryArrayConfig, bound: RowBound): Promise<BoundedRows> {
  return new Promise((resolve, reject) => {
    const query = new BoundedQuery(config, bound, resolve);
    const ended = (error: Error | null, result: { rows: Rows }) =>
      error === null ? resolve({ rows: result.rows, isCut: false }) : reject(error);
    (client.query as (query: BoundedQuery, ended: unknown) => void).call(client, query, ended);
  });
}

/** Runs the hand-made SQL of users' tables on the pool that TypeORM opened. */
@Injectable()
export class Statements extends PooledStatements {
  constructor(@InjectDataSource() source: DataSource, names: PreparedNames) {
    super((source.driver as unknown as { master: Pool }).master, names);
  }
}

/** Errors that end the connection: 08 of a pooler that gives it up, 57P of a server that stops or was told to. */
const LAST_WORDS = /^(08|57P)/;

/** True when PostgreSQL answered with an error (SQLSTATE), and the connection is still in order. */
function isServerError(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  return typeof severity === 'string' && !LAST_WORDS.test(sqlState(error) ?? '');
}

/** True when node-postgres will not send the text again. */
function isPrepared(client: PoolClient, name: string): boolean {
  const { connection } = client as unknown as { connection: { parsedStatements: Record<string, string> } };
  return connection.parsedStatements[name] !== undefined;
}

interface DataRow {
  readonly length: number;
  readonly fields: unknown[];
}

/**
 * A statement whose rows are counted as they arrive, so that an answer that is too long is cut off while PostgreSQL sends
 * it, instead of being held in memory first. Costs an addition for each row.
 */
class BoundedQuery extends pg.Query {
  private bytes = 0;
  private count = 0;
  private isAdmitted = false;
  private isOver = false;

  /** `cut` is called at most once; after it the rows that are still sent are thrown away. */
  constructor(
    config: pg.QueryArrayConfig,
    private readonly bound: RowBound,
    private readonly cut: (taken: BoundedRows) => void,
  ) {
    super(config as pg.QueryConfig);
  }

  /** Called by node-postgres for each row. */
  handleDataRow(message: DataRow): void {
    if (this.isOver) return;
    this.bytes += message.length;
    const { maxBytes, freeBytes, admit } = this.bound;
    if (this.bytes > freeBytes && !this.isAdmitted) this.isAdmitted = admit();
    if (this.bytes > freeBytes && !this.isAdmitted) this.end([]);
    else if (this.bytes > maxBytes && this.count > 0) this.end(this.taken);
    else {
      this.count += 1;
      (pg.Query.prototype as unknown as BoundedQuery).handleDataRow.call(this, message);
    }
  }

  private get taken(): Rows {
    return (this as unknown as { _result: { rows: Rows } })._result.rows;
  }

  private end(rows: Rows): void {
    this.isOver = true;
    this.cut({ rows, isCut: true });
  }
}
