import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { invalid, type PlatformError } from '../../../base/kernel/errors.js';
import type { JsonValue } from '../../../base/kernel/json.js';
import { MAX_LIMIT } from '../../../base/kernel/limits.js';
import { SignedCursor } from '../../../base/kernel/signed-cursor.js';
import {
  type Filter,
  type Position,
  type Projection,
  parseFilter,
  parseProjection,
  parseSort,
  type Sort,
} from '../../../engine/filter/index.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import type { AskedRead } from '../../../engine/storage/explain/advice.js';
import { pageStatement } from '../../../engine/storage/records/page.js';
import type { PageRows } from '../../../engine/storage/records/page-columns.js';
import type { ShownRecords } from '../../../engine/storage/records/projection.js';
import type { Read } from '../../../engine/storage/statement.js';
import { Secrets } from '../../../platform/config/secrets.js';
import type { Collection } from '../../collections/collection.entity.js';
import type { Access } from '../../collections/collection-access.js';
import type { RecordQueryBody } from './query-records.dto.js';

export type Search = Omit<RecordQueryBody, 'with_total'> & {
  readonly with_total?: boolean;
  readonly at?: JsonValue;
};

/** How a page is read from one version of a collection. */
export interface PagePlan {
  readonly statement: Read<PageRows>;
  /** True when the records come in the opposite order. */
  readonly isBackward: boolean;
  /** A cursor of the list. */
  cursorAt(position: Position, backward: boolean): string;
}

/** A page of records that a request asks for. */
export class PageRequest implements AskedRead {
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly projection: Projection | undefined;

  /** With `withCursors` the statement returns one row more than the page has. Throws 400. */
  constructor(
    private readonly cursors: Cursors,
    private readonly search: Search,
    private readonly withCursors: boolean,
  ) {
    if (search.cursor !== undefined && search.page !== undefined)
      throw invalid('Send either cursor or page.');
    this.filter = search.filter === undefined ? undefined : parseFilter(search.filter);
    this.sort = parseSort(search.sort);
    this.projection = parseProjection(search.fields);
    if (search.at !== undefined) requireOneField(search);
  }

  /** What the records of the page show beside the projection. */
  get shown(): ShownRecords {
    return { isPreview: this.search.preview !== undefined, withAuthors: this.search.with_authors };
  }

  /** The plan for the collection as it is in `current`. Throws 400 for a cursor of another list. */
  plan({ collection }: Access): PagePlan {
    const { search, filter, sort, cursors } = this;
    const list = { shape: collection, filter: search.filter, sort, asOf: search.as_of };
    const { position, isBackward } = this.start(list);
    return {
      statement: pageStatement(collection, {
        filter,
        sort,
        projection: this.projection,
        limit: search.limit + (this.withCursors ? 1 : 0),
        offset: ((search.page ?? 1) - 1) * search.limit,
        after: position,
        at: search.at,
        isBackward,
        isIndexed: beginsIndex(collection, sort),
        preview: search.preview,
        withPosition: this.withCursors,
        withTotal: search.with_total === true,
        withTags: search.with_etags === true,
        withAuthors: search.with_authors === true,
      }),
      isBackward,
      cursorAt: (at, backward) => cursors.sign(at, list, backward),
    };
  }

  private start(list: CursorQuery): Partial<Place> & Pick<Place, 'isBackward'> {
    const { cursor } = this.search;
    return cursor && cursor !== END ? this.cursors.open(cursor, list) : { isBackward: cursor === END };
  }
}

/** True when an index or a unique constraint begins with the first field of the sort. */
function beginsIndex({ indexes, uniques }: Collection, [first]: Sort): boolean {
  return [...indexes, ...uniques].some(
    ({ properties, kind }) =>
      kind === undefined && first?.path.length === 1 && properties[0] === first.path[0],
  );
}

/** True for a page that is read with a cursor. Throws 400 for a limit that only such pages can have. */
export function isPaged({ cursor, at, limit }: Search): boolean {
  const paged = cursor !== undefined || at !== undefined;
  if (paged || limit <= MAX_LIMIT) return paged;
  throw invalid(`limit: expects a whole number from 1 to ${MAX_LIMIT}, or with cursor or at from 1 to 1000.`);
}

/** `at` needs a sort by one field and begins a list, so no cursor and no page number go with it. Throws 400. */
function requireOneField({ sort, cursor, page }: Search): void {
  if (page !== undefined || cursor)
    throw invalid('at: send it without page, and with an empty cursor or none.');
  if (Object.keys(sort ?? {}).length !== 1)
    throw invalid('at: needs a sort by one field, such as {"created_at": -1}.');
}

/** The cursor of the last page. It is not signed, because it has no position. */
export const END = 'end';

/** The list that a cursor belongs to. */
interface CursorQuery {
  readonly shape: CollectionShape;
  readonly filter: unknown;
  readonly sort: Sort;
  /** The instant of a list of the past. */
  readonly asOf?: string | undefined;
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
    'cursor: is not a cursor of this query. Send it with the filter, sort and as_of that it was returned for.',
  );
}

/**
 * The digest of the list. It contains the types of the sort columns, because a position can only be decoded with them.
 */
function listOf({ shape, filter, sort, asOf }: CursorQuery): Buffer {
  const types = sort.map(({ path }) => shape.columns[path[0] as string]?.type ?? null);
  const list = [shape.id, filter ?? {}, sort, types, ...(asOf === undefined ? [] : [asOf])];
  return hash('sha256', JSON.stringify(list), 'buffer');
}
