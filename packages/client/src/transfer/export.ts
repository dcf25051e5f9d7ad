import type { ReadOptions } from '../records/options.js';
import { readBy } from '../transport/query-text.js';
import type { ApiRequest, Transport } from '../transport/transport.js';
import type { CollectionShape, Filter, Projection, Sort } from '../types/index.js';
import { bytesOf, jsonLines } from './lines.js';

export interface ExportProgress {
  /** Bytes received so far. */
  readonly bytes: number;
}

export interface ExportOptions<C extends CollectionShape, F = Projection<C> | undefined>
  extends Omit<ReadOptions, 'viewAs'> {
  readonly filter?: Filter<C> | undefined;
  readonly sort?: Sort<C> | undefined;
  readonly fields?: F | undefined;
  /** The format of `stream` and `text`; default `csv`. Records are always read from `ndjson`. */
  readonly format?: 'csv' | 'ndjson' | 'json' | undefined;
  /** For CSV: puts an apostrophe before texts that a spreadsheet would run as formulas. */
  readonly safe?: boolean | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/**
 * All matching records as they were at one instant, whatever is written meanwhile: now, or `asOf`. Sends nothing until it is read.
 * Iterate it for records, or take the file. A connection that breaks throws a `NetworkError`: a shorter file is never
 * taken for a complete one.
 */
export class Export<T> implements AsyncIterable<T> {
  constructor(
    private readonly transport: Transport,
    /** `/v1/collections/{name}/export` */
    private readonly path: string,
    // biome-ignore lint/suspicious/noExplicitAny: the fields and the sort do not matter here
    private readonly options: ExportOptions<any>,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* jsonLines(this.bytes('ndjson', undefined)) as AsyncGenerator<T>;
  }

  /** The file. Its source is read only as fast as the stream is. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const pieces = this.bytes(this.options.format, this.options.safe);
    return new ReadableStream(
      {
        async pull(controller) {
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(value as Uint8Array<ArrayBuffer>);
        },
        cancel: async () => void (await pieces.return()),
      },
      { highWaterMark: 0 },
    );
  }

  /** The file as text. */
  text(): Promise<string> {
    return new Response(this.stream()).text();
  }

  private async *bytes(
    format: string | undefined,
    safe: boolean | undefined,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const { filter, sort, fields, asOf, signal, onProgress } = this.options;
    const query = { format: format ?? 'csv', safe, filter, sort, fields, as_of: asOf };
    const request: ApiRequest = {
      ...readBy(this.path, query, signal),
      headers: { accept: '*/*' },
    };
    let bytes = 0;
    for await (const piece of bytesOf(request, await this.transport.stream(request))) {
      bytes += piece.byteLength;
      onProgress?.({ bytes });
      yield piece;
    }
  }
}
