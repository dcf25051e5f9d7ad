import { HttpStatus, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { MAX_RECORD_IDS } from '../audit/audit-event.js';
import { AuditLog } from '../audit/audit-log.js';
import type { Collection } from '../collections/collection.entity.js';
import { RecordRemains } from '../collections/schema/record-remains.service.js';
import { keepAnswer } from '../idempotency/kept-answer.js';
import { Clock } from '../kernel/clock.js';
import { PlatformError } from '../kernel/errors.js';
import { JsonText } from '../kernel/json.js';
import { lockKeys, MERGED } from '../storage/copy-merge.js';
import { freshKeysStatement, offendersStatement } from '../storage/copy-stage.js';
import { insertsLockStatement } from '../storage/inserts-lock.js';
import { queryRefusal } from '../storage/query-refusal.js';
import { RecordSlots } from '../storage/record-slots.js';
import { isStale } from '../storage/stale.js';
import { lastLine } from './import-answer.js';
import { MergeRanges } from './merge-ranges.js';
import type { Merged, StagedImport } from './staged-import.js';
import { brokenUnique, conflict, isOfRows, isPassing } from './unique-conflicts.js';

/** What others write at the same time may be in the way; then all is merged again. */
const MAX_ATTEMPTS = 8;
const DAY_MS = 86_400_000;

/** How an attempt goes about it. */
interface Approach {
  /** Nobody else inserts meanwhile: two files with the same new values in different orders would meet again and again. */
  readonly alone: boolean;
  /** Single rows may be bad: it finds out which. */
  readonly findsRows: boolean;
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
    try {
      return await this.attempts(staged, collection);
    } catch (error) {
      if (isStale(error)) return undefined;
      throw error;
    }
  }

  private async attempts(staged: StagedImport, collection: Collection): Promise<Merged | undefined> {
    const { session } = staged;
    await session.query('ROLLBACK TO SAVEPOINT staged');
    let needed = await this.firstNeed(staged, collection);
    let approach: Approach | undefined = { alone: false, findsRows: false };
    for (let attempt = 1; ; attempt++) {
      // Also of the lock that a merge holds on slots: taking some may have to wait for it.
      await session.query('ROLLBACK TO SAVEPOINT staged');
      await this.removeExpired(collection);
      const taken = await this.take(staged, collection, needed, attempt === 1);
      if (taken === undefined) return undefined;
      const { epoch, slots } = taken;
      let used = 0;
      try {
        const merged = await this.mergeAll(staged, collection, epoch, approach);
        if (merged === undefined) this.slots.forget(collection, epoch);
        if (merged === undefined) return undefined;
        if (merged.inserted <= slots) {
          // Kept even if the commit fails: nobody knows then whether it came about.
          used = staged.dryRun ? 0 : merged.inserted;
          await this.finish(staged, collection, merged);
          return merged;
        }
        needed = merged.inserted;
      } catch (error) {
        await session.query('ROLLBACK TO SAVEPOINT staged').catch(() => undefined);
        if (isStale(error)) throw error;
        approach = attempt === MAX_ATTEMPTS ? undefined : another(approach, error, staged, collection);
        if (approach === undefined) throw await this.refusal(error, staged, collection);
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

  private async mergeAll(
    staged: StagedImport,
    collection: Collection,
    epoch: number,
    { alone, findsRows }: Approach,
  ): Promise<Merged | undefined> {
    const { session, key } = staged;
    const lock = insertsLockStatement(collection);
    if (alone) await session.query(lock.text, lock.values);
    if (key !== undefined) await lockKeys(session, collection, key);
    const { ttl_days } = collection.settings;
    const expiresAt = ttl_days === 0 ? null : new Date(this.clock.now().getTime() + ttl_days * DAY_MS);
    if (!(await new MergeRanges(staged, collection, epoch, expiresAt, findsRows).all())) return undefined;
    const [merged] = await session.query(MERGED);
    return merged;
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

/** What to try after a failure; undefined when nothing else would help. */
function another(
  approach: Approach,
  error: unknown,
  { key, skip }: StagedImport,
  collection: Collection,
): Approach | undefined {
  if (isPassing(error, collection, key)) return { ...approach, alone: true };
  return skip && !approach.findsRows && isOfRows(error) ? { ...approach, findsRows: true } : undefined;
}
