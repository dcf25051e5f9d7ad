import { Injectable } from '@nestjs/common';
import { ByteBudget } from '../../base/kernel/bounds/byte-budget.js';
import type { Deadline, Presence } from '../../base/kernel/bounds/deadline.js';
import { ownTurn } from '../../base/kernel/bounds/own-turn.js';
import { isLockTimeout } from '../../base/kernel/sql-state.js';
import { Settings } from '../../platform/config/settings.js';
import { ReadPipeline } from '../../platform/database/connections/read-pipeline.js';
import { Replicas } from '../../platform/database/connections/replicas.js';
import type { SharedRead } from '../../platform/database/connections/shared-reads.js';
import { type RowBound, type Rows, Statements } from '../../platform/database/statements.js';
import { type IndexedShape, SeenQueries } from './advice/seen-queries.js';
import type { CollectionShape } from './collection-shape.js';
import { EqualReads } from './equal-reads.js';
import type { AskedRead } from './explain/advice.js';
import { explained, type MeasuredRead } from './explain/measured-read.js';
import { queryRefusal } from './query-refusal.js';
import { type LockRetry, RecordAdmission } from './record-admission.js';
import { ifStale, Stale } from './stale.js';
import {
  isLongText,
  type Read,
  rendered,
  type Statement,
  shared,
  withLongTexts,
  written,
} from './statement.js';
import { TableAccess } from './table-access.js';
import type { Table } from './table-sql.js';

/** Rows up to this total size take no memory from the budget. */
const FREE_BYTES = 1024 * 1024;
/** Copies of a response in memory: as rows, as one text and as the bytes to send. */
const COPIES = 3;

/** Options of a read. */
interface ReadOptions {
  readonly maxBytes?: number | undefined;
  /** The client that waits for the rows. The statement is cancelled when the client disconnects. */
  readonly caller?: Presence | undefined;
}

/**
 * Runs the statements of users' tables, each in a transaction of its own. All methods throw `Stale`, or an error for
 * which `isStale` is true, when the collection has changed since the statement was made.
 */
@Injectable()
export class RecordStore {
  private readonly equal = new EqualReads();

  constructor(
    private readonly statements: Statements,
    private readonly pipeline: ReadPipeline,
    private readonly replicas: Replicas,
    private readonly admission: RecordAdmission,
    private readonly budget: ByteBudget,
    private readonly settings: Settings,
    private readonly tables: TableAccess,
    private readonly seen: SeenQueries,
  ) {}

  /** As `read`, for statements whose result is usually short. */
  async readShort<T>(table: Table, statement: Read<T>, until: Deadline): Promise<T> {
    let rows: Rows;
    try {
      rows = await this.short(table, statement, until);
    } catch (error) {
      if (isLongText(error)) return this.read(table, statement, until);
      throw error;
    }
    return statement.decode(rows);
  }

  /**
   * As `readPrimary`, for statements that do not lock. A replica may run them, they are repeated when their connection
   * breaks, and equal ones that wait are sent once.
   */
  async read<T>(table: Table, statement: Read<T>, until: Deadline, options: ReadOptions = {}): Promise<T> {
    const rows = await this.equal.run({
      keyOf: () => {
        const { text, values } = rendered(statement);
        return { text, values: JSON.stringify([options.maxBytes, values]) };
      },
      caller: options.caller,
      mayBegin: () => this.admission.hasRoom(table, options.caller),
      run: begins => this.readAlone(table, statement, until, options, begins),
    });
    return statement.decode(rows);
  }

  /**
   * As `read`, for reads of records that an index can make faster: they are counted for the advice on indexes, except
   * those of the past, because no index contains replaced versions. Throws 400 for values that the database refuses.
   */
  async readCounted<T>(
    collection: IndexedShape,
    asked: AskedRead,
    statement: Read<T>,
    until: Deadline,
    options?: ReadOptions,
  ): Promise<T> {
    const began = performance.now();
    try {
      const result = await this.read(collection, statement, until, options);
      if (collection.past === undefined) this.seen.add({ collection, asked, statement }, began);
      return result;
    } catch (error) {
      throw queryRefusal(error);
    }
  }

  private readAlone(
    table: Table,
    statement: Statement,
    until: Deadline,
    { maxBytes, caller }: ReadOptions,
    begins: () => void,
  ): Promise<Rows> {
    const admitted = (work: () => Promise<Rows | undefined>) =>
      this.admission.run(
        table,
        () => {
          begins();
          return work();
        },
        { until, caller },
      );
    const primary = (each: Statement) =>
      this.within(table, each, maxBytes, caller?.id, (sent, bound) => {
        const { text, values } = rendered(sent);
        return admitted(() => this.statements.readWithin(text, values, bound, caller));
      });
    const nearer = this.tables.nearer(table, statement);
    if (nearer !== undefined) return primary(nearer).catch(ifStale(() => primary(statement)));
    if (!this.replicas.areThere) return primary(statement);
    return this.within(table, statement, maxBytes, caller?.id, (each, bound) =>
      admitted(() => this.replicas.read(rendered(each), bound, caller)),
    ).catch(ifStale(() => primary(statement)));
  }

