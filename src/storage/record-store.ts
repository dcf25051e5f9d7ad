import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { FairShare } from '../database/fair-share.js';
import { ReadPipeline } from '../database/read-pipeline.js';
import { Replicas } from '../database/replicas.js';
import { type Rows, Statements } from '../database/statements.js';
import { sqlState } from '../kernel/sql-state.js';
import type { CollectionShape } from './collection-shape.js';
import { fencedOnNode } from './node-fence.js';
import type { Statement } from './statement.js';
import { isStepwise, lockOf, runStepwise } from './stepwise.js';

/** The table or a column is gone, or has another type: the collection changed after the statement was made. */
const STALE_STATES = new Set(['42P01', '42703', '42804', '3F000']);

/** True for the failure of a statement that was made for what the collection is no longer. */
export function isStale(error: unknown): boolean {
  return STALE_STATES.has(sqlState(error) ?? '');
}

/** Runs the fenced statements of users' tables. */
@Injectable()
export class RecordStore {
  /** Reads may be slow: those of one organization leave half of the pool to everybody else. */
  private readonly reads: FairShare;
  private readonly isDistributed: boolean;

  constructor(
    private readonly statements: Statements,
    private readonly pipeline: ReadPipeline,
    private readonly replicas: Replicas,
    settings: Settings,
  ) {
    this.isDistributed = settings.DATABASE_CITUS === 'on';
    this.reads = new FairShare(Math.ceil(settings.DATABASE_POOL_SIZE / 2));
  }

  /** As `lookUp`, for statements that are sure to be short. */
  lookUpOne(statement: Statement): Promise<Rows | undefined> {
    if (this.isDistributed)
      return this.readOne(fencedOnNode(statement)).then(rows => rows ?? this.readOne(statement));
    if (!this.replicas.areThere) return this.readOne(statement);
    return this.replicas.read(statement, true).then(rows => rows ?? this.readOne(statement));
  }

  /** As `read`, for what writes nothing and locks nothing: a replica may answer it. */
  lookUp(shape: CollectionShape, statement: Statement): Promise<Rows | undefined> {
    if (this.isDistributed)
      return this.read(shape, fencedOnNode(statement)).then(rows => rows ?? this.read(shape, statement));
    if (!this.replicas.areThere) return this.read(shape, statement);
    return this.reads
      .run(shape.orgId, () => this.replicas.read(statement, false))
      .then(rows => rows ?? this.read(shape, statement));
  }

  /** As `read`, for statements that are sure to be short. */
  private async readOne({ text, values }: Statement): Promise<Rows | undefined> {
    const rows = await this.unlessStale(this.pipeline.run(text, values));
    return rows === undefined || rows.length === 0 ? undefined : rows;
  }

  /** The rows of a statement, or undefined when the collection is no longer what the statement was made for. */
  async read({ orgId }: CollectionShape, statement: Statement): Promise<Rows | undefined> {
    const rows = await this.reads.run(orgId, () => this.unlessStale(this.run(statement)));
    return rows === undefined || rows.length === 0 ? undefined : rows;
  }

  /** The counts a write returns behind its fence count, or undefined when the fence did not hold. */
  async write(statement: Statement): Promise<readonly number[] | undefined> {
    const rows = await this.unlessStale(this.run(statement));
    const [fences, ...counts] = (rows?.[0] ?? [0]) as number[];
    return fences === 0 ? undefined : counts;
  }

  private run(statement: Statement): Promise<Rows> {
    if (!this.isDistributed || !isStepwise(statement))
      return this.statements.run(statement.text, statement.values);
    return this.statements.transaction(`BEGIN; ${lockOf(statement)}`, (client, names) =>
      runStepwise(client, names, statement),
    );
  }

  private async unlessStale(run: Promise<Rows>): Promise<Rows | undefined> {
    try {
      return await run;
    } catch (error) {
      if (isStale(error)) return undefined;
      throw error;
    }
  }
}
