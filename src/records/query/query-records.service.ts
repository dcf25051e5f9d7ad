import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import type { Rows } from '../../database/statements.js';
import { isAnchor, type Position, parseFilter, parseProjection, parseSort } from '../../filter/index.js';
import { preconditionFailed } from '../../http/entity-tags.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/id.js';
import { JsonText, type JsonValue } from '../../kernel/json.js';
import { MAX_LIMIT } from '../../kernel/limits.js';
import { queryRefusal, resultTooLarge } from '../../storage/query-refusal.js';
import { RecordStore } from '../../storage/record-store.js';
import { fieldNamesStatement, getStatement, pageStatement } from '../../storage/records/read.js';
import type { Statement } from '../../storage/statement.js';
import type { RecordQueryBody } from './query-records.dto.js';
import { Cursors, END } from './record-cursors.js';
import { countWithin, pageCursors, pageText, recordTexts } from './record-page.js';

type Search = Omit<RecordQueryBody, 'with_total'> & {
  readonly with_total?: boolean;
  readonly at?: JsonValue;
};

/**
 * The column of a page's rows that is true when the anchor record of the cursor still has its sort values, or, for a page
 * that begins `at` a value, when there are records before it.
 */
const ANCHOR_HOLDS = 2;
const HAS_BEFORE = 2;

/** The first records of a page, as JSON texts. */
interface LimitedPage {
  readonly records: readonly string[];
  /** True when some records of the page were left out. */
  readonly truncated: boolean;
  /** The cursor after the last of these records; null at the end of the list. */
  readonly next: string | null;
  readonly total: number | undefined;
}

