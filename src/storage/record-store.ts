import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { ReadPipeline } from '../database/connections/read-pipeline.js';
import { Replicas } from '../database/connections/replicas.js';
import { isLockTimeout } from '../database/lock-timeout.js';
import { type RowBound, type Rows, Statements } from '../database/statements.js';
import { ByteBudget } from '../kernel/byte-budget.js';
import type { Deadline, Presence } from '../kernel/deadline.js';
import { type LockRetry, RecordAdmission } from './record-admission.js';
import { isStale } from './stale.js';
import { isLongText, rendered, type Statement, withLongTexts } from './statement.js';
import { type Table, TableAccess } from './table-access.js';

/** Rows up to this total size take no memory from the budget. */
const FREE_BYTES = 1024 * 1024;
/** Copies of a response in memory: as rows, as one text and as the bytes to send. */
const COPIES = 3;

/** Options of a lookup. */
interface LookUp {
  readonly maxBytes?: number | undefined;
  /** The client that waits for the rows. The statement is cancelled when the client disconnects. */
  readonly caller?: Presence | undefined;
}

/** Runs the statements of users' tables. */
@Injectable()
export class RecordStore {
  constructor(
    private readonly statements: Statements,
    private readonly pipeline: ReadPipeline,
    private readonly replicas: Replicas,
    private readonly admission: RecordAdmission,
    private readonly budget: ByteBudget,
    private readonly settings: Settings,
    private readonly tables: TableAccess,
  ) {}

  /** As `lookUp`, for statements that are sure to be short. */
  async lookUpOne(table: Table, statement: Statement, until: Deadline): Promise<Rows | undefined> {
    try {
      return await this.one(table, statement, until);
    } catch (error) {
      if (isLongText(error)) return this.lookUp(table, statement, until);
      throw error;
    }
  }

  /**
   * As `read`, for statements that neither write nor lock. A replica may run them, and they are repeated when their
   * connection breaks.
   */
  lookUp(
    table: Table,
    statement: Statement,
    until: Deadline,
    { maxBytes, caller }: LookUp = {},
  ): Promise<Rows | undefined> {
    const retry = { until, caller };
    const primary = (each: Statement) =>
      this.within(table, each, maxBytes, (sent, bound) => {
        const { text, values } = rendered(sent);
        return this.admission.run(
          table,
          () => this.statements.readWithin(text, values, bound, caller),
          retry,
        );
      });
    const nearer = this.tables.nearer(table, statement);
    if (nearer !== undefined) return primary(nearer).then(rows => rows ?? primary(statement));
    if (!this.replicas.areThere) return primary(statement);
    return this.within(table, statement, maxBytes, (each, bound) =>
      this.admission.run(table, () => this.replicas.read(rendered(each), bound, caller), retry),
    ).then(rows => rows ?? primary(statement));
  }

  /**
   * The rows of a statement, within the size limit of a response; `maxBytes` sets a lower limit, at least a megabyte.
   * Undefined when the statement is stale.
   */
  read(table: Table, statement: Statement, maxBytes?: number, retry?: LockRetry): Promise<Rows | undefined> {
    return this.within(table, statement, maxBytes, (each, bound) =>
      this.admission.run(table, () => this.tables.run(table, each, bound), retry),
    );
  }

  /**
   * Runs a statement and takes memory from the budget if its rows are large. When no memory is left, the statement is
   * given up, so that it holds no connection while it waits, and is sent again later.
   */
  private async within(
    { orgId }: Table,
    statement: Statement,
    asked: number | undefined,
    send: (statement: Statement, bound: RowBound) => Promise<Rows | undefined>,
  ): Promise<Rows | undefined> {
    const limit = this.settings.RESPONSE_LIMIT_BYTES;
    const need = limit * COPIES;
    // A lower limit would often cut off rows, and a connection is closed when that happens.
    const maxBytes = asked === undefined ? limit : Math.min(limit, Math.max(asked, FREE_BYTES));
    let held = false;
    const admit = () => {
      held ||= this.budget.tryTake(orgId, need);
      return held;
    };
    try {
      const bound = { maxBytes, freeBytes: FREE_BYTES, admit };
      const rows = await send(statement, bound).catch(unlessLongText);
      if (rows !== TOO_LONG && !isRefused(rows)) return rowsOf(rows);
      if (!held) {
        await this.budget.take(orgId, need);
        held = true;
      }
      return rowsOf(await send(withLongTexts(statement), { maxBytes, freeBytes: maxBytes, admit }));
    } finally {
      // By then the response has been handed over, and the code that sends it counts its memory.
      if (held) setImmediate(() => this.budget.give(orgId, need));
    }
  }

  /** The counts that a write returns after its count of version checks; undefined when the version check failed. */
  async write(table: Table, statement: Statement, retry?: LockRetry): Promise<readonly number[] | undefined> {
    const rows = await this.admission.run(table, () => this.tables.run(table, statement), retry);
    const [checks, ...counts] = (rows?.[0] ?? [0]) as number[];
    return checks === 0 ? undefined : counts;
  }

  private one(table: Table, statement: Statement, until: Deadline): Promise<Rows | undefined> {
    const nearer = this.tables.nearer(table, statement);
    if (nearer !== undefined)
      return this.readOne(table, nearer, until).then(rows => rows ?? this.readOne(table, statement, until));
    if (!this.replicas.areThere) return this.readOne(table, statement, until);
    return this.replicas
      .read(rendered(statement))
      .then(rows => rows ?? this.readOne(table, statement, until));
  }

  /** As `read`, on a pipelined connection. Passes the admission queue only while the table is locked. */
  private async readOne(table: Table, statement: Statement, until: Deadline): Promise<Rows | undefined> {
    const { text, values } = rendered(statement);
    if (!this.admission.isLocked(table)) {
      try {
        return rowsOf(await this.pipeline.run(text, values));
      } catch (error) {
        if (isStale(error)) return undefined;
        if (!isLockTimeout(error)) throw error;
      }
    }
    return rowsOf(await this.admission.run(table, () => this.pipeline.run(text, values), { until }));
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

/** A read returns at least one row, unless its version check failed. */
function rowsOf(rows: Rows | undefined): Rows | undefined {
  return rows === undefined || rows.length === 0 ? undefined : rows;
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
