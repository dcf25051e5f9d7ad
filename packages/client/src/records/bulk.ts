import { PartialWriteError, shifted } from '../errors/partial-write-error.js';
import { TcError } from '../errors/tc-error.js';
import { newKey } from '../transport/http-transport.js';
import type { Transport } from '../transport/transport.js';
import type { WriteOptions } from './options.js';

/** The most records of a bulk request. */
const MAX_RECORDS = 5000;
/** Below the default of BODY_LIMIT_BYTES, without the few bytes around the records. */
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
  const { upsertKey, signal, correlationId, onProgress, startAt = 0, idempotencyKey = newKey() } = options;
  const total = Array.isArray(records) ? records.length : undefined;
  const tail = upsertKey === undefined ? ']}' : `],"upsert_key":${JSON.stringify(upsertKey)}}`;
  let done = startAt;
  let parts = 0;
  for await (const part of partsOf(records, startAt, options.maxBytes ?? MAX_BYTES)) {
    try {
      await transport.request({
        method: 'POST',
        path: `${path}/bulk`,
        raw: `{"records":[${part.text}${tail}`,
        headers: { 'content-type': 'application/json' },
        // A call that goes on at the same record with the same key sends the same part, which is then done once.
        idempotencyKey: `${idempotencyKey}.${done}`,
        correlationId,
        signal,
      });
    } catch (error) {
      if (!(error instanceof TcError)) throw error;
      const details = shifted(error.details, done);
      throw new PartialWriteError(error, { done, resumeAt: done, idempotencyKey, details });
    }
    done += part.records;
    parts += 1;
    onProgress?.({ done, total });
  }
  return { inserted: done - startAt, parts };
}

/** One request: the texts of its records, with commas between them. */
interface Part {
  readonly text: string;
  readonly records: number;
}

/**
 * The parts of a bulk write. Where a part ends depends only on where it begins, so that a call that goes on after a
 * failure sends the same parts.
 */
async function* partsOf(records: Records, startAt: number, maxBytes: number): AsyncGenerator<Part> {
  const cutter = new Cutter(startAt, maxBytes);
  if (Symbol.asyncIterator in records) {
    for await (const record of records) if (cutter.add(record)) yield* cutter.full();
  } else {
    for (const record of records) if (cutter.add(record)) yield* cutter.full();
  }
  yield* cutter.rest();
}

/** Records that are serialized at once, which is faster than one by one. */
const GROUP = 25;

class Cutter {
  private position = 0;
  private group: unknown[] = [];
  private texts: string[] = [];
  private records = 0;
  private bytes = 0;
  private readonly encoder = new TextEncoder();

  constructor(
    private readonly startAt: number,
    private readonly maxBytes: number,
  ) {}

  /** Adds a record. True if a group of records is complete. */
  add(record: unknown): boolean {
    this.position += 1;
    if (this.position > this.startAt) this.group.push(record);
    return this.position % GROUP === 0;
  }

  /** The parts that are full with the present group. */
  *full(): Generator<Part> {
    const { group } = this;
    if (group.length === 0) return;
    this.group = [];
    const text = JSON.stringify(group).slice(1, -1);
    const bytes = this.sizeOf(text);
    if (bytes <= this.maxBytes) yield* this.append(text, group.length, bytes);
    // Large records are counted one by one.
    else {
      for (const record of group) {
        const one = JSON.stringify([record]).slice(1, -1);
        yield* this.append(one, 1, this.sizeOf(one));
      }
    }
  }

  *rest(): Generator<Part> {
    yield* this.full();
    if (this.records > 0) yield this.take();
  }

  private *append(text: string, records: number, bytes: number): Generator<Part> {
    const isFull = this.records + records > MAX_RECORDS || this.bytes + bytes > this.maxBytes;
    if (isFull && this.records > 0) yield this.take();
    this.texts.push(text);
    this.records += records;
    this.bytes += bytes;
  }

  private take(): Part {
    const part = { text: this.texts.join(','), records: this.records };
    this.texts = [];
    this.records = 0;
    this.bytes = 0;
    return part;
  }

  /** The bytes of a text in UTF-8, with the comma after it. */
  private sizeOf(text: string): number {
    return this.encoder.encode(text).byteLength + 1;
  }
}
