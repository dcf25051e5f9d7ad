import { errorOf } from '../errors/error-of.js';
import { NetworkError, TcError } from '../errors/tc-error.js';
import type { CallOptions } from '../records/options.js';
import { bytesOf } from '../transfer/lines.js';
import { readBy } from '../transport/query-text.js';
import { DEFAULT_RETRY, isPassing, jitter, pause } from '../transport/retries.js';
import type { ApiRequest, Transport } from '../transport/transport.js';
import type { Change, CollectionShape, Filter } from '../types/index.js';
import { EventParser, type StreamEvent } from './events.js';

export interface ChangesOptions<C extends CollectionShape> extends CallOptions {
  /**
   * The position to begin from: `id` of a change, `feed.position`, or what `position()` returned. The empty text: all
   * changes that are kept. Absent: changes from now on.
   */
  readonly since?: string | undefined;
  /** Matches the record as it is after the change; of a deleted or expired one, as it was last. */
  readonly filter?: Filter<C> | undefined;
  /**
   * True: also yields a `LeftRecord` when a record no longer matches the filter, or when the rules of your access no longer
   * include it. Otherwise these are passed over.
   */
  readonly left?: boolean | undefined;
  /** Called with `true` whenever the feed is connected, and with `false` when it lost the connection and will reconnect. */
  readonly onConnection?: ((isConnected: boolean) => void) | undefined;
}

/** The service sends a comment every 15 seconds. After this time without a byte, the connection is dead. */
const SILENT_MS = 45_000;
/** The longest time for a connection with its retries, for networks that swallow packets. */
const CONNECT_MS = 120_000;
/** The first wait is random below `baseMs`, or below what the service asks for with `retry:`. */
const RECONNECT = { ...DEFAULT_RETRY, baseMs: 1000, maxDelayMs: 30_000 };

/**
 * The changes of a collection, in order, each once. Reconnects from its position after every loss of the connection,
 * without gaps and duplicates. Reads the connection only as fast as it is iterated. Ends when its signal aborts; throws
 * if it never connected or when the service refuses to go on, for example with `PositionExpiredError`, or with
 * `PositionResetError` when the rules of your access have changed: then read the collection again, and follow it from a new
 * position.
 */
export class ChangeFeed<C extends CollectionShape, Item = Change<C>> implements AsyncIterable<Item> {
  /** The position after the changes that were read so far. Undefined until the service has told the first one. */
  position: string | undefined;
  private isConnected = false;
  private isRead = false;
  private policy = RECONNECT;

  constructor(
    private readonly transport: Transport,
    /** `/v1/collections/{name}/changes` */
    private readonly path: string,
    private readonly options: ChangesOptions<C>,
  ) {
    this.position = options.since;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    // Two loops would move one position, so that each would miss changes.
    if (this.isRead) throw new TypeError('changes: only one loop at a time reads a feed');
    this.isRead = true;
    try {
      yield* this.changes();
    } finally {
      this.isRead = false;
    }
  }

  private async *changes(): AsyncGenerator<Item, void, undefined> {
    const { signal } = this.options;
    for (let failures = 0; ; ) {
      try {
        for await (const { event, id, data } of this.events()) {
          if (signal?.aborted) return;
          failures = 0;
          if (id !== undefined) this.position = id;
          if (data === undefined) continue;
          if (event === 'change') {
            const change = JSON.parse(data);
            if (change.type !== 'left' || this.options.left === true) yield change;
          } else if (event === 'end' || event === 'reset') this.end(data);
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (!this.isConnected || !(error instanceof TcError) || !isPassing(error)) throw error;
      }
      failures += 1;
      this.options.onConnection?.(false);
      try {
        await pause(jitter(this.policy, failures), signal);
      } catch {
        return;
      }
    }
  }

  /**
   * Throws the error with which the service ended the stream. A token may have expired, so after a 401 the feed connects
   * once more: a refused credential is refused there too.
   */
  private end(data: string): void {
    const { error, message, details } = JSON.parse(data);
    const reason = errorOf(message, { code: error, details });
    if (reason.status !== 401) throw reason;
  }

  /** The events of one connection, from the position on. */
  private async *events(): AsyncGenerator<StreamEvent, void, undefined> {
    const { filter, left, signal } = this.options;
    const stop = new AbortController();
    const { position } = this;
    const given = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const request: ApiRequest = {
      ...readBy(this.path, { since: this.isConnected ? undefined : position, filter, left }, given),
      headers: {
        accept: 'text/event-stream',
        ...(this.isConnected && position !== undefined && { 'last-event-id': position }),
      },
    };
    const within = <T>(ms: number, work: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => stop.abort(silence(request, ms)), ms);
      return work.finally(() => clearTimeout(timer));
    };
    const response = await within(CONNECT_MS, this.transport.stream(request));
    this.isConnected = true;
    this.options.onConnection?.(true);
    const decoder = new TextDecoder();
    const parser = new EventParser();
    const pieces = bytesOf(request, response);
    try {
      for (;;) {
        const { done, value } = await within(SILENT_MS, pieces.next());
        if (done) return;
        yield* parser.push(decoder.decode(value, { stream: true }));
        const { retryMs: baseMs } = parser;
        if (baseMs !== undefined) this.policy = { ...RECONNECT, baseMs };
      }
    } finally {
      stop.abort();
    }
  }
}

/** The current position of the feed of a collection. The first call starts the feed. */
export async function currentPosition(
  transport: Transport,
  path: string,
  { signal }: CallOptions,
): Promise<string> {
  const request = { method: 'GET', path, query: { limit: 1 }, signal };
  return (await transport.request<{ next_since: string }>(request)).next_since;
}

function silence({ method, path }: ApiRequest, ms: number): NetworkError {
  return new NetworkError(`${method} ${path}: no byte arrived for ${ms / 1000} seconds`, undefined);
}
