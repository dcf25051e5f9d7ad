import type { AnswerText, Call } from '../../base/kernel/call.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { newId } from '../../base/kernel/id.js';
import { authorOf } from '../../base/kernel/principal.js';
import { sqlState } from '../../base/kernel/sql-state.js';
import { Cte, type Param, param, type Sql, sql } from '../../base/sql/index.js';
import { type Filter, parseFilter } from '../../engine/filter/index.js';
import { writeRefusal } from '../../engine/storage/query-refusal.js';
import type { Selection } from '../../engine/storage/records/selection.js';
import { isRefusedFor, refusedRecords } from '../../engine/storage/refused-value.js';
import { ruleRefused } from '../../engine/storage/restricted/refusals.js';
import type { SharedParts, WriteParts } from '../../engine/storage/statement.js';
import { brokenUnique } from '../../engine/storage/table/index-names.js';
import {
  type AuditEntry,
  EVENT_ELEMENTS,
  eventList,
  eventSql,
  eventsSql,
  MAX_RECORD_IDS,
} from '../../platform/audit/audit-log.js';
import { SharedClaims } from '../../platform/idempotency/shared-claims.js';
import { claimSql, storeSql } from '../../platform/idempotency/stored-responses.js';
import type { Collection } from '../collections/collection.entity.js';
import { collectionEvent, collectionTarget } from '../collections/collection-event.js';

/** Options of a write to selected records. */
export interface WriteOptions {
  readonly description: WriteDescription;
  readonly now: Date;
  /** Computes the result without changing anything. */
  readonly dryRun?: boolean | undefined;
  /** The new expiry time of the records; null means never, undefined leaves it unchanged. */
  readonly expiresAt?: Date | null | undefined;
}

/** The result of a write. */
export interface Written {
  readonly matched: number;
  /** Number of records that have changed. */
  readonly updated: number;
  /** The id of the oldest matching record, when the selection asks for it and there is one. */
  readonly id?: string | undefined;
}

/** Throws 400 when more records match than `max_affected` allows. */
export function refuseExcess(selection: Selection, matched: number): void {
  if (!('atMost' in selection) || selection.atMost === undefined || matched <= selection.atMost) return;
  throw invalid(
    `max_affected: the filter matches more than ${selection.atMost} records; nothing was written`,
    {
      max_affected: selection.atMost,
    },
  );
}

type RecordEventType = `collections.records.${'inserted' | 'updated' | 'upserted' | 'deleted' | 'written'}`;

/** A write as its audit event and its stored response describe it. */
export interface WriteDescription {
  readonly call: Call;
  readonly type: RecordEventType;
  readonly answer: AnswerText;
}

/** JSON of a response whose counts are placeholders of PostgreSQL's `format`, or texts of numbers. */
export function viewText(view: object): string {
  return JSON.stringify(view).replace(/"(%[12]\$s|\d+)"/g, '$1');
}

/** The audit event of a write. The statement that writes it adds the count and the ids. */
export function recordEntry(collection: Collection, { type }: Pick<WriteDescription, 'type'>): AuditEntry {
  return collectionEvent(type, collection);
}

/** The placeholders of PostgreSQL's `format`. */
const PLACEHOLDERS = { matched: '%1$s', updated: '%2$s', id: '%3$s' };

/**
 * The audit event and the stored response for idempotent retries, as parts of the write's own statement. `inserts`: how
 * many records it may insert. `id`: of the one record that it inserts.
 */
export function recordEvent(
  collection: Collection,
  description: WriteDescription,
  inserts = 0,
  id?: string,
): WriteParts {
  const { call, answer } = description;
  const { retry } = call;
  const eventId = newId();
  return {
    eventId,
    author: authorOf(call.principal),
    keepsIds: inserts > MAX_RECORD_IDS && collection.historySince !== null,
    event: written =>
      eventSql(call, collection.orgId, { id: eventId, ...recordEntry(collection, description) }, written),
    idempotency: retry && {
      claim: claimSql(retry),
      store: ({ done, counts }) => {
        const text = param(answer(id === undefined ? PLACEHOLDERS : { ...PLACEHOLDERS, id }), 'text');
        const made = counts && sql`format(${text}, ${counts.matched}, ${counts.written}, ${counts.id})`;
        return storeSql(retry, made ?? text, done);
      },
    },
  };
}

/**
 * The audit events of writes that share a statement, one for each record that was written, and the stored responses of
 * those with an Idempotency-Key.
 */
