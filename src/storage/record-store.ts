import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { isLockTimeout } from '../database/lock-timeout.js';
import { ReadPipeline } from '../database/read-pipeline.js';
import { Replicas } from '../database/replicas.js';
import { type Rows, Statements } from '../database/statements.js';
import type { CollectionShape } from './collection-shape.js';
import { fencedOnNode } from './node-fence.js';
import { type LockRetry, RecordAdmission } from './record-admission.js';
import { isStale } from './stale.js';
import type { Statement } from './statement.js';
import { isStepwise, lockOf, runStepwise } from './stepwise.js';

type Table = Pick<CollectionShape, 'id' | 'orgId'>;

/** Runs the fenced statements of users' tables. */
@Injectable()
export class RecordStore {
  private readonly isDistributed: boolean;

  constructor(
    private readonly statements: Statements,
    private readonly pipeline: ReadPipeline,
    private readonly replicas: Replicas,
    private readonly admission: RecordAdmission,
    settings: Settings,
  ) {
    this.isDistributed = settings.DATABASE_CITUS === 'on';
  }

  /** As `lookUp`, for statements that are sure to be short. */
  lookUpOne(table: Table, statement: Statement): Promise<Rows | undefined> {
    if (this.isDistributed)
      return this.readOne(table, fencedOnNode(statement)).then(
        rows => rows ?? this.readOne(table, statement),
      );
    if (!this.replicas.areThere) return this.readOne(table, statement);
    return this.replicas.read(statement, true).then(rows => rows ?? this.readOne(table, statement));
  }

  /** As `read`, for what writes nothing and locks nothing: a replica may answer it. */
  lookUp(table: Table, statement: Statement): Promise<Rows | undefined> {
    if (this.isDistributed)
      return this.readAgain(table, fencedOnNode(statement)).then(
        rows => rows ?? this.readAgain(table, statement),
      );
    if (!this.replicas.areThere) return this.readAgain(table, statement);
    return this.admission
      .run(table, () => this.replicas.read(statement, false))
      .then(rows => rows ?? this.readAgain(table, statement));
  }

  /** As `read`, for a statement that only reads: it is sent again when its connection breaks. */
  private async readAgain(table: Table, { text, values }: Statement): Promise<Rows | undefined> {
    return rowsOf(await this.admission.run(table, () => this.statements.read(text, values)));
  }

  /** The rows of a statement, or undefined when the collection is no longer what the statement was made for. */
  async read(table: Table, statement: Statement): Promise<Rows | undefined> {
    return rowsOf(await this.admission.run(table, () => this.run(statement)));
  }

  /** The counts a write returns behind its fence count, or undefined when the fence did not hold. */
  async write(table: Table, statement: Statement, retry?: LockRetry): Promise<readonly number[] | undefined> {
    const rows = await this.admission.run(table, () => this.run(statement), retry);
    const [fences, ...counts] = (rows?.[0] ?? [0]) as number[];
    return fences === 0 ? undefined : counts;
  }

  /** As `read`, on a pipelined connection. That takes no place, unless the table is locked. */
  private async readOne(table: Table, { text, values }: Statement): Promise<Rows | undefined> {
    if (!this.admission.isLocked(table)) {
      try {
        return rowsOf(await this.pipeline.run(text, values));
      } catch (error) {
        if (isStale(error)) return undefined;
        if (!isLockTimeout(error)) throw error;
      }
    }
    return rowsOf(await this.admission.run(table, () => this.pipeline.run(text, values)));
  }

  /** The deadline of a statement that begins now, by `performance.now()`. */
  deadline(): number {
    return this.admission.deadline();
  }

  /** True while the table is known to be locked. */
  isLocked(table: Table): boolean {
    return this.admission.isLocked(table);
  }

  private run(statement: Statement): Promise<Rows> {
    if (!this.isDistributed || !isStepwise(statement))
      return this.statements.run(statement.text, statement.values);
    return this.statements.transaction(`BEGIN; ${lockOf(statement)}`, (client, names) =>
      runStepwise(client, names, statement),
    );
  }
}

/** A fenced read has at least one row, unless its fence did not hold. */
function rowsOf(rows: Rows | undefined): Rows | undefined {
  return rows === undefined || rows.length === 0 ? undefined : rows;
}
