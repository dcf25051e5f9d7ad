import { Injectable } from '@nestjs/common';
import type { AnswerText, Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, type PlatformError } from '../../base/kernel/errors.js';
import type { JsonValue } from '../../base/kernel/json.js';
import { nameFlaw } from '../../engine/columns/index.js';
import { parseFilter } from '../../engine/filter/index.js';
import { applyUpdate, canonical, parseUpdate, type Update } from '../../engine/filter/update/index.js';
import type { IndexDefinition } from '../../engine/storage/collection-shape.js';
import type { LockRetry } from '../../engine/storage/record-admission.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { RecordTransactions } from '../../engine/storage/record-transactions.js';
import { countStatement } from '../../engine/storage/records/read.js';
import { layoutOf, type Misfit, withIds } from '../../engine/storage/records/record-layout.js';
import type { Selection } from '../../engine/storage/records/selection.js';
import { existsStatement, keyLockStatement } from '../../engine/storage/records/upsert.js';
import { isRefusedFor } from '../../engine/storage/refused-value.js';
import { ruleRefused } from '../../engine/storage/restricted/refusals.js';
import { forInsert, refuseUnwritableFields, seenForWrite } from '../../engine/storage/restricted/writing.js';
import { Stale } from '../../engine/storage/stale.js';
import type { Statement } from '../../engine/storage/statement.js';
import { brokenUnique } from '../../engine/storage/table/index-names.js';
import { execute } from '../../platform/database/queryable.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { CollectionExpiry } from '../collections/collection-expiry.service.js';
import { requireRight } from '../collections/collection-rights.js';
import { asJson, expiry, layOut } from './bulk-records.js';
import { insertOf, RecordInserts } from './record-inserts.service.js';
import { refusal, viewText, type WriteOptions } from './record-writes.js';
import type { UpsertedView, UpsertRecordBody } from './records.dto.js';
import { SelectionUpdates, typedUpdate } from './update-records.service.js';
import { type WriteAttempt, WriteAttempts } from './write-attempts.js';

/** Of a record that existed. */
const changedView = <Count>({ id, matched, updated }: { id: string; matched: Count; updated: Count }) => ({
  operation: 'upserted' as const,
  result: { _id: id, inserted: false, matched_count: matched, modified_count: updated },
});
const changedText: AnswerText = counts => viewText(changedView(counts));
/** Of a new record. */
const addedView = (id: string) => ({
  operation: 'upserted' as const,
  result: { _id: id, inserted: true, matched_count: 0, modified_count: 0 },
});

/** Updates the record of a key, or inserts it. */
@Injectable()
export class UpsertRecords {
  constructor(
    private readonly attempts: WriteAttempts,
    private readonly selectionUpdates: SelectionUpdates,
    private readonly recordInserts: RecordInserts,
    private readonly transactions: RecordTransactions,
    private readonly store: RecordStore,
    private readonly expiry: CollectionExpiry,
    private readonly clock: Clock,
  ) {}

  /** 403 without the right to read: the result tells whether a record has these values. */
  async upsert(call: Call, access: Access, body: UpsertRecordBody): Promise<UpsertedView> {
    requireRight(access, 'read');
    const update = parseUpdate(body.data);
    const fields = matchFields(body.match_fields);
    const write: Upsert = {
      description: { call, type: 'collections.records.upserted', answer: changedText },
      now: this.clock.now(),
      ttlDays: body.ttl_days,
      expiresAt: body.ttl_days === undefined ? undefined : expiry(this.clock, body.ttl_days),
    };
    return this.attempts.run(access, async ({ collection }) => {
      const typed = typedUpdate(update, layoutOf(collection), write.now);
      const key = matchKey(typed, fields);
      await this.expiry.mark(collection, write.ttlDays);
      return {
        write: attempt => this.write(attempt, typed, key, write),
        refusal: error =>
          isRefusedFor(error, 'rule') ? ruleRefused('becomes').proven() : refusal(error, collection),
        isOvertaken: error => isOvertaken(error, collection, key),
        mayBeExact: true,
      };
    });
  }

  /** Tries an update first, which needs no lock, then an insert, which fails when another upsert has inserted the key. */
  private async write(
    attempt: WriteAttempt,
    update: Update,
    key: MatchKey,
    write: Upsert,
  ): Promise<UpsertedView> {
    const { matched, updated, id } = await this.selectionUpdates.run(attempt, update, key.selection, write);
    if (id) return changedView({ id, matched, updated });
    await this.refuseUnwritable(attempt, key);
    try {
      return addedView(await this.insert(attempt, update, key, write));
    } catch (error) {
      throw isRefusedFor(error, 'rule') ? ruleRefused('create').proven() : error;
    }
  }