export class SharedEvents implements SharedParts {
  readonly claims: SharedClaims | undefined;
  /** The id of a record and of its event. */
  private readonly ids: (readonly [recordId: string, eventId: string])[] = [];
  private readonly lists: Param;

  constructor(
    private readonly collection: Collection,
    writes: readonly { readonly recordId: string; readonly description: WriteDescription }[],
  ) {
    const claims = new SharedClaims(collection.orgId, EVENT_ELEMENTS);
    const lists = writes.map(({ recordId, description: { type, call, answer } }) => {
      const id = newId();
      this.ids.push([recordId, id]);
      const list = eventList({ id, type, call, recordId });
      if (call.retry !== undefined) claims.add(list, call.retry, answer);
      return list;
    });
    this.lists = param(JSON.stringify(lists), 'jsonb');
    if (!claims.isEmpty) this.claims = claims;
  }

  free(current: Cte): Cte | undefined {
    return this.claims && new Cte('free', this.claims.free(current, this.lists), { materialized: true });
  }

  event(written: Cte, free?: Cte): Sql {
    const { collection } = this;
    const lists = free === undefined ? sql`jsonb_array_elements(${this.lists}) AS e(list)` : sql`${free} e`;
    return eventsSql(collection.orgId, collectionTarget(collection), lists, written);
  }

  /** Written as text, because V8 makes a hidden class for each new property of an object. */
  eventIds(): string {
    return `{${this.ids.map(([recordId, id]) => `"${recordId}":"${id}"`).join()}}`;
  }
}

/** SQLSTATE of a statement timeout. */
const CANCELLED = '57014';

/** The client error for a refused write. Other errors are returned unchanged. */
export function refusal(error: unknown, collection: Collection): unknown {
  if (isRefusedFor(error, 'rule')) return ruleRefused('becomes', becomesDetails(error)).proven();
  const unique = brokenUnique(error, collection);
  if (unique === undefined) return writeRefusal(error);
  const { properties } = unique;
  // The version check held: otherwise nothing would have been inserted or changed.
  return new PlatformError(
    'AlreadyExists',
    `A record with the same ${properties.join(', ')} already exists. Nothing was written.`,
    { properties },
  ).proven();
}

function becomesDetails(error: unknown): object[] {
  return refusedRecords(error).map(record_id => ({ record_id, action: 'becomes' }));
}

/**
 * Like `refusal`, for writes that only look up ids and unique keys. When such a write times out, it was waiting for
 * others, and the client cannot improve its request. So a timeout becomes 503 instead of 400.
 */
export function directRefusal(error: unknown, collection: Collection): unknown {
  if (isRefusedFor(error, 'rule')) return ruleRefused('becomes').proven();
  return sqlState(error) === CANCELLED ? error : refusal(error, collection);
}

/** 403 for the rows of an insert that no rule allows; undefined for other errors. `ids`: of all rows, in order. */
export function insertRefusal(error: unknown, ids: readonly string[]): PlatformError | undefined {
  if (!isRefusedFor(error, 'rule')) return undefined;
  const refused = new Set(refusedRecords(error));
  const rows = ids.flatMap((id, row) => (refused.has(id) ? [{ row, action: 'create' }] : []));
  return ruleRefused('create', rows).proven();
}

/** Selects the function that maps errors of a write with this selection. A timeout can be due to a slow filter. */
export function refusalOf(selection: Selection): typeof refusal {
  return 'recordId' in selection ? directRefusal : refusal;
}

interface FilteredBody {
  readonly filter: unknown;
  readonly max_affected?: number;
  readonly allow_match_all?: boolean;
}

/**
 * The records that a write by filter selects. Throws 400 for a filter without conditions, unless `allow_match_all` is
 * set.
 */
export function selectionByFilter({
  filter,
  max_affected,
  allow_match_all,
}: FilteredBody): Extract<Selection, { atMost: unknown }> {
  const parsed = parseFilter(filter);
  if (saysNothing(parsed) && allow_match_all !== true) {
    throw invalid('filter: an empty filter matches every record; send allow_match_all: true to confirm this');
  }
  return { filter: parsed, atMost: max_affected };
}

/** True for `{}`, and for `$and` and `$or` that contain nothing else. */
function saysNothing(filter: Filter): boolean {
  if (filter.kind === 'and') return filter.filters.every(saysNothing);
  return filter.kind === 'or' && filter.filters.some(saysNothing);
}
