import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { CollectionExpiry } from '../collections/collection-expiry.service.js';
import { execute } from '../database/queryable.js';
import { applyUpdate, parseUpdate, type Update } from '../filter/update/index.js';
import type { Call } from '../kernel/call.js';
import { Clock } from '../kernel/clock.js';
import { isOver, pauseBeforeRetry } from '../kernel/deadline.js';
import type { LockRetry } from '../storage/record-admission.js';
import { layoutOf, type Row } from '../storage/record-layout.js';
import { RecordTransactions } from '../storage/record-transactions.js';
import type { Statement } from '../storage/statement.js';
import { existsStatement, keyLockStatement } from '../storage/upsert-lock.js';
import { Contention, contended } from './contention.service.js';
import { type MatchKey, matchFields, matchKey, refuseData } from './match-key.js';
import { expiry, layOut, withIds } from './record-batch.js';
import type { UpsertedView, UpsertRecordBody } from './record-changes.dto.js';
import { brokenUnique } from './record-errors.js';
import type { AnswerText } from './record-event.js';
import { RecordInserts } from './record-inserts.service.js';
import { RecordUpdates } from './record-updates.service.js';
import type { Write } from './record-write.js';
import { typedUpdate } from './typed-update.js';

/** The text of an `UpsertedView`, where the record was there, and where it was not. */
const changedText: AnswerText = ({ matched, updated, id }) =>
  `{"operation":"upserted","result":{"_id":"${id}","inserted":false,"matched_count":${matched},"modified_count":${updated}}}`;
const addedText = (id: string) =>
  `{"operation":"upserted","result":{"_id":"${id}","inserted":true,"matched_count":0,"modified_count":0}}`;

/** Changes the record of a key, or adds it. */
@Injectable()
export class RecordUpserter {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly updates: RecordUpdates,
    private readonly inserts: RecordInserts,
    private readonly transactions: RecordTransactions,
    private readonly contention: Contention,
    private readonly expiry: CollectionExpiry,
    private readonly clock: Clock,
  ) {}

  async upsert(call: Call, access: Access, body: UpsertRecordBody): Promise<UpsertedView> {
    const update = parseUpdate(body.data);
    const fields = matchFields(body.match_fields);
    const write: Omit<Upsert, 'until'> = {
      act: { call, type: 'collections.records.upserted', answer: changedText },
      now: this.clock.now(),
      rights: call.rights,
      ttlDays: body.ttl_days,
      expiresAt: body.ttl_days === undefined ? undefined : expiry(this.clock, body.ttl_days),
    };
    const result = await this.accesses.fenced(access, ({ collection }, until) =>
      this.contention.settle(collection, until, () =>
        this.run(collection, update, fields, { ...write, until }),
      ),
    );
    return { operation: 'upserted', result };
  }

  /** First as if the record existed, which needs no lock; then as if it did not, unless another upsert was faster. */
  private async run(
    collection: Collection,
    update: Update,
    fields: readonly string[],
    write: Upsert,
  ): Promise<UpsertedView['result'] | undefined> {
    const typed = typedUpdate(update, layoutOf(collection), write.now);
    const key = matchKey(typed, fields);
    if (!(await this.expiry.isMarked(collection, write.ttlDays))) return undefined;
    for (let attempt = 1; ; attempt++) {
      const written = await this.updates.run(collection, typed, key.selection, write);
      if (written === undefined) return undefined;
      const { matched, updated, id } = written;
      if (id) return { _id: id, inserted: false, matched_count: matched, modified_count: updated };
      try {
        const added = await this.insert(collection, typed, key, write);
        return added === undefined
          ? undefined
          : { _id: added, inserted: true, matched_count: 0, modified_count: 0 };
      } catch (error) {
        if (!isOvertaken(error, collection, key)) throw error;
        if (isOver(write.until)) throw contended();
        // The record exists now. It is overtaken again only if others delete and add the record again and again.
        if (attempt > 1) await pauseBeforeRetry(write.until, attempt);
      }
    }
  }

  private async insert(
    collection: Collection,
    update: Update,
    key: MatchKey,
    { act, now, ttlDays, until, rights }: Upsert,
  ): Promise<string | undefined> {
    const document = applyUpdate({}, update, { now, inserting: true });
    const rows: Row[] = layOut(collection, [document], refuseData);
    const [id] = withIds(rows);
    const underLock = (statement: Statement) =>
      this.insertUnderLock(collection, key, statement, { until, rights });
    // While an index is being built its unique is declared, and guards nothing yet.
    const isGuarded = collection.status === 'ready' && key.guards(collection.uniques);
    const write = isGuarded ? undefined : underLock;
    const adding = { ...act, answer: () => addedText(id as string) };
    const done = await this.inserts.append(collection, rows, ttlDays, adding, until, write);
    return done && id;
  }

  /** Where no unique keeps a key from being added twice. */
  private insertUnderLock(
    collection: Collection,
    key: MatchKey,
    insert: Statement,
    retry: LockRetry,
  ): Promise<true | undefined> {
    return this.transactions.run(
      collection,
      async transaction => {
        await transaction.lock(keyLockStatement(collection, key.text));
        const [row] = await execute(transaction, existsStatement(collection, key.selection));
        if (row?.found) throw new Overtaken();
        const [checks] = row === undefined ? [] : await this.transactions.write(transaction, insert);
        return checks === 1 ? true : undefined;
      },
      retry,
    );
  }
}

interface Upsert extends Write {
  readonly ttlDays: number | undefined;
}

/** Another upsert of the same key has added the record. */
class Overtaken extends Error {}

function isOvertaken(error: unknown, collection: Collection, key: MatchKey): boolean {
  const unique = brokenUnique(error, collection);
  return error instanceof Overtaken || (unique !== undefined && key.guards([unique]));
}