  /** Executes a statement as `read` does, and resolves to how the database did it. */
  explain(
    shape: CollectionShape,
    statement: Statement,
    until: Deadline,
    options?: ReadOptions,
  ): Promise<MeasuredRead> {
    return this.read(shape, explained(shape, statement), until, options);
  }

  /** Reads from the primary, within the size limit of a response. */
  async readPrimary<T>(table: Table, statement: Read<T>, retry?: LockRetry): Promise<T> {
    return statement.decode(await this.primaryRows(table, statement, retry));
  }

  private primaryRows(table: Table, statement: Statement, retry?: LockRetry): Promise<Rows> {
    return this.within(table, statement, undefined, retry?.rights?.callerId, (each, bound) =>
      this.admission.run(table, () => this.tables.run(table, each, bound), retry),
    );
  }

  /**
   * Runs a statement and takes memory from the budget if its rows are large. When no memory is left, the statement is
   * given up, so that it holds no connection while it waits, and is sent again later. `asked` sets a lower limit of the
   * size, at least a megabyte.
   */
  private async within(
    { orgId }: Table,
    statement: Statement,
    asked: number | undefined,
    callerId: string | undefined,
    send: (statement: Statement, bound: RowBound) => Promise<Rows | undefined>,
  ): Promise<Rows> {
    const limit = this.settings.RESPONSE_LIMIT_BYTES;
    const need = limit * COPIES;
    // A lower limit would often cut off rows, and a connection is closed when that happens.
    const maxBytes = asked === undefined ? limit : Math.min(limit, Math.max(asked, FREE_BYTES));
    let held = false;
    const admit = () => {
      held ||= this.budget.tryTake(orgId, need, callerId);
      return held;
    };
    try {
      const bound = { maxBytes, freeBytes: FREE_BYTES, admit };
      let rows = await send(statement, bound).catch(unlessLongText);
      if (rows === TOO_LONG || isRefused(rows)) {
        if (!held) await this.budget.take(orgId, need, callerId);
        held = true;
        rows = await send(withLongTexts(statement), { maxBytes, freeBytes: maxBytes, admit });
      }
      // To make a large response and to hand it to the operating system takes milliseconds.
      if (held) await ownTurn(orgId);
      return rowsOf(rows);
    } finally {
      // By then the response has been handed over, and the code that sends it counts its memory.
      if (held) setImmediate(() => this.budget.give(orgId, need, callerId));
    }
  }

  /** Writes, and resolves to the values that the one row of the statement has after its count of version checks. */
  async write<Values extends readonly unknown[] = readonly number[]>(
    table: Table,
    statement: Statement,
    retry?: LockRetry,
  ): Promise<Values> {
    const [row] = await this.admission.run(table, () => this.tables.run(table, statement), retry);
    return written(row);
  }

  private short(table: Table, statement: Statement, until: Deadline): Promise<Rows> {
    const nearer = this.tables.nearer(table, statement);
    // The whole statement reads from two servers. Citus plans such a statement for its values only, so it goes to the pool.
    if (nearer !== undefined)
      return this.pipelined(table, nearer, until).catch(
        ifStale(() => this.primaryRows(table, statement, { until })),
      );
    const onPrimary = () => this.pipelined(table, statement, until, shared(statement));
    if (!this.replicas.areThere) return onPrimary();
    return this.replicas.read(rendered(statement)).then(rows => rows ?? onPrimary());
  }

  /** Passes the admission queue only while the table is locked. */
  private async pipelined(
    table: Table,
    statement: Statement,
    until: Deadline,
    together?: SharedRead,
  ): Promise<Rows> {
    if (!this.admission.isLocked(table)) {
      try {
        return rowsOf(await this.pipeline.run(together ?? rendered(statement)));
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
    }
    return rowsOf(await this.admission.run(table, () => this.pipeline.run(rendered(statement)), { until }));
  }

  /** The deadline of a statement that begins now, by `performance.now()`. */
  deadline(): number {
    return this.admission.deadline();
  }

  /** True while the table is known to be locked. */
  isLocked(table: Table): boolean {
    return this.admission.isLocked(table);
  }
}

/** The rows of a read. Without a row its version check has failed. */
function rowsOf(rows: Rows | undefined): Rows {
  if (rows === undefined || rows.length === 0) throw new Stale();
  return rows;
}

/** Stands for the result of a statement that found a long text. */
const TOO_LONG = 'too long';

function unlessLongText(error: unknown): typeof TOO_LONG {
  if (isLongText(error)) return TOO_LONG;
  throw error;
}

/** True when all rows were left out because no memory was left for them. */
function isRefused(rows: Rows | undefined): boolean {
  return rows?.length === 0 && rows.isCut === true;
}
