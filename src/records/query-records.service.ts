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
import { JsonText, type JsonValue } from '../kernel/json.js';
import { MAX_LIMIT } from '../kernel/limits.js';
import { SignedCursor } from '../kernel/signed-cursor.js';
import type { CollectionShape } from '../storage/collection-shape.js';
import { queryRefusal, resultTooLarge } from '../storage/query-refusal.js';
import { RecordStore } from '../storage/record-store.js';
import { projector } from '../storage/records/projection.js';
import { fieldNamesStatement, getStatement, pageStatement } from '../storage/records/read.js';
import type { Statement } from '../storage/statement.js';
import type { RecordQueryBody } from './records.dto.js';

/** The list that a cursor belongs to. */
export interface CursorQuery {
  readonly shape: CollectionShape;
  readonly filter: unknown;
  readonly sort: Sort;
}

/** A position in a list. `isBackward`: the page ends before it, instead of beginning after it. */
interface Place {
  readonly position: Position;
  readonly isBackward: boolean;
}

/** Cursors of records: a position in a list with a filter and a sort, and the direction to read. */
@Injectable()
export class Cursors {
  private readonly cursor: SignedCursor;

  constructor(secrets: Secrets) {
    this.cursor = new SignedCursor(secrets.derive('cursor'));
  }

  sign(position: Position, query: CursorQuery, isBackward = false): string {
    const place = isBackward ? { before: position } : position;
    return this.cursor.sign(Buffer.from(JSON.stringify(place)), listOf(query));
  }

  /** Throws 400 for a cursor that was altered, or belongs to another collection, filter or sort. */
  open(cursor: string, query: CursorQuery): Place {
    const signed = this.cursor.open(cursor, listOf(query));
    if (signed === undefined) throw foreignCursor();
    const place: Position | { readonly before: Position } = JSON.parse(signed.toString('utf8'));
    return 'before' in place
      ? { position: place.before, isBackward: true }
      : { position: place, isBackward: false };
  }
}

function foreignCursor(): PlatformError {
  return invalid(
    'cursor: is not a cursor of this query. Send it with the filter and sort that it was returned for.',
  );
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

type Search = Omit<RecordQueryBody, 'with_total'> & {
  readonly with_total?: boolean;
  readonly at?: JsonValue;
};

/** The cursor of the last page. It is not signed, because it has no position. */
const END = 'end';

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

/** A page of rows in the order of the list, and what its cursors depend on. */
interface PagePlace {
  /** True when the list goes on in the direction of reading. */
  readonly more: boolean;
  /** True when the page begins `at` a value that records precede. */
  readonly hasBefore: boolean;
  readonly isBackward: boolean;
  cursorOf(row: Rows[number] | undefined, backward: boolean): string;
}

/**
 * The members `next_cursor` and `prev_cursor` of a page. Behind the page, in the direction of reading, the last row tells
 * whether the list goes on. On the other side is the page that the cursor came from; if this page is empty, there is no
 * row to go back from, so its cursor is that of the end or the beginning of the list.
 */
function pageCursors(
  { cursor }: Search,
  page: Rows,
  { more, hasBefore, isBackward, cursorOf }: PagePlace,
): string {
  const [ahead, back] = isBackward
    ? [cursorOfMore(page[0], true), cursorOfOrigin(page.at(-1), false)]
    : [cursorOfMore(page.at(-1), false), cursorOfOrigin(page[0], true)];
  const [next, previous] = isBackward ? [back, ahead] : [ahead, back];
  return `,"next_cursor":${JSON.stringify(next)},"prev_cursor":${JSON.stringify(previous)}`;

  function cursorOfMore(row: Rows[number] | undefined, backward: boolean): string | null {
    return more ? cursorOf(row, backward) : null;
  }

  function cursorOfOrigin(row: Rows[number] | undefined, backward: boolean): string | null {
    if (cursor === END || (!cursor && !hasBefore)) return null;
    if (row === undefined) return backward ? END : '';
    return cursorOf(row, backward);
  }
}

/** The response text of a page. `cursors`: its further members. `total` is undefined when it was not requested. */
function pageText(records: readonly string[], cursors: string, total: number | undefined): JsonText {
  return new JsonText(
    `{"count":${records.length}${total === undefined ? '' : `,"total":${total}`}${cursors},"records":[${records.join(',')}]}`,
  );
}

/** Cutting nested paths from long records can take long, so other requests run in between. */
function recordTexts(
  rows: Rows,
  projection: Projection | undefined,
  isPreview: boolean,
): string[] | Promise<string[]> {
  if (projection === undefined) return rows.map(([record]) => record as string);
  const project = projector(projection, isPreview);
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