  /** Throws 403 when the caller sees a record with the key: then the update has found none that it may update. */
  private async refuseUnwritable({ current, until }: WriteAttempt, key: MatchKey): Promise<void> {
    if (current.collection.restricted === undefined) return;
    const seen = seenForWrite(current.collection);
    const found = countStatement(seen, key.selection.filter);
    if ((await this.store.readPrimary(seen, found, { until })) > 0) throw ruleRefused('update');
  }

  private async insert(
    attempt: WriteAttempt,
    update: Update,
    key: MatchKey,
    { description, now, ttlDays }: Upsert,
  ): Promise<string> {
    const document = applyUpdate({}, update, { now, inserting: true });
    const { collection: known } = attempt.current;
    const sentFields = [Object.keys(document)];
    refuseUnwritableFields(known, sentFields);
    const lists = layOut(known, [document], refuseData);
    const ids = withIds(lists);
    const [id] = ids as [string];
    const collection = forInsert(known, sentFields, ids);
    const expiresAt = expiry(this.clock, ttlDays ?? collection.settings.ttl_days);
    const records = { ...(await asJson(collection, lists)), expiresAt };
    const adding = { ...description, answer: () => JSON.stringify(addedView(id)) };
    // Until an index build has finished, a declared unique constraint is not enforced.
    const isGuarded = collection.status === 'ready' && key.guards(collection.uniques);
    if (isGuarded) await this.recordInserts.write(attempt, collection, records, adding);
    else {
      const statement = insertOf(collection, records, await attempt.quota(1), adding);
      const retry = { until: attempt.until, rights: description.call.rights };
      await this.insertUnderLock(collection, key, statement, retry);
    }
    return id;
  }

  /** Locks the key, because no unique constraint prevents a second record with it. */
  private insertUnderLock(
    collection: Collection,
    key: MatchKey,
    insert: Statement,
    retry: LockRetry,
  ): Promise<unknown> {
    return this.transactions.run(
      collection,
      async transaction => {
        await transaction.lock(keyLockStatement(collection, key.text));
        const [row] = await execute(transaction, existsStatement(seenForWrite(collection), key.selection));
        if (row === undefined) throw new Stale();
        if (row.found) throw new Overtaken();
        return this.transactions.write(transaction, insert);
      },
      retry,
    );
  }
}

interface Upsert extends WriteOptions {
  readonly ttlDays: number | undefined;
}

/** Another upsert has inserted the same key. */
class Overtaken extends Error {}

function isOvertaken(error: unknown, collection: Collection, key: MatchKey): boolean {
  const unique = brokenUnique(error, collection);
  return error instanceof Overtaken || (unique !== undefined && key.guards([unique]));
}

const MAX_FIELDS = 10;

/** The key by which an upsert finds its record. */
export interface MatchKey {
  readonly selection: Extract<Selection, { oldest: true }>;
  /** Equal for equal keys. */
  readonly text: string;
  /** True when one of these unique constraints prevents a second record with this key. Nulls are distinct. */
  guards(uniques: readonly IndexDefinition[]): boolean;
}

/** The names of `match_fields`. Throws 400 unless they are 1 to 10 different top-level fields. */
function matchFields(fields: unknown): readonly string[] {
  const isList = Array.isArray(fields) && fields.length >= 1 && fields.length <= MAX_FIELDS;
  if (!isList || !fields.every(field => typeof field === 'string'))
    throw invalid(`match_fields: expects 1 to ${MAX_FIELDS} names of columns`);
  for (const field of fields) {
    const flaw = nameFlaw(field);
    if (flaw !== undefined) throw invalid(`match_fields: ${flaw}`);
  }
  if (new Set(fields).size < fields.length) throw invalid('match_fields: a column is listed twice');
  return fields;
}

/** The key in the data of an upsert, from `$set` or `$setOnInsert`. Throws 400 where a field of it is missing. */
function matchKey(data: Update, fields: readonly string[]): MatchKey {
  const values = fields.map((field): [string, JsonValue] => [field, valueFor(field, data)]);
  const present = new Set(values.filter(([, value]) => value !== null).map(([field]) => field));
  const filter = Object.fromEntries(values.map(([field, value]) => [field, { $eq: value }]));
  return {
    selection: { filter: parseFilter(filter), oldest: true },
    text: canonical(Object.fromEntries(values)),
    guards: uniques => uniques.some(({ properties }) => properties.every(property => present.has(property))),
  };
}

function valueFor(field: string, { operations }: Update): JsonValue {
  for (const operation of operations) {
    const sets = operation.kind === 'set' || operation.kind === 'setOnInsert';
    if (sets && operation.path.length === 1 && operation.path[0] === field) return operation.value;
  }
  throw invalid(`match_fields: the data sets no value for ${JSON.stringify(field.slice(0, 100))}`);
}

/** 400 for data that does not fit a new record: column and expected type. */
function refuseData([first, ...others]: readonly Misfit[]): PlatformError {
  return invalid(`data.${first?.column}: ${first?.problem}`, [first, ...others]);
}
