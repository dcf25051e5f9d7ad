import { HttpStatus, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { MAX_RECORD_IDS } from '../audit/audit-event.js';
import { AuditLog } from '../audit/audit-log.js';
import type { Collection } from '../collections/collection.entity.js';
import { RecordRemains } from '../collections/schema/record-remains.service.js';
import { keepAnswer } from '../idempotency/kept-answer.js';
import type { Call } from '../kernel/call.js';
import { Clock } from '../kernel/clock.js';
import { PlatformError } from '../kernel/errors.js';
import { JsonText } from '../kernel/json.js';
import { constraintOf, sqlState } from '../kernel/sql-state.js';
import { MERGED, type Merge, type MergedRange, mergeStatement } from '../storage/copy-merge.js';
import type { CopySession } from '../storage/copy-sessions.js';
import {
  type Conflict,
  freshKeysStatement,
  leftOutStatement,
  offendersStatement,
  type StagedRange,
} from '../storage/copy-stage.js';
import { queryRefusal } from '../storage/query-refusal.js';
import { RecordSlots } from '../storage/record-slots.js';
import { isStale } from '../storage/record-store.js';
import { uniqueNamed } from '../storage/table.js';
import { type ImportAnswer, lastLine } from './import-answer.js';
import type { RowErrors } from './row-errors.js';

/** What others write at the same time may be in the way; then all is merged again. */
const MAX_ATTEMPTS = 8;
const DEADLOCK = '40P01';
const NOT_UNIQUE = '23505';
/** What one row alone can be refused for: a unique, and a value too long for an index. */
const ROW_STATES = new Set([NOT_UNIQUE, '54000']);
const DAY_MS = 86_400_000;

/** Staged records that are to become records of a collection. */
export interface StagedImport {
  readonly call: Call;
  readonly session: CopySession;
  readonly ranges: readonly StagedRange[];
  /** Rows that are fit to be written. */
  readonly fit: number;
  readonly key: string | undefined;
  readonly skip: boolean;
  readonly dryRun: boolean;
  readonly errors: RowErrors;
  readonly answer: ImportAnswer;
  /** What the client is told at last. */
  readonly summary: (merged: Merged) => object;
}

/** What an import came to. */
export interface Merged {
  readonly written: number;
  readonly inserted: number;
  readonly ids: readonly string[];
}

interface Attempt extends StagedImport {
  readonly collection: Collection;
  readonly epoch: number;
}

/** Makes records of what was staged: in the session's transaction, with one audit event. */
@Injectable()
export class ImportMerge {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly slots: RecordSlots,
    private readonly remains: RecordRemains,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Resolves to undefined when the collection has changed; then it can be called again. */
  async run(staged: StagedImport, collection: Collection): Promise<Merged | undefined> {
    const { session } = staged;
    let needed = await this.firstNeed(staged, collection);
    for (let attempt = 1; ; attempt++) {
      // Also of the lock that a merge holds on slots: taking some may have to wait for it.
      await session.query('ROLLBACK TO SAVEPOINT staged');
      await this.removeExpired(collection);
      const taken = await this.take(staged, collection, needed, attempt === 1);
      if (taken === undefined) return undefined;
      const { epoch, slots } = taken;
      let used = 0;
      try {
        const merged = await this.mergeAll({ ...staged, collection, epoch });
        if (merged === undefined) this.slots.forget(collection, epoch);
        if (merged === undefined) return undefined;
        if (merged.inserted <= slots) {
          await this.finish(staged, collection, merged);
          used = staged.dryRun ? 0 : merged.inserted;
          return merged;
        }
        needed = merged.inserted;
      } catch (error) {
        await session.query('ROLLBACK TO SAVEPOINT staged').catch(() => undefined);
        if (isStale(error)) return undefined;
        if (attempt === MAX_ATTEMPTS || !isPassing(error, collection, staged.key))
          throw await this.refusal(error, staged, collection);
      } finally {
        this.slots.giveBack(collection, epoch, slots - used);
      }
    }
  }

  /** How many records will be new, as far as can be told: of upserted ones, those whose key nobody has. */
  private async firstNeed({ session, key, fit }: StagedImport, collection: Collection): Promise<number> {
    if (key === undefined) return fit;
    const [{ fresh }] = await session.query(freshKeysStatement(collection, key).text);
    return fresh;
  }

  /**
   * Slots for what is needed. Where rows may be left out, fewer may be needed than there are: if they are not to be had, what
   * is needed is found out by merging without any.
   */
  private async take(
    { key, skip }: StagedImport,
    collection: Collection,
    needed: number,
    isFirst: boolean,
  ): Promise<{ epoch: number; slots: number } | undefined> {
    const take = async (slots: number) => {
      const epoch = await this.slots.take(collection, collection.settings.max_records, slots);
      return epoch === undefined ? undefined : { epoch, slots };
    };
    const mayNeedLess = isFirst && skip && key === undefined && collection.uniques.length > 0;
    return take(needed).catch(error => {
      if (!mayNeedLess || (error as PlatformError).code !== 'CollectionFull') throw error;
      return take(0);
    });
  }

  private async removeExpired(collection: Collection): Promise<void> {
    if (collection.uniques.length === 0) return;
    await this.source.transaction(manager => this.remains.remove(manager, collection));
  }

  private async mergeAll(attempt: Attempt): Promise<Merged | undefined> {
    const { session, ranges, answer, errors } = attempt;
    errors.rewind();
    let rows = 0;
    for (const range of ranges) {
      answer.refuseGone();
      const merged = await this.mergeRange(attempt, range);
      if (merged === undefined) return undefined;
      rows += merged;
      if (answer.hasBegun) answer.progress('writing', rows);
    }
    const [merged] = await session.query(MERGED);
    return merged;
  }

  /** Resolves to the rows of the range. Where rows may be left out, halves it until the bad ones are alone. */
  private async mergeRange(attempt: Attempt, range: StagedRange): Promise<number | undefined> {
    const { session, skip } = attempt;
    if (!skip) return this.merge(attempt, range);
    await session.query('SAVEPOINT range');
    try {
      const rows = await this.merge(attempt, range);
      await session.query('RELEASE SAVEPOINT range');
      return rows;
    } catch (error) {
      if (!ROW_STATES.has(sqlState(error) ?? '') || isPassing(error, attempt.collection, attempt.key))
        throw error;
      await session.query('ROLLBACK TO SAVEPOINT range');
      await session.query('RELEASE SAVEPOINT range');
      return range.first < range.last ? this.mergeHalves(attempt, range) : leftOut(attempt, range, error);
    }
  }

  private async mergeHalves(attempt: Attempt, range: StagedRange): Promise<number | undefined> {
    const middle = Math.floor((range.first + range.last) / 2);
    const former = await this.mergeRange(attempt, { ...range, last: middle });
    const latter = await this.mergeRange(attempt, { ...range, first: middle + 1 });
    return former === undefined || latter === undefined ? undefined : former + latter;
  }

  private async merge(attempt: Attempt, range: StagedRange): Promise<number | undefined> {
    const { session, collection, epoch, key, skip } = attempt;
    const { ttl_days } = collection.settings;
    const expiresAt = ttl_days === 0 ? null : new Date(this.clock.now().getTime() + ttl_days * DAY_MS);
    const merge: Merge = { epoch, expiresAt, key, leaveOut: skip && key === undefined, range };
    const { text, values } = mergeStatement(collection, merge);
    const [{ fences, sent, inserted }]: [MergedRange] = await session.query(text, values);
    if (fences === 0) return undefined;
    if (key === undefined && inserted < sent) await this.tellConflicts(attempt, range, sent - inserted);
    return sent;
  }

  private async tellConflicts(attempt: Attempt, range: StagedRange, rows: number): Promise<void> {
    const { session, collection, errors } = attempt;
    const uniques = collection.uniques.map(({ properties }) => properties);
    const { text, values } = leftOutStatement(collection, uniques, range);
    const conflicts: Conflict[] = await session.query(text, values);
    errors.count(rows);
    errors.tell(conflicts.map(({ row, unique }) => conflict(row, uniques[unique] ?? [])));
  }

  private async finish(staged: StagedImport, collection: Collection, merged: Merged): Promise<void> {
    const { call, session, key, dryRun, answer, summary } = staged;
    answer.refuseGone();
    if (dryRun) return;
    if (merged.written > 0) {
      await this.audit.record(session, call, collection.orgId, {
        type: `collections.records.${key === undefined ? 'inserted' : 'upserted'}`,
        target: { type: 'collection', id: collection.id, name: collection.name },
        count: merged.written,
        recordIds: merged.ids.slice(0, MAX_RECORD_IDS),
      });
    }
    const line = new JsonText(lastLine(summary(merged)));
    await keepAnswer(session, call, line, { status: HttpStatus.OK });
    await session.query('COMMIT');
  }

  /** What the database refused, in the client's words: which rows broke a unique can be asked of what is staged. */
  private async refusal(error: unknown, staged: StagedImport, collection: Collection): Promise<unknown> {
    const unique = brokenUnique(error, collection);
    if (unique === undefined) return queryRefusal(error);
    const { text } = offendersStatement(collection, unique, staged.key);
    const rows: { row: number }[] = await staged.session.query(text);
    const offenders = rows.map(({ row }) => conflict(row, unique));
    const [first] = offenders;
    const where = first === undefined ? '' : ` row ${first.row}:`;
    return new PlatformError(
      'ConstraintViolation',
      `Nothing was written:${where} ${unique.join(', ')} must be unique.`,
      offenders,
    );
  }
}

/** True for what is nobody's fault: a deadlock, or a key that another upsert has just inserted. */
function isPassing(error: unknown, collection: Collection, key: string | undefined): boolean {
  if (sqlState(error) === DEADLOCK) return true;
  return key !== undefined && brokenUnique(error, collection)?.join() === key;
}

function brokenUnique(error: unknown, collection: Collection): readonly string[] | undefined {
  if (sqlState(error) !== NOT_UNIQUE) return undefined;
  return uniqueNamed(collection, collection.uniques, constraintOf(error) ?? '')?.properties;
}

function leftOut({ errors, collection }: Attempt, { first }: StagedRange, error: unknown): number {
  const unique = brokenUnique(error, collection);
  errors.count(1);
  errors.tell([
    unique === undefined
      ? { row: first, column: null, problem: 'a value is too long for an index on its column' }
      : conflict(first, unique),
  ]);
  return 1;
}

function conflict(row: number, unique: readonly string[]) {
  return { row, column: unique[0] ?? null, problem: `${unique.join(', ')} must be unique` };
}
