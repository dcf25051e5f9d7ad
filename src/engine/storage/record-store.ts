import { Injectable } from '@nestjs/common';
import { ByteBudget } from '../../base/kernel/bounds/byte-budget.js';
import type { Deadline, Presence } from '../../base/kernel/bounds/deadline.js';
import { isLockTimeout } from '../../base/kernel/sql-state.js';
import { Settings } from '../../platform/config/settings.js';
import { ReadPipeline } from '../../platform/database/connections/read-pipeline.js';
import { Replicas } from '../../platform/database/connections/replicas.js';
import type { SharedRead } from '../../platform/database/connections/shared-reads.js';
import { type Rows, Statements } from '../../platform/database/statements.js';
import { type IndexedShape, SeenQueries } from './advice/seen-queries.js';
import type { CollectionShape } from './collection-shape.js';
import { EqualReads } from './equal-reads.js';
import type { AskedRead } from './explain/advice.js';
import { explained, type MeasuredRead } from './explain/measured-read.js';
import { queryRefusal } from './query-refusal.js';
import { ReadMemory, rowsOf } from './read-memory.js';
import { type LockRetry, RecordAdmission } from './record-admission.js';
import { ifStale } from './stale.js';
import { isPlaceholder, type Read, rendered, type Statement, shared, written } from './statement.js';
import { TableAccess } from './table-access.js';
import type { Table } from './table-sql.js';

/** Options of a read. */
interface ReadOptions {
  readonly maxBytes?: number | undefined;
  /** The client that waits for the rows. The statement is cancelled when the client disconnects. */
  readonly caller?: Presence | undefined;
}

/** A read that waits for its admission. */
interface Admissible extends ReadOptions {
  readonly table: Table;
  readonly until: Deadline;
  /** Called when the read is admitted. */
  begins(): void;
}

/**
 * Runs the statements of users' tables, each in a transaction of its own. All methods throw `Stale`, or an error for
 * which `isStale` is true, when the collection has changed since the statement was made.
 */
@Injectable()
export class RecordStore {
  private readonly equal = new EqualReads();
  private readonly memory: ReadMemory;

  constructor(
    private readonly statements: Statements,
    private readonly pipeline: ReadPipeline,
    private readonly replicas: Replicas,
    private readonly admission: RecordAdmission,
    private readonly tables: TableAccess,
    private readonly seen: SeenQueries,
    budget: ByteBudget,
    { RESPONSE_LIMIT_BYTES }: Settings,
  ) {
    this.memory = new ReadMemory(budget, RESPONSE_LIMIT_BYTES);
  }

  /** As `read`, for statements whose result is usually short: they are sent on a pipelined connection at once. */
  async readShort<T>(table: Table, statement: Read<T>, until: Deadline): Promise<T> {
    const first = await this.firstRead(table, statement, until);
    return first.kind === 'rows' ? statement.decode(first.rows) : this.read(table, statement, until);
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
      run: begins => this.readAlone(statement, { table, until, begins, ...options }),
    });
    return statement.decode(rows);
  }

  /**
   * As `read`, for reads of records that an index can make faster: they are counted for the advice on indexes, except
   * those of the past, because no index contains replaced versions, and those of restricted callers, because the advice
   * would show their rules. Throws 400 for values that the database refuses.
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
      if (collection.pastRecords === undefined && collection.seen === undefined)
        this.seen.add({ collection, asked, statement }, began);
      return result;
    } catch (error) {
      throw queryRefusal(error);
    }
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
    const caller = { id: retry?.rights?.callerId };
    const rows = await this.memory.within(table.orgId, statement, { caller }, (each, bound) =>
      this.admission.run(table, () => this.tables.run(table, each, bound), retry),
    );
    return statement.decode(rows);
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

  /** The deadline of a statement that begins now, by `performance.now()`. */
  deadline(): number {
    return this.admission.deadline();
  }

  /** True while the table is known to be locked. */
  isLocked(table: Table): boolean {
    return this.admission.isLocked(table);
  }

  private firstRead(table: Table, statement: Statement, until: Deadline): Promise<FirstRead> {
    const onNode = this.tables.onNode(table, statement);
    // The whole statement reads from two servers. Citus plans such a statement for its values only, so it goes to the pool.
    if (onNode !== undefined)
      return this.pipelined(table, onNode, until).catch(ifStale((): FirstRead => ({ kind: 'pool' })));
    const onPrimary = () => this.pipelined(table, statement, until, shared(statement));
    if (!this.replicas.areThere) return onPrimary();
    return this.replicas.read(rendered(statement)).then(rows => (rows ? firstReadOf(rows) : onPrimary()));
  }

  /** Passes the admission queue only while the table is locked. */
  private async pipelined(
    table: Table,
    statement: Statement,
    until: Deadline,
    together?: SharedRead,
  ): Promise<FirstRead> {
    if (!this.admission.isLocked(table)) {
      try {
        return firstReadOf(await this.pipeline.run(together ?? rendered(statement)));
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
    }
    const rows = await this.admission.run(table, () => this.pipeline.run(rendered(statement)), { until });
    return firstReadOf(rows);
  }

  private readAlone(statement: Statement, read: Admissible): Promise<Rows> {
    const onPrimary = () => this.onPrimary(statement, read);
    const onNode = this.tables.onNode(read.table, statement);
    if (onNode !== undefined) return this.onPrimary(onNode, read).catch(ifStale(onPrimary));
    return this.replicas.areThere ? this.onReplica(statement, read).catch(ifStale(onPrimary)) : onPrimary();
  }

  private onPrimary(statement: Statement, read: Admissible): Promise<Rows> {
    return this.memory.within(read.table.orgId, statement, read, (sent, bound) =>
      this.admitted(read, () => this.statements.readWithin(rendered(sent), bound, read.caller)),
    );
  }

  private onReplica(statement: Statement, read: Admissible): Promise<Rows> {
    return this.memory.within(read.table.orgId, statement, read, (sent, bound) =>
      this.admitted(read, () => this.replicas.read(rendered(sent), bound, read.caller)),
    );
  }

  private admitted<T>({ table, until, caller, begins }: Admissible, work: () => Promise<T>): Promise<T> {
    const begin = () => {
      begins();
      return work();
    };
    return this.admission.run(table, begin, { until, caller });
  }
}

/**
 * The first attempt of a short read: its rows, or `pool` when it has to be sent to the pool, because its rows are large or on
 * two servers.
 */
type FirstRead = { readonly kind: 'rows'; readonly rows: Rows } | { readonly kind: 'pool' };

/** Throws `Stale` when there is no row. */
function firstReadOf(rows: Rows): FirstRead {
  return rows.some(([first]) => isPlaceholder(first))
    ? { kind: 'pool' }
    : { kind: 'rows', rows: rowsOf(rows) };
}
