import { Injectable } from '@nestjs/common';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import { JsonText } from '../../../base/kernel/json.js';
import type { Position } from '../../../engine/filter/index.js';
import { resultTooLarge } from '../../../engine/storage/query-refusal.js';
import { RecordStore } from '../../../engine/storage/record-store.js';
import { fieldNamesStatement, getStatement } from '../../../engine/storage/records/read.js';
import type { Rows } from '../../../platform/database/statements.js';
import { preconditionFailed, type TagCondition } from '../../../platform/http/entity-tags.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { RecordReads } from '../../collections/record-reads.js';
import { isPaged, PageRequest, type Search } from './page-request.js';
import { Cursors } from './record-cursors.js';
import { countWithin, pageCursors, pageText, recordTexts } from './record-page.js';

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
    private readonly reads: RecordReads,
    private readonly store: RecordStore,
    private readonly cursors: Cursors,
  ) {}

  /** The answer has no entity tag with `asOf`. Throws 404 `RecordNotFound`. */
  async get(access: Access, recordId: string, asOf?: string): Promise<JsonText> {
    if (!isUuid(recordId)) throw recordNotFound();
    const rows = await this.accesses.withVersionCheck(this.accesses.asOf(access, asOf), (current, until) =>
      this.store.readShort(current.collection, getStatement(current.collection, recordId), until),
    );
    const [record, tag] = rows[0] as [string | null, string | null];
    // The version check held, so the record really does not exist for this caller.
    if (record === null) throw recordNotFound().proven();
    return new JsonText(`{"found":true,"record":${record}}`, tag ?? undefined);
  }

  /**
   * Explains why a write whose version check held found no record: throws 412 when its entity tag does not
   * satisfy the condition, else 404.
   */
  async refuseMissing(access: Access, recordId: string, tag: TagCondition | undefined): Promise<never> {
    if (tag === undefined) throw recordNotFound().proven();
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

  /** The page that `query` would read, with its statement. */
  request(access: Access, search: Search): PageRequest {
    return new PageRequest(this.cursors, access, search, isPaged(search));
  }

  /** Names of fields that are not columns, taken from some of the newest records. */
  async fieldNames(access: Access): Promise<string[]> {
    const rows = await this.accesses.withVersionCheck(access, ({ collection }, until) =>
      this.store.read(collection, fieldNamesStatement(collection), until, { caller: access.caller }),
    );
    return JSON.parse(rows[0]?.[0] as string);
  }

  /**
   * Returns the rows of a page (one more than `limit` when `paged`), the total if requested, and a function that makes
   * a cursor from a row. With `isBackward` the last row comes first.
   */
  private async find(access: Access, search: Search, paged: boolean, maxBytes?: number) {
    const page = new PageRequest(this.cursors, access, search, paged);
    const rows = await this.reads.run(access, page, maxBytes);
    if (page.hasAnchor && rows[0]?.[ANCHOR_HOLDS] !== true) throw positionLost();
    return {
      found: rows[0]?.[0] === null ? [] : rows,
      total: search.with_total ? (rows[0]?.at(-1) as number) : undefined,
      hasBefore: search.at !== undefined && rows[0]?.[HAS_BEFORE] === true,
      projection: page.projection,
      isBackward: page.isBackward,
      cursorOf: (row: Rows[number] | undefined, backward: boolean) =>
        page.cursorAt(JSON.parse(row?.[1] as string) as Position, backward),
    };
  }
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
