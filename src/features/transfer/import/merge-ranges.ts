import type { Call } from '../../../base/kernel/call.js';
import { authorOf } from '../../../base/kernel/principal.js';
import { isUniqueViolation, sqlState } from '../../../base/kernel/sql-state.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import { type MergedRange, mergeStatement } from '../../../engine/storage/copy/copy-merge.js';
import type { CopySession } from '../../../engine/storage/copy/copy-sessions.js';
import {
  type Conflict,
  leftOutStatement,
  type StagedRange,
} from '../../../engine/storage/copy/copy-stage.js';
import { MAX_UNDONE } from '../../../engine/storage/history/inserted-ids.js';
import { PROGRAM_LIMIT } from '../../../engine/storage/query-refusal.js';
import { isRefusedFor } from '../../../engine/storage/refused-value.js';
import { Stale } from '../../../engine/storage/stale.js';
import { brokenUnique } from '../../../engine/storage/table/index-names.js';
import { execute } from '../../../platform/database/queryable.js';
import type { Collection } from '../../collections/collection.entity.js';
import { type ImportAnswer, MAX_REPORTED, type RowError, type RowErrors } from './import-answer.js';
import { ImportRules, RowsRefused } from './import-rules.js';
import { BATCH_ROWS } from './import-stage.js';
import type { RefusedRows } from './refused-rows.js';

/** An import whose rows are staged. */
export interface StagedImport {
  readonly call: Call;
  readonly session: CopySession;
  readonly ranges: readonly StagedRange[];
  /** Number of valid rows. */
  readonly fit: number;
  readonly key: string | undefined;
  readonly skip: boolean;
  readonly dryRun: boolean;
  /** The audit event of the import. */
  readonly eventId: string;
  readonly errors: RowErrors;
  /** Set when the client wants to know every refused row. */
  readonly refused: RefusedRows | undefined;
  readonly answer: ImportAnswer;
  /** Throws when the caller has lost the right to write. */
  readonly confirm: () => Promise<unknown>;
  /** The last line of the answer. */
  readonly summary: (merged: Merged) => object;
}

/** The result of an import. */
export interface Merged {
  readonly written: number;
  readonly inserted: number;
  readonly ids: readonly string[];
}

const DEADLOCK = '40P01';

/** True when an undo may need the ids of all new records. Without `skip`, every valid row is written. */
export function keepsInsertedIds({ fit, skip, key }: StagedImport, { historySince }: Collection): boolean {
  return historySince !== null && (fit <= MAX_UNDONE || skip || key !== undefined);
}

/** True for a deadlock, and for a key that another upsert has just inserted. */
export function isRetryable(error: unknown, collection: Collection, key: string | undefined): boolean {
  if (sqlState(error) === DEADLOCK) return true;
  return key !== undefined && brokenUnique(error, collection)?.properties.join() === key;
}

/** True for errors that concern single rows: rules, a unique value, one that is too long for an index, and a large record. */
export function isRowError(error: unknown): boolean {
  return (
    error instanceof RowsRefused ||
    isUniqueViolation(error) ||
    sqlState(error) === PROGRAM_LIMIT ||
    isRefusedFor(error, 'size')
  );
}

/** The error of the row that the database refused. */
function rowRefusal(row: number, error: unknown, collection: Collection): RowError {
  if (error instanceof RowsRefused) return error.problemOf(row);
  const unique = brokenUnique(error, collection);
  if (unique !== undefined) return conflict(row, unique.properties);
  const problem = isRefusedFor(error, 'size')
    ? 'the record would be larger than 16 MiB'
    : 'a value is too long for an index on its column';
  return { row, column: null, problem };
}

export function conflict(row: number, unique: readonly string[]): RowError {
  return { row, column: unique[0] ?? null, problem: `${unique.join(', ')} must be unique` };
}

/**
 * One attempt to merge all staged rows, range by range. A row error ends the attempt, unless `findsRows` is set: then
 * each range has a savepoint, which is not the default because other transactions that wait for rows of a released
 * savepoint wait for the whole transaction, even after a rollback to an earlier savepoint (PostgreSQL,
 * XactLockTableWait), and would block the next attempt.
 */
export class MergeRanges {
  private inserted = 0;

  constructor(
    private readonly staged: StagedImport,
    private readonly collection: Collection & Pick<CollectionShape, 'restricted'>,
    private readonly expiresAt: Date | null,
    private readonly findsRows: boolean,
  ) {}

  /** Resolves to the number of new records. */
  async all(): Promise<number> {
    const { ranges, answer, errors } = this.staged;
    errors.rewind();
    let rows = 0;
    for (const range of ranges) {
      answer.assertConnected();
      rows += await this.range(range);
      if (answer.hasBegun) answer.progress('writing', rows);
    }
    return this.inserted;
  }

  /** Resolves to the number of rows. Finds refused rows by halving the range until it has one row. */
  private async range(range: StagedRange): Promise<number> {
    const { session, key } = this.staged;
    if (!this.findsRows) return this.merge(range);
    await session.query('SAVEPOINT range');
    try {
      const rows = await this.merge(range);
      await session.query('RELEASE SAVEPOINT range');
      return rows;
    } catch (error) {
      if (!isRowError(error) || isRetryable(error, this.collection, key)) throw error;
      await session.query('ROLLBACK TO SAVEPOINT range');
      await session.query('RELEASE SAVEPOINT range');
      if (range.first < range.last) return this.halves(range);
      this.report([rowRefusal(range.first, error, this.collection)], 1);
      return 1;
    }
  }

  private async halves(range: StagedRange): Promise<number> {
    const middle = Math.floor((range.first + range.last) / 2);
    const former = await this.range({ ...range, last: middle });
    const latter = await this.range({ ...range, first: middle + 1 });
    return former + latter;
  }

  private async merge(range: StagedRange): Promise<number> {
    const { call, session, key, skip } = this.staged;
    const { expiresAt } = this;
    const keepsIds = keepsInsertedIds(this.staged, this.collection);
    const author = authorOf(call.principal);
    const merge = { author, expiresAt, key, leaveOut: skip && key === undefined, keepsIds, range };
    const rules = await ImportRules.begin(session, this.collection, range, key);
    const [{ current, sent, inserted }]: [MergedRange] = await execute(
      session,
      mergeStatement(this.collection, merge),
    );
    if (current === 0) throw new Stale();
    await rules?.check(session);
    this.inserted += inserted;
    if (key === undefined && inserted < sent) await this.reportConflicts(range, sent - inserted);
    return sent;
  }

  private async reportConflicts(range: StagedRange, rows: number): Promise<void> {
    const { call, session, refused } = this.staged;
    const uniques = this.collection.uniques.map(({ properties }) => properties);
    const limit = refused === undefined ? MAX_REPORTED : BATCH_ROWS;
    const leftOut = leftOutStatement(
      this.collection,
      uniques,
      { range, author: authorOf(call.principal) },
      limit,
    );
    const conflicts: Conflict[] = await execute(session, leftOut);
    this.report(
      conflicts.map(({ row, unique }) => conflict(row, uniques[unique] ?? [])),
      rows,
    );
  }

  /** `rows` is the number of all rows, of which `refusals` may be the first ones. */
  private report(refusals: readonly RowError[], rows: number): void {
    const { errors, refused } = this.staged;
    errors.count(rows);
    errors.report(refusals);
    refused?.mark(refusals);
  }
}
