import { readBy } from '../transport/query-text.js';
import type { Transport } from '../transport/transport.js';
import type { CollectionShape, Projection, Sort } from '../types/index.js';
import { type ReadOptions, wireOf } from './options.js';
import type { Explanation } from './results.js';

/** What `find` returns besides the filter. */
export interface FindOptions<
  C extends CollectionShape,
  F = Projection<C> | undefined,
  E = boolean,
  A = boolean,
> extends ReadOptions {
  /** Default: in the order of insertion. */
  readonly sort?: Sort<C> | undefined;
  /** The fields to return: `['title']`, `{ title: 1 }` or `{ title: 0 }`. */
  readonly fields?: F | undefined;
  /**
   * Begins at the first record whose value of the sort field is not before this one. Needs a sort by one field. It does
   * not change what `count` counts.
   */
  readonly at?: SortValue | undefined;
  /** Records of a request, at most 1,000; default 100. */
  readonly pageSize?: number | undefined;
  /** Each record carries its `_etag`, for `ifMatch`. Not with `asOf`: records of the past have none. */
  readonly withEtags?: E | undefined;
  /** Each record carries `_created_by` and `_updated_by`. */
  readonly withAuthors?: A | undefined;
  /** Texts and JSON longer than so many characters are cut; `_cut` lists the fields. */
  readonly preview?: number | undefined;
}

/** A value of a field that records are sorted by. */
export type SortValue = string | number | boolean | null;

/** Which page to read: by number, by cursor, or from a value on. */
export interface PageOptions {
  /** From 1. Deep pages are slow: use `cursor`. */
  readonly page?: number | undefined;
  /** The empty text is the first page, `end` the last one; `next_cursor` and `prev_cursor` go on from a page. */
  readonly cursor?: string | undefined;
  /** The page that begins at this value of the sort field, as in `FindOptions`. Goes on by cursor. */
  readonly at?: SortValue | undefined;
  /** At most 100, with `cursor` or `at` at most 1,000. */
  readonly limit?: number | undefined;
  /** Counts all matching records too. */
  readonly withTotal?: boolean | undefined;
}

export interface Page<T> {
  readonly count: number;
  readonly records: T[];
  /** With `cursor` or `at`: where to go on; null at the end. */
  readonly next_cursor?: string | null;
  /** With `cursor` or `at`: where the page before is; null at the beginning. */
  readonly prev_cursor?: string | null;
  /** With `withTotal`. */
  readonly total?: number;
}

const PAGE_SIZE = 100;

/**
 * The records that a filter matches. Sends nothing until it is read: iterate it, or call a method. Each reading sends
 * its own requests.
 */
export class Query<T> implements AsyncIterable<T> {
  constructor(
    private readonly transport: Transport,
    /** `/v1/collections/{name}/data` */
    private readonly path: string,
    private readonly filter: object | undefined,
    // biome-ignore lint/suspicious/noExplicitAny: the fields and the sort do not matter here
    private readonly options: FindOptions<any>,
  ) {}

  /** All records. Each page is requested when the one before is read, and begins where that ended. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { records } of this.pages()) yield* records;
  }

  /** All pages, each requested when it is asked for. */
  pages(): AsyncGenerator<Page<T>, void, undefined> {
    return this.pagesOf(Number.POSITIVE_INFINITY);
  }

  /** One page, by number, by cursor, or from a value on. */
  page(page: PageOptions = {}): Promise<Page<T>> {
    const { pageSize, signal } = this.options;
    return this.read({ limit: pageSize, ...wireOf(page) }, signal);
  }

  /** How the service executes the reading of a page, and which index would help. Returns no records. */
  explain(page: PageOptions = {}): Promise<Explanation> {
    const { pageSize, signal } = this.options;
    return this.send('explain', { limit: pageSize, ...wireOf(page) }, signal);
  }

  /** The first record; undefined if there is none. */
  async first(): Promise<T | undefined> {
    return (await this.read({ limit: 1 }, this.options.signal)).records[0];
  }

  /** The records as an array, at most `max`. Requests no page that they do not need. */
  async toArray(max = Number.POSITIVE_INFINITY): Promise<T[]> {
    const found: T[] = [];
    for await (const { records } of this.pagesOf(max)) for (const record of records) found.push(record);
    return found;
  }

  /** The exact number of records that match. */
  async count(): Promise<number> {
    const { signal, asOf, viewAs } = this.options;
    const query = { filter: this.filter, as_of: asOf, view_as: viewAs };
    const request = readBy(`${this.path}/count`, query, signal);
    return (await this.transport.request<{ count: number }>(request)).count;
  }

  private async *pagesOf(max: number): AsyncGenerator<Page<T>, void, undefined> {
    const { pageSize = PAGE_SIZE, signal } = this.options;
    let left = max;
    for (let cursor: string | null | undefined = ''; left >= 1 && typeof cursor === 'string'; ) {
      const page: Page<T> = await this.read({ limit: Math.min(left, pageSize), cursor }, signal);
      left -= page.records.length;
      cursor = page.next_cursor;
      yield page;
    }
  }

  private read(position: PageOptions, signal: AbortSignal | undefined): Promise<Page<T>> {
    return this.send('query', position, signal);
  }

  private send<R>(
    operation: 'query' | 'explain',
    position: PageOptions,
    signal: AbortSignal | undefined,
  ): Promise<R> {
    const { pageSize: _size, at, ...options } = this.options;
    // A cursor or a page number says itself where the page is.
    const begin = position.cursor || position.page !== undefined ? {} : { at };
    const body = { filter: this.filter, ...wireOf(options), ...begin, ...position };
    return this.transport.request({
      method: 'POST',
      path: `${this.path}/${operation}`,
      body,
      signal,
      readOnly: true,
    });
  }
}
