import type { Transport } from '../transport/transport.js';
import type { CollectionShape, Projection, Sort } from '../types/index.js';
import { type CallOptions, wireOf } from './options.js';

/** What `find` returns besides the filter. */
export interface FindOptions<C extends CollectionShape, F = Projection<C> | undefined, E = boolean>
  extends CallOptions {
  /** Default: in the order of insertion. */
  readonly sort?: Sort<C> | undefined;
  /** The fields to return: `['title']`, `{ title: 1 }` or `{ title: 0 }`. */
  readonly fields?: F | undefined;
  /** Records of a request; default 100. */
  readonly pageSize?: number | undefined;
  /** Each record carries its `_etag`, for `ifMatch`. */
  readonly withEtags?: E | undefined;
  /** Texts and JSON longer than so many characters are cut; `_cut` lists the fields. */
  readonly preview?: number | undefined;
}

/** Which page to read: by number, or by cursor. */
export interface PageOptions {
  /** From 1. Deep pages are slow: use `cursor`. */
  readonly page?: number | undefined;
  /** The empty text begins; `next_cursor` goes on. */
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  /** Counts all matching records too. */
  readonly withTotal?: boolean | undefined;
}

export interface Page<T> {
  readonly count: number;
  readonly records: T[];
  /** With `cursor`: where to go on; null at the end. */
  readonly next_cursor?: string | null;
  /** With `cursor`: where the page before is; null at the beginning. */
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

  /** All records, in pages that begin where the page before ended. The next page is requested ahead. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { records } of this.pages()) yield* records;
  }

  /** All pages, the next one requested ahead. */
  pages(): AsyncGenerator<Page<T>, void, undefined> {
    return this.pagesOf(this.options.pageSize ?? PAGE_SIZE);
  }

  /** One page, by number or cursor. */
  page(page: PageOptions = {}): Promise<Page<T>> {
    const { pageSize, signal } = this.options;
    return this.read({ limit: pageSize, ...wireOf(page) }, signal);
  }

  /** The first record; undefined if there is none. */
  async first(): Promise<T | undefined> {
    return (await this.read({ limit: 1 }, this.options.signal)).records[0];
  }

  /** The records as an array, at most `max`. */
  async toArray(max = Number.POSITIVE_INFINITY): Promise<T[]> {
    const found: T[] = [];
    if (max < 1) return found;
    for await (const { records } of this.pagesOf(Math.min(max, this.options.pageSize ?? PAGE_SIZE))) {
      for (const record of records) found.push(record);
      if (found.length >= max) break;
    }
    return found.length > max ? found.slice(0, max) : found;
  }

  /** The exact number of records that match. */
  async count(): Promise<number> {
    const { filter, path } = this;
    const { signal } = this.options;
    const request = { method: 'GET', path: `${path}/count`, query: { filter }, signal };
    return (await this.transport.request<{ count: number }>(request)).count;
  }

  private async *pagesOf(limit: number): AsyncGenerator<Page<T>, void, undefined> {
    const { signal } = this.options;
    const stop = new AbortController();
    const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const ask = (cursor: string) => this.read({ limit, cursor }, either);
    let next: Promise<Page<T>> | undefined = ask('');
    try {
      while (next !== undefined) {
        const page: Page<T> = await next;
        next = page.next_cursor ? ask(page.next_cursor) : undefined;
        // A failure is thrown when the page is awaited, which never happens if the reader stops before.
        next?.catch(() => undefined);
        yield page;
      }
    } finally {
      stop.abort();
    }
  }

  private read(position: object, signal: AbortSignal | undefined): Promise<Page<T>> {
    const { pageSize: _size, ...options } = this.options;
    const body = { filter: this.filter, ...wireOf(options), ...position };
    return this.transport.request({
      method: 'POST',
      path: `${this.path}/query`,
      body,
      signal,
      readOnly: true,
    });
  }
}
