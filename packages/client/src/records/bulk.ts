import { PartialWriteError, shifted } from '../errors/partial-write-error.js';
import { TcError } from '../errors/tc-error.js';
import { newKey } from '../transport/http-transport.js';
import type { Transport } from '../transport/transport.js';
import type { WriteOptions } from './options.js';

/** The most records of a bulk request. */
const MAX_RECORDS = 5000;
/** Below the default of BODY_LIMIT_BYTES. */
const MAX_BYTES = 8_000_000;

export interface BulkProgress {
  /** Records written so far, with those before `startAt`. */
  readonly done: number;
  /** All records, if their number is known. */
  readonly total: number | undefined;
}

export interface BulkOptions extends WriteOptions {
  /** A column with a unique constraint of its own: records whose value exists are updated. */
  readonly upsertKey?: string | undefined;
  /** Leaves out so many records at the beginning: `resumeAt` of a `PartialWriteError`. */
  readonly startAt?: number | undefined;
  /** The most bytes of one request. */
  readonly maxBytes?: number | undefined;
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

export interface BulkResult {
  /** Records written by this call. */
  readonly inserted: number;
  /** Requests sent. */
  readonly parts: number;
}

type Records = Iterable<unknown> | AsyncIterable<unknown>;

/** Writes any number of records in order, in parts that are each written completely or not at all. */
export async function bulkInsert(
  transport: Transport,
  path: string,
  records: Records,
  options: BulkOptions,
): Promise<BulkResult> {
  const { upsertKey, signal, onProgress, startAt = 0, idempotencyKey = newKey() } = options;
  const total = Array.isArray(records) ? records.length : undefined;
  const tail = upsertKey === undefined ? ']}' : `],"upsert_key":${JSON.stringify(upsertKey)}}`;
  let done = startAt;
  let parts = 0;
  for await (const texts of partsOf(records, startAt, options.maxBytes ?? MAX_BYTES)) {
    try {
      await transport.request({
        method: 'POST',
        path: `${path}/bulk`,
        raw: `{"records":[${texts.join(',')}${tail}`,
        headers: { 'content-type': 'application/json' },
        // A call that goes on at the same record with the same key sends the same part, which is then done once.
        idempotencyKey: `${idempotencyKey}.${done}`,
        signal,
      });
    } catch (error) {
      if (!(error instanceof TcError)) throw error;
      const details = shifted(error.details, done);
      throw new PartialWriteError(error, { done, resumeAt: done, idempotencyKey, details });
    }
    done += texts.length;
    parts += 1;
    onProgress?.({ done, total });
  }
  return { inserted: done - startAt, parts };
}

/** The texts of the records of one request after the other. */
async function* partsOf(records: Records, startAt: number, maxBytes: number): AsyncGenerator<string[]> {
  let texts: string[] = [];
  let bytes = 0;
  let position = 0;
  /** Adds a record. Returns the part before it if the record does not fit into it. */
  const add = (record: unknown): string[] | undefined => {
    if (position++ < startAt) return undefined;
    const text = JSON.stringify(record);
    if (text === undefined) throw new TypeError(`records.${position - 1}: expects a record`);
    const size = 1 + bytesOf(text);
    const isFull = texts.length === MAX_RECORDS || (texts.length > 0 && bytes + size > maxBytes);
    const full = isFull ? texts : undefined;
    if (isFull) {
      texts = [];
      bytes = 0;
    }
    texts.push(text);
    bytes += size;
    return full;
  };
  if (Symbol.asyncIterator in records) {
    for await (const record of records) {
      const full = add(record);
      if (full !== undefined) yield full;
    }
  } else {
    for (const record of records) {
      const full = add(record);
      if (full !== undefined) yield full;
    }
  }
  if (texts.length > 0) yield texts;
}

const NOT_ASCII = /[^\0-\x7f]/;

/** The bytes of a text in UTF-8, or for other than ASCII text an upper bound, which is much faster to find. */
function bytesOf(text: string): number {
  return NOT_ASCII.test(text) ? text.length * 3 : text.length;
}
