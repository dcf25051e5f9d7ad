import type { Collection } from '../collections/collection.entity.js';
import { type MergedRange, mergeStatement } from '../storage/copy-merge.js';
import { type Conflict, leftOutStatement, type StagedRange } from '../storage/copy-stage.js';
import type { StagedImport } from './staged-import.js';
import { conflict, isOfRows, isPassing, rowRefusal } from './unique-conflicts.js';

/**
 * One attempt to make records of all that was staged, range by range. Row errors end it, unless it is to find the rows: then
 * each range has a savepoint. Who waits for what was written under a released one waits for the end of the transaction, whatever
 * is rolled back of it (PostgreSQL's XactLockTableWait), and so would be in the way of the next attempt.
 */
export class MergeRanges {
  constructor(
    private readonly staged: StagedImport,
    private readonly collection: Collection,
    private readonly expiresAt: Date | null,
    private readonly findsRows: boolean,
  ) {}

  /** Resolves to false when the collection has changed. */
  async all(): Promise<boolean> {
    const { ranges, answer, errors } = this.staged;
    errors.rewind();
    let rows = 0;
    for (const range of ranges) {
      answer.refuseGone();
      const merged = await this.range(range);
      if (merged === undefined) return false;
      rows += merged;
      if (answer.hasBegun) answer.progress('writing', rows);
    }
    return true;
  }

  /** Resolves to the rows of the range. To find the bad ones, halves it until they are alone. */
  private async range(range: StagedRange): Promise<number | undefined> {
    const { session, key, errors } = this.staged;
    if (!this.findsRows) return this.merge(range);
    await session.query('SAVEPOINT range');
    try {
      const rows = await this.merge(range);
      await session.query('RELEASE SAVEPOINT range');
      return rows;
    } catch (error) {
      if (!isOfRows(error) || isPassing(error, this.collection, key)) throw error;
      await session.query('ROLLBACK TO SAVEPOINT range');
      await session.query('RELEASE SAVEPOINT range');
      if (range.first < range.last) return this.halves(range);
      errors.count(1);
      errors.tell([rowRefusal(range.first, error, this.collection)]);
      return 1;
    }
  }

  private async halves(range: StagedRange): Promise<number | undefined> {
    const middle = Math.floor((range.first + range.last) / 2);
    const former = await this.range({ ...range, last: middle });
    const latter = await this.range({ ...range, first: middle + 1 });
    return former === undefined || latter === undefined ? undefined : former + latter;
  }

  private async merge(range: StagedRange): Promise<number | undefined> {
    const { session, key, skip } = this.staged;
    const { expiresAt } = this;
    const merge = { expiresAt, key, leaveOut: skip && key === undefined, range };
    const { text, values } = mergeStatement(this.collection, merge);
    const [{ fences, sent, inserted }]: [MergedRange] = await session.query(text, values);
    if (fences === 0) return undefined;
    if (key === undefined && inserted < sent) await this.tellConflicts(range, sent - inserted);
    return sent;
  }

  private async tellConflicts(range: StagedRange, rows: number): Promise<void> {
    const { session, errors } = this.staged;
    const uniques = this.collection.uniques.map(({ properties }) => properties);
    const { text, values } = leftOutStatement(this.collection, uniques, range);
    const conflicts: Conflict[] = await session.query(text, values);
    errors.count(rows);
    errors.tell(conflicts.map(({ row, unique }) => conflict(row, uniques[unique] ?? [])));
  }
}
