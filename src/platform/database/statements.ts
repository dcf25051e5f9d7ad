import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import pg, { type Pool, type PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import type { Presence } from '../../base/kernel/bounds/deadline.js';
import { rereadWhenLost, sqlState } from '../../base/kernel/sql-state.js';
import type { Rendered } from '../../base/sql/index.js';
import { PreparedNames } from './connections/prepared-names.js';
import { StatementStop } from './connections/statement-stop.js';
import { ArrayQuery, type DataRow, isPrepared, poolOf } from './private-api.js';

/** Rows as arrays of column values, in the order of the select list. */
export type Rows = readonly unknown[][] & {
  /** True when further rows were left out because of their size. */
  readonly isCut?: boolean;
};

/** How much of a result is held in memory. */
export interface RowBound {
  /** Rows beyond this size are left out, except the first one. */
  readonly maxBytes: number;
  /** `admit` is called once, when the rows are larger than this. The statement is given up when it returns false. */
  readonly freeBytes: number;
  readonly admit: () => boolean;
  /** The statement is also given up at a row whose first value stands for one that is too long. */
  readonly isTooLong?: (value: unknown) => boolean;
}

/** The result of a bounded statement: all rows, the rows within the bound, or none when it was given up. */
interface BoundedRows {
  readonly rows: Rows;
  /** True when rows were left out. The server may still be sending them, so the connection must not be used again. */
  readonly isCut: boolean;
}

const UNBOUNDED: RowBound = {
  maxBytes: Number.POSITIVE_INFINITY,
  freeBytes: Number.POSITIVE_INFINITY,
  admit: () => true,
};

/** Runs SQL on a pool. Statements are prepared by their text, so the text must never contain a value. */
export class PooledStatements {
  constructor(
    /** The metrics show its counts. */
    readonly pool: Pick<Pool, 'connect' | 'totalCount' | 'idleCount' | 'waitingCount'>,
    private readonly names: PreparedNames,
  ) {}

  /**
   * As `run`, for a statement on many tables: it is not prepared, and its connection is closed, which frees their
   * metadata.
   */
  async runApart(text: string, values: unknown[]): Promise<Rows> {
    const client = await this.pool.connect();
    try {
      return (await client.query<unknown[]>({ text, values, rowMode: 'array' })).rows;
    } finally {
      client.release(true);
    }
  }

  /**
   * Runs one statement and calls `take` with each row when it arrives. Does not keep the rows, so they are garbage before
   * V8 moves them to the old generation of its heap. `take` must not throw.
   */
  async forEachRow<R extends object>(text: string, values: unknown[], take: (row: R) => void): Promise<void> {
    const client = await this.pool.connect();
    let broken: boolean | Error = false;
    try {
      await new Promise<void>((resolve, reject) => {
        // node-postgres keeps the rows of a query unless it has a listener for rows and no callback.
        client
          .query(new pg.Query<R>(text, values))
          .on('row', take)
          .on('end', () => resolve())
          .on('error', reject);
      });
    } catch (error) {
      broken = !isServerError(error) && (error as Error);
      throw error;
    } finally {
      client.release(broken || this.names.isFull(client, undefined));
    }
  }

  /**
   * As `runWithin`, for a statement that only reads: it is repeated once when its connection breaks, and cancelled when
   * its caller disconnects.
   */
  readWithin({ text, values }: Rendered, bound: RowBound, caller?: Presence): Promise<Rows> {
    return rereadWhenLost(() => this.runWithin(text, values, bound, caller));
  }

  /** Runs one statement in its own transaction, in one round trip. Rejects with node-postgres' DatabaseError. */
  async run(text: string, values: unknown[]): Promise<Rows> {
    return (await this.send(text, values, UNBOUNDED)).rows;
  }

  /**
   * Like `run`, with a limit on the size of the result. `isCut` is set when rows were left out. All rows are left out
   * when the statement was given up.
   */
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
    // Looked up after `connect`, because the text may be forgotten during the wait.
    const name = this.names.of(text);
    let broken: boolean | Error = false;
    try {
      const result = await new BoundedQuery(text, values, name, bound).take(client);
      // Closing the connection makes the server stop sending.
      broken = result.isCut;
      return result;
    } catch (error) {
      broken = !isServerError(error) && (error as Error);
      if (name !== undefined && !isPrepared(client, name)) this.names.forget(text);
      throw stop?.isSent ? caller?.signal.reason : error;
    } finally {
      const stopped = stop?.end();
      // A late cancel request would stop the next statement of the connection.
      if (stopped !== undefined) await stopped;
      client.release(broken || stopped !== undefined || this.names.isFull(client, name));
    }
  }
}

/** Runs SQL on users' tables, on the pool of TypeORM. */
@Injectable()
export class Statements extends PooledStatements {
  constructor(@InjectDataSource() source: DataSource, names: PreparedNames) {
    super(poolOf(source), names);
  }
}

/**
 * Errors after which the connection is unusable: 08 of a pooler that closes it, 57P of a server that stops or ends the
 * session.
 */
const LAST_WORDS = /^(08|57P)/;

/** True for an error of the server (SQLSTATE) after which the connection can be used again. */
function isServerError(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  return typeof severity === 'string' && !LAST_WORDS.test(sqlState(error) ?? '');
}

/**
 * A statement whose rows are measured as they arrive, so that a result that is too large is cut off while PostgreSQL
 * sends it, instead of being held in memory first. Costs an addition per row.
 */
class BoundedQuery extends ArrayQuery {
  private bytes = 0;
  private count = 0;
  private isAdmitted = false;
  private isOver = false;
  /** Called at most once; rows that arrive after it are thrown away. */
  private cut: (taken: BoundedRows) => void = () => {};

  constructor(
    text: string,
    values: unknown[],
    name: string | undefined,
    private readonly bound: RowBound,
  ) {
    super(text, values, name);
  }

  /** Sends the query. A result that is cut off is known before the statement ends. */
  take(client: PoolClient): Promise<BoundedRows> {
    return new Promise((resolve, reject) => {
      this.cut = resolve;
      this.send(client, rows => resolve({ rows, isCut: false }), reject);
    });
  }

  /** Called by node-postgres for each row. */
  handleDataRow(row: DataRow): void {
    if (this.isOver) return;
    this.bytes += row.length;
    const { maxBytes, freeBytes, admit, isTooLong } = this.bound;
    if (this.bytes > freeBytes && !this.isAdmitted) this.isAdmitted = admit();
    if ((this.bytes > freeBytes && !this.isAdmitted) || isTooLong?.(row.fields[0])) this.end([]);
    else if (this.bytes > maxBytes && this.count > 0) this.end(this.taken);
    else {
      this.count += 1;
      this.add(row);
    }
  }

  private end(rows: Rows): void {
    this.isOver = true;
    this.cut({ rows, isCut: true });
  }
}
