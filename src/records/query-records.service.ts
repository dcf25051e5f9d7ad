import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { Secrets } from '../config/secrets.js';
import type { Rows } from '../database/statements.js';
import {
  isAnchor,
  type Position,
  type Projection,
  parseFilter,
  parseProjection,
  parseSort,
  type Sort,
} from '../filter/index.js';
import { preconditionFailed } from '../http/entity-tags.js';
import { inSlices } from '../kernel/bounds/slices.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { isUuid } from '../kernel/id.js';
import { JsonText } from '../kernel/json.js';
import { SignedCursor } from '../kernel/signed-cursor.js';
import type { CollectionShape } from '../storage/collection-shape.js';
import { queryRefusal, resultTooLarge } from '../storage/query-refusal.js';
import { RecordStore } from '../storage/record-store.js';
import { projector } from '../storage/records/projection.js';
import { fieldNamesStatement, getStatement, pageStatement } from '../storage/records/read.js';
import type { Statement } from '../storage/statement.js';
import type { SearchRecordsBody } from './records.dto.js';

/** The list that a cursor belongs to. */
export interface CursorQuery {
  readonly shape: CollectionShape;
  readonly filter: unknown;
  readonly sort: Sort;
}

/** Cursors of records: a position in a list with a filter and a sort. */
@Injectable()
export class Cursors {
  private readonly cursor: SignedCursor;

  constructor(secrets: Secrets) {
    this.cursor = new SignedCursor(secrets.derive('cursor'));
  }

  sign(position: Position, query: CursorQuery): string {
    return this.cursor.sign(Buffer.from(JSON.stringify(position)), listOf(query));
  }

  /** Throws 400 for a cursor that was altered, or belongs to another collection, filter or sort. */
  open(cursor: string, query: CursorQuery): Position {
    const position = this.cursor.open(cursor, listOf(query));
    if (position === undefined) {
      throw invalid(
        'cursor: is not a cursor of this query. Send it with the filter and sort that it was returned for.',
      );
    }
    return JSON.parse(position.toString('utf8'));
  }
}

/**
 * The digest of the list. It contains the types of the sort columns, because a position can only be decoded with them.
 */
function listOf({ shape, filter, sort }: CursorQuery): Buffer {
  const types = sort.map(({ path }) => shape.columns[path[0] as string]?.type ?? null);
  return createHash('sha256')
    .update(JSON.stringify([shape.id, filter ?? {}, sort, types]))
    .digest();
}

type Search = Omit<SearchRecordsBody, 'with_total'> & { readonly with_total?: boolean };

/** The column of a page's rows that is true when the anchor record of the cursor still has its sort values. */
const ANCHOR_HOLDS = 2;

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
    const paged = search.cursor !== undefined;
    const { found, total, projection, cursorAfter } = await this.find(access, search, paged);
    if (found.isCut && !paged) throw resultTooLarge('send a smaller limit, or read pages with cursor');
    const more = paged && (found.isCut || found.length > search.limit);
    const page = found.length > search.limit ? found.slice(0, search.limit) : found;
    const next = paged ? (more ? cursorAfter(page.at(-1)) : null) : undefined;
    const texts = recordTexts(page, projection);
    return pageText(texts instanceof Promise ? await texts : texts, next, total);
  }

  /**
   * A page that is cut after `maxBytes` of JSON, and the cursor to continue with. It contains at least one record, if
   * there is any.
   */
  async queryWithin(access: Access, search: Search, maxBytes: number): Promise<LimitedPage> {
    const { found, total, projection, cursorAfter } = await this.find(access, search, true, maxBytes);
    const page = await recordTexts(found.slice(0, search.limit), projection);
    const fitting = countWithin(page, maxBytes);
    return {
      records: page.slice(0, fitting),
      truncated: fitting < page.length || found.isCut === true,
      next: fitting < found.length || found.isCut ? cursorAfter(found[fitting - 1]) : null,
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
   * a cursor from a row.
   */
  private async find(access: Access, search: Search, paged: boolean, maxBytes?: number) {
    if (search.cursor !== undefined && search.page !== undefined)
      throw invalid('Send either cursor or page.');
    const [filter, sort, projection] = [
      search.filter === undefined ? undefined : parseFilter(search.filter),
      parseSort(search.sort),
      parseProjection(search.fields),
    ];
    const belongsTo = ({ collection: shape }: Access) => ({ shape, filter: search.filter, sort });
    let read = access;
    let from: Position | undefined;
    const statement = (current: Access) => {
      read = current;
      from = search.cursor ? this.cursors.open(search.cursor, belongsTo(current)) : undefined;
      return pageStatement(current.collection, {
        filter,
        sort,
        projection,
        limit: search.limit + (paged ? 1 : 0),
        offset: ((search.page ?? 1) - 1) * search.limit,
        after: from,
        withPosition: paged,
        withTotal: search.with_total === true,
        withTags: search.with_etags === true,
      });
    };
    const rows = await this.read(access, statement, maxBytes);
    if (from !== undefined && isAnchor(from) && rows[0]?.[ANCHOR_HOLDS] !== true) throw positionLost();
    const cursorAfter = (row: Rows[number] | undefined) =>
      this.cursors.sign(JSON.parse(row?.[1] as string) as Position, belongsTo(read));
    return {
      found: rows[0]?.[0] === null ? [] : rows,
      total: search.with_total ? (rows[0]?.at(-1) as number) : undefined,
      projection,
      cursorAfter,
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

/** The response text of a page. `next` and `total` are undefined when they were not requested. */
function pageText(
  records: readonly string[],
  next: string | null | undefined,
  total: number | undefined,
): JsonText {
  return new JsonText(
    `{"count":${records.length}${total === undefined ? '' : `,"total":${total}`}${
      next === undefined ? '' : `,"next_cursor":${JSON.stringify(next)}`
    },"records":[${records.join(',')}]}`,
  );
}

/** Cutting nested paths from long records can take long, so other requests run in between. */
function recordTexts(rows: Rows, projection: Projection | undefined): string[] | Promise<string[]> {
  if (projection === undefined) return rows.map(([record]) => record as string);
  const project = projector(projection);
  const texts: string[] = [];
  const rest = inSlices(rows.length, index => {
    texts.push(project(rows[index]?.[0] as string));
  });
  return rest === undefined ? texts : rest.then(() => texts);
}

/** The number of texts from the start of the list that fit into `maxBytes`. The first one always counts. */
function countWithin(texts: readonly string[], maxBytes: number): number {
  let bytes = 0;
  const over = texts.findIndex(text => {
    bytes += Buffer.byteLength(text) + 1;
    return bytes > maxBytes;
  });
  return over < 0 ? texts.length : Math.max(over, 1);
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