/** Reads records in one round trip, as the JSON text that PostgreSQL builds. */
@Injectable()
export class QueryRecords {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly store: RecordStore,
    private readonly cursors: Cursors,
  ) {}

  /** Throws 404 `RecordNotFound`. */
  async get(access: Access, recordId: string): Promise<JsonText> {
    if (!isUuid(recordId)) throw recordNotFound();
    const rows = await this.accesses.withVersionCheck(access, (current, until) =>
      this.store.readShort(current.collection, getStatement(current.collection, recordId), until),
    );
    const [record, tag] = rows[0] as [string | null, string];
    // The version check held, so the record really does not exist for this caller.
    if (record === null) throw recordNotFound().proven();
    return new JsonText(`{"found":true,"record":${record}}`, tag);
  }

  /**
   * Explains why a write whose version check held found no record: throws 412 when the record has another tag, else
   * 404.
   */
  async refuseMissing(access: Access, recordId: string, tags: readonly string[] | undefined): Promise<never> {
    if (tags === undefined) throw recordNotFound().proven();
    await this.get(access, recordId);
    throw preconditionFailed();
  }

  async query(access: Access, search: Search): Promise<JsonText> {
    const paged = isPaged(search);
    const { found, total, projection, ...place } = await this.find(access, search, paged);
    if (found.isCut && !paged) throw resultTooLarge('send a smaller limit, or read pages with cursor');
    const more = found.isCut === true || found.length > search.limit;
    const first = found.length > search.limit ? found.slice(0, search.limit) : found;
    const page = place.isBackward ? first.toReversed() : first;
    const cursors = paged ? pageCursors(search, page, { ...place, more }) : '';
    const texts = recordTexts(page, projection, search.preview !== undefined);
    return pageText(texts instanceof Promise ? await texts : texts, cursors, total);
  }

  /**
   * A page that is cut after `maxBytes` of JSON, and the cursor to continue with. It contains at least one record, if
   * there is any.
   */
  async queryWithin(access: Access, search: Search, maxBytes: number): Promise<LimitedPage> {
    isPaged(search);
    const { found, total, projection, cursorOf, isBackward } = await this.find(
      access,
      search,
      true,
      maxBytes,
    );
    if (isBackward) throw onlyForward();
    const page = await recordTexts(found.slice(0, search.limit), projection, search.preview !== undefined);
    const fitting = countWithin(page, maxBytes);
    return {
      records: page.slice(0, fitting),
      truncated: fitting < page.length || found.isCut === true,
      next: fitting < found.length || found.isCut ? cursorOf(found[fitting - 1], false) : null,
      total,
    };
  }

  /** Names of fields that are not columns, taken from some of the newest records. */
  async fieldNames(access: Access): Promise<string[]> {
    const rows = await this.read(access, ({ collection }) => fieldNamesStatement(collection));
    return JSON.parse(rows[0]?.[0] as string);
  }

  /**
   * Returns the rows of a page (one more than `limit` when `paged`), the total if requested, and a function that makes
   * a cursor from a row. With `isBackward` the last row comes first.
   */
  private async find(access: Access, search: Search, paged: boolean, maxBytes?: number) {
    if (search.cursor !== undefined && search.page !== undefined)
      throw invalid('Send either cursor or page.');
    const [filter, sort, projection] = [
      search.filter === undefined ? undefined : parseFilter(search.filter),
      parseSort(search.sort),
      parseProjection(search.fields),
    ];
    if (search.at !== undefined) requireOneField(search);
    const belongsTo = ({ collection: shape }: Access) => ({ shape, filter: search.filter, sort });
    let read = access;
    let from: Position | undefined;
    let isBackward = search.cursor === END;
    const statement = (current: Access) => {
      read = current;
      if (search.cursor && search.cursor !== END) {
        const place = this.cursors.open(search.cursor, belongsTo(current));
        from = place.position;
        isBackward = place.isBackward;
      }
      return pageStatement(current.collection, {
        filter,
        sort,
        projection,
        limit: search.limit + (paged ? 1 : 0),
        offset: ((search.page ?? 1) - 1) * search.limit,
        after: from,
        at: search.at,
        isBackward,
        preview: search.preview,
        withPosition: paged,
        withTotal: search.with_total === true,
        withTags: search.with_etags === true,
      });
    };
    const rows = await this.read(access, statement, maxBytes);
    if (from !== undefined && isAnchor(from) && rows[0]?.[ANCHOR_HOLDS] !== true) throw positionLost();
    const cursorOf = (row: Rows[number] | undefined, backward: boolean) =>
      this.cursors.sign(JSON.parse(row?.[1] as string) as Position, belongsTo(read), backward);
    return {
      found: rows[0]?.[0] === null ? [] : rows,
      total: search.with_total ? (rows[0]?.at(-1) as number) : undefined,
      hasBefore: search.at !== undefined && rows[0]?.[HAS_BEFORE] === true,
      projection,
      isBackward,
      cursorOf,
    };
  }

  private read(access: Access, statement: (current: Access) => Statement, maxBytes?: number): Promise<Rows> {
    const how = { maxBytes, caller: access.caller };
    return this.accesses.withVersionCheck(access, async (current, until) => {
      try {
        return await this.store.read(current.collection, statement(current), until, how);
      } catch (error) {
        throw queryRefusal(error);
      }
    });
  }
}

/** `at` needs a sort by one field and begins a list, so no cursor and no page number go with it. Throws 400. */
function requireOneField({ sort, cursor, page }: Search): void {
  if (page !== undefined || cursor)
    throw invalid('at: send it without page, and with an empty cursor or none.');
  if (Object.keys(sort ?? {}).length !== 1)
    throw invalid('at: needs a sort by one field, such as {"created_at": -1}.');
}

/** True for a page that is read with a cursor. Throws 400 for a limit that only such pages can have. */
function isPaged({ cursor, at, limit }: Search): boolean {
  const paged = cursor !== undefined || at !== undefined;
  if (paged || limit <= MAX_LIMIT) return paged;
  throw invalid(`limit: expects a whole number from 1 to ${MAX_LIMIT}, or with cursor or at from 1 to 1000.`);
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
