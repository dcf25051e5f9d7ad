import { invalid } from '../../../base/kernel/errors.js';
import type { JsonValue } from '../../../base/kernel/json.js';
import { MAX_LIMIT } from '../../../base/kernel/limits.js';
import {
  type Filter,
  isAnchor,
  type Position,
  type Projection,
  parseFilter,
  parseProjection,
  parseSort,
  type Sort,
} from '../../../engine/filter/index.js';
import { pageStatement } from '../../../engine/storage/records/page.js';
import type { Statement } from '../../../engine/storage/statement.js';
import type { Collection } from '../../collections/collection.entity.js';
import type { Access } from '../../collections/collection-access.js';
import type { RecordQueryBody } from './query-records.dto.js';
import { type CursorQuery, type Cursors, END } from './record-cursors.js';

export type Search = Omit<RecordQueryBody, 'with_total'> & {
  readonly with_total?: boolean;
  readonly at?: JsonValue;
};

/** A page of records that a request asks for, and its statement for each version of the collection. */
export class PageRequest {
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly projection: Projection | undefined;
  private from: Position | undefined;
  private backward: boolean;

  /** With `withCursors` the statement returns one row more than the page has. Throws 400. */
  constructor(
    private readonly cursors: Cursors,
    private access: Access,
    private readonly search: Search,
    private readonly withCursors: boolean,
  ) {
    if (search.cursor !== undefined && search.page !== undefined)
      throw invalid('Send either cursor or page.');
    this.filter = search.filter === undefined ? undefined : parseFilter(search.filter);
    this.sort = parseSort(search.sort);
    this.projection = parseProjection(search.fields);
    this.backward = search.cursor === END;
    if (search.at !== undefined) requireOneField(search);
  }

  /** The statement for the collection as it is in `current`. Throws 400 for a cursor of another list. */
  statement(current: Access): Statement {
    const { search } = this;
    this.access = current;
    if (search.cursor && search.cursor !== END) {
      const place = this.cursors.open(search.cursor, this.list);
      this.from = place.position;
      this.backward = place.isBackward;
    }
    return pageStatement(current.collection, {
      filter: this.filter,
      sort: this.sort,
      projection: this.projection,
      limit: search.limit + (this.withCursors ? 1 : 0),
      offset: ((search.page ?? 1) - 1) * search.limit,
      after: this.from,
      at: search.at,
      isBackward: this.backward,
      isIndexed: beginsIndex(current.collection, this.sort),
      preview: search.preview,
      withPosition: this.withCursors,
      withTotal: search.with_total === true,
      withTags: search.with_etags === true,
    });
  }

  /** The instant of a read of the past. */
  get asOf(): string | undefined {
    return this.search.as_of;
  }

  /** True when the rows come in the opposite order. Known after `statement`. */
  get isBackward(): boolean {
    return this.backward;
  }

  /** True when the cursor names a record that must still have its sort values. Known after `statement`. */
  get hasAnchor(): boolean {
    return this.from !== undefined && isAnchor(this.from);
  }

  /** A cursor of the list of the last statement. */
  cursorAt(position: Position, backward: boolean): string {
    return this.cursors.sign(position, this.list, backward);
  }

  private get list(): CursorQuery {
    const { sort, asOf } = this;
    return { shape: this.access.collection, filter: this.search.filter, sort, asOf };
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
