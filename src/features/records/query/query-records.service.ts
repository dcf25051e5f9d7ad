import { Injectable } from '@nestjs/common';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import { JsonText } from '../../../base/kernel/json.js';
import { resultTooLarge } from '../../../engine/storage/query-refusal.js';
import { RecordStore } from '../../../engine/storage/record-store.js';
import type { PageRows } from '../../../engine/storage/records/page-columns.js';
import { fieldNamesStatement, getStatement } from '../../../engine/storage/records/read.js';
import { heldRulesRead, RecordRules } from '../../../engine/storage/restricted/record-rules.js';
import { fieldForbidden, ruleRefused } from '../../../engine/storage/restricted/refusals.js';
import { seenForWrite } from '../../../engine/storage/restricted/writing.js';
import { preconditionFailed, type TagCondition } from '../../../platform/http/entity-tags.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { Cursors, isPaged, type PagePlan, PageRequest, type Search } from './page-request.js';
import type { GetRecordQuery } from './query-records.dto.js';
import { countWithin, pageCursors, pageText, projected } from './record-page.js';

/** The first records of a page, as JSON texts. */
interface LimitedPage {
  readonly records: readonly string[];
  /** True when some records of the page were left out. */
  readonly truncated: boolean;
  /** The cursor after the last of these records; null at the end of the list. */
  readonly next: string | null;
  readonly total: number | undefined;
}

/** A write of a record by its id, and the fields that it names. */
interface RuledWrite {
  readonly action: 'update' | 'delete';
  readonly names: readonly string[];
}

/** Reads records in one round trip, as the JSON text that PostgreSQL builds. */
@Injectable()
export class QueryRecords {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly store: RecordStore,
    private readonly cursors: Cursors,
  ) {}

  /** The answer has no entity tag with `as_of`. Throws 404 `RecordNotFound`. */
  async get(
    access: Access,
    recordId: string,
    { as_of: asOf, with_authors: withAuthors }: GetRecordQuery = {},
  ): Promise<JsonText> {
    if (!isUuid(recordId)) throw recordNotFound();
    const found = await this.accesses.withVersionCheck(this.accesses.asOf(access, asOf), (current, until) => {
      const collection = seenForWrite(current.collection);
      return this.store.readShort(collection, getStatement(collection, recordId, withAuthors), until);
    });
    const { record, tag } = found;
    // The version check held, so the record really does not exist for this caller.
    if (record === null) throw recordNotFound().proven();
    return new JsonText(`{"found":true,"record":${record}}`, tag ?? undefined);
  }

  /**
   * Explains why a write whose version check held found no record: throws 404 unless the caller sees the record, 403 when its
   * rules do not allow the write, and 412 when its entity tag does not satisfy the condition.
   */
  async refuseMissing(
    access: Access,
    recordId: string,
    tag: TagCondition | undefined,
    write: RuledWrite,
  ): Promise<never> {
    const { restricted } = access.collection;
    if (tag === undefined && restricted === undefined) throw recordNotFound().proven();
    await this.get(access, recordId);
    if (restricted !== undefined) await this.refuseByRules(access, recordId, write);
    throw tag === undefined ? recordNotFound() : preconditionFailed();
  }

  /** Throws 403 when the rules of the caller do not allow to write a record that it sees in this way. */
  private async refuseByRules(
    access: Access,
    recordId: string,
    { action, names }: RuledWrite,
  ): Promise<void> {
    await this.accesses.withVersionCheck(access, async ({ collection: { restricted } }, until) => {
      if (restricted === undefined) return;
      const rules = new RecordRules(restricted);
      const statement = heldRulesRead(restricted, recordId);
      const held = await this.store.readShort(restricted.whole, statement, until);
      if (held === undefined) return;
      const may = action === 'delete' ? rules.mayDelete(held) : rules.mayUpdate(held, names);
      if (!may) throw ruleRefused(action).proven();
      const hidden = rules.hidden(held, names);
      if (hidden.length > 0) throw fieldForbidden(hidden).proven();
    });
  }

  async query(access: Access, search: Search): Promise<JsonText> {
    const paged = isPaged(search);
    const page = new PageRequest(this.cursors, search, paged);
    const { rows, plan } = await this.read(access, page, search);
    if (rows.isCut && !paged) throw resultTooLarge('send a smaller limit, or read pages with cursor');
    const { records, total } = rows;
    const first = records.length > search.limit ? records.slice(0, search.limit) : records;
    const cursors = paged ? pageCursors(placeOf(search, rows, plan, first.length)) : '';
    const texts = projected(first, page.projection, page.shown);
    const read = texts instanceof Promise ? await texts : texts;
    return pageText(plan.isBackward ? read.toReversed() : read, cursors, total);
  }

  /**
   * A page that is cut after `maxBytes` of JSON, and the cursor to continue with. It contains at least one record, if
   * there is any.
   */
  async queryWithin(access: Access, search: Search, maxBytes: number): Promise<LimitedPage> {
    isPaged(search);
    const page = new PageRequest(this.cursors, search, true);
    const { rows, plan } = await this.read(access, page, search, maxBytes);
    if (plan.isBackward) throw onlyForward();
    const first = rows.records.slice(0, search.limit);
    const texts = await projected(first, page.projection, page.shown);
    const fitting = countWithin(texts, maxBytes);
    const more = fitting < rows.records.length || rows.isCut;
    return {
      records: texts.slice(0, fitting),
      truncated: fitting < texts.length || rows.isCut,
      next: more ? plan.cursorAt(rows.positionOf(fitting - 1), false) : null,
      total: rows.total,
    };
  }

  /** The page that `query` would read. */
  request(search: Search): PageRequest {
    return new PageRequest(this.cursors, search, isPaged(search));
  }

  /** Names of fields that are not columns, taken from some of the newest records. */
  fieldNames(access: Access): Promise<string[]> {
    return this.accesses.withVersionCheck(access, ({ collection }, until) =>
      this.store.read(collection, fieldNamesStatement(collection), until, { caller: access.caller }),
    );
  }

  /** Reads a page: its records, of which there is one more than `limit` if the list goes on, and how they were read. */
  private async read(access: Access, page: PageRequest, search: Search, maxBytes?: number) {
    const options = { maxBytes, caller: access.caller };
    const then = this.accesses.asOf(access, search.as_of);
    const read = await this.accesses.withVersionCheck(then, async (current, until) => {
      const plan = page.plan(current);
      const rows = await this.store.readCounted(current.collection, page, plan.statement, until, options);
      return { plan, rows };
    });
    if (!read.rows.anchorHolds) throw positionLost();
    return read;
  }
}

function placeOf(search: Search, rows: PageRows, plan: PagePlan, count: number) {
  return {
    cursor: search.cursor,
    count,
    more: rows.isCut || rows.records.length > search.limit,
    hasBefore: rows.hasBefore,
    isBackward: plan.isBackward,
    cursorAt: (index: number, backward: boolean) => plan.cursorAt(rows.positionOf(index), backward),
  };
}

/** A page that is cut to a size is read in one direction only. */
function onlyForward(): PlatformError {
  return invalid(
    'cursor: cannot go backward here. Start with an empty cursor and the opposite sort instead.',
  );
}

function positionLost(): PlatformError {
  return invalid(
    'cursor: the last record of the previous page was changed or deleted in the meantime, and its sort values are too long to be part of the cursor. Start again with an empty cursor, or continue with a filter.',
  );
}

/** The same error for an absent record and an expired one. */
export function recordNotFound(): PlatformError {
  return new PlatformError('RecordNotFound', 'There is no record with this id.');
}
