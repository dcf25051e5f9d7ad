import { Injectable } from '@nestjs/common';
import type { Deadline } from '../../base/kernel/bounds/deadline.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { sqlState, unavailable } from '../../base/kernel/sql-state.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { isStale } from '../../engine/storage/stale.js';
import type { Collection } from '../collections/collection.entity.js';
import { NotShared, type SharedWrite, type WriteKind, writeGroup } from './shared-write.js';

/**
 * Running statements of one collection and kind, beyond which further writes wait for the next group. There may be more
 * when a full group waits, when a write has waited for MAX_DELAY_MS, and for writes that are done alone.
 */
const AT_ONCE = 2;
const MAX_SHARED = 64;
/**
 * That many writes of one turn of the event loop are sent at once if they may start, so that PostgreSQL works on them
 * while the service still handles the requests for the others.
 */
const ENOUGH = 16;
/** Maximum number of waiting writes of one collection and kind. Further writes are refused. */
const MAX_WAITING = 256;
/**
 * Maximum time that a write waits for running statements, which may be waiting for a row lock. It is longer while the
 * table is locked.
 */
const MAX_DELAY_MS = 50;
const LOCK_TIMEOUT = '55P03';

interface Waiting<Write, Result> {
  readonly write: Write;
  /** The deadline on the clock of `performance.now()`. */
  readonly until: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit of writes of single records. Writes of one turn of the event loop, and those that arrive while
 * statements of the collection are running, form a group: one statement, one transaction, an audit event for each write. A
 * write is never delayed to fill a group while no statement runs. A write that the statement leaves out, because another
 * record or request is in its way, and writes of a group that the database refused, reject with `NotShared`: they are
 * done one by one, so that an invalid record does not affect the writes of other clients.
 */
@Injectable()
export class SharedWrites {
  /** By collection and kind. */
  private readonly queues = new WeakMap<Collection, Map<object, unknown>>();

  constructor(private readonly store: RecordStore) {}

  /** Rejects as `RecordStore.write`, and with `NotShared` unless the write is done alone. */
  write<Write extends SharedWrite, Result>(
    collection: Collection,
    kind: WriteKind<Write, Result>,
    write: Write,
    isAlone: boolean,
  ): Promise<Result> {
    if (isAlone)
      return writeGroup(this.store, collection, kind, [write]).then(([result]) => result as Result);
    let ofKinds = this.queues.get(collection);
    if (ofKinds === undefined) {
      ofKinds = new Map();
      this.queues.set(collection, ofKinds);
    }
    let queue = ofKinds.get(kind) as SharedQueue<Write, Result> | undefined;
    if (queue === undefined) {
      queue = new SharedQueue(this.store, collection, kind);
      ofKinds.set(kind, queue);
    }
    return queue.write(write);
  }
}

class SharedQueue<Write extends SharedWrite, Result> {
  /** Statements. */
  private running = 0;
  /** Writes of the running statements. */
  private runningWrites = 0;
  private waiting: Waiting<Write, Result>[] = [];
  private timer: NodeJS.Timeout | undefined;
  private endOfTurn: NodeJS.Immediate | undefined;

  constructor(
    private readonly store: RecordStore,
    private readonly collection: Collection,
    private readonly kind: WriteKind<Write, Result>,
  ) {}

  write(write: Write): Promise<Result> {
    if (!this.isFree && this.waiting.length >= MAX_WAITING) return Promise.reject(tooManyWaiting());
    return new Promise((resolve, reject) => {
      const until = Math.min(write.until, this.store.deadline());
      this.waiting.push({ write, until, resolve, reject });
      if (this.isFree) this.releaseSoon();
      else this.wakeLater();
      if (this.waiting.length === MAX_SHARED) this.startWaiting();
    });
  }

  /**
   * True when waiting writes may start. A second statement starts when at least as many writes wait as the running one has,
   * because a statement for a few writes costs almost as much as one for many.
   */
  private get isFree(): boolean {
    return this.running === 0 || (this.running < AT_ONCE && this.waiting.length >= this.runningWrites);
  }

  private async start(writes: readonly Write[], until: Deadline): Promise<readonly (Result | undefined)[]> {
    this.running += 1;
    this.runningWrites += writes.length;
    try {
      return await writeGroup(this.store, this.collection, this.kind, writes, until);
    } finally {
      this.running -= 1;
      this.runningWrites -= writes.length;
      if (this.isFree) this.release();
    }
  }

  /**
   * Further statements on a locked table would only wait too. So while it is locked, only writes past their deadline
   * start.
   */
  private startWaiting(): void {
    if (!this.store.isLocked(this.collection)) {
      this.release();
      return;
    }
    const [over, others] = byDeadline(this.waiting);
    this.startAll(over, others);
  }

  private release(): void {
    if (this.waiting.length > 0) this.startAll(this.waiting, []);
  }

  /** At once with `ENOUGH` writes, otherwise at the end of the turn of the event loop. */
  private releaseSoon(): void {
    if (this.waiting.length >= ENOUGH) this.release();
    else this.endOfTurn ??= setImmediate(() => this.releaseNow());
  }

  private releaseNow(): void {
    this.endOfTurn = undefined;
    if (this.isFree) this.release();
    else if (this.waiting.length > 0) this.wakeLater();
  }

  private wakeLater(): void {
    this.timer ??= setTimeout(() => this.startWaiting(), MAX_DELAY_MS);
  }

  /** Starts writes in groups. Those that cannot share a statement with an earlier write keep waiting, with the `others`. */
  private startAll(started: readonly Waiting<Write, Result>[], others: Waiting<Write, Result>[]): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const [first, again] = byRecord(started);
    this.waiting = [...again, ...others];
    if (this.waiting.length > 0) this.wakeLater();
    for (const key of new Set(first.map(({ write }) => this.kind.keyOf(write)))) {
      const group = first.filter(({ write }) => this.kind.keyOf(write) === key);
      for (let at = 0; at < group.length; at += MAX_SHARED) this.startGroup(group.slice(at, at + MAX_SHARED));
    }
  }

  private startGroup(group: readonly Waiting<Write, Result>[]): void {
    const until = Math.min(...group.map(each => each.until));
    this.start(
      group.map(({ write }) => write),
      until,
    ).then(
      results => {
        group.forEach((each, at) => {
          const result = results[at];
          if (result === undefined) each.reject(new NotShared());
          else each.resolve(result);
        });
      },
      error => this.failed(group, error),
    );
  }

  private failed(group: readonly Waiting<Write, Result>[], error: unknown): void {
    const isNotAdmitted = error instanceof PlatformError && error.code === 'Unavailable';
    const [over, others] = isNotAdmitted ? byDeadline(group) : [[], []];
    if (over.length > 0 && others.length > 0) {
      // Nothing was written. Only the writes past their deadline fail; the others are tried again.
      for (const { reject } of over) reject(error);
      this.startGroup(others);
      return;
    }
    for (const each of group) {
      const mayHold = group.length > 1 && this.mayHoldAlone(each.write, error);
      each.reject(mayHold ? new NotShared() : error);
    }
  }

  private mayHoldAlone(write: Write, error: unknown): boolean {
    return isStale(error) ? this.kind.isStaleOnlyTogether(write) : isRefused(error);
  }
}

/** Separates the writes past their deadline from the others. */
function byDeadline<Each extends { readonly until: number }>(
  waiting: readonly Each[],
): [over: Each[], others: Each[]] {
  const now = performance.now();
  return [waiting.filter(({ until }) => until <= now), waiting.filter(({ until }) => until > now)];
}

/**
 * Separates the first write of each record from further ones, which need a later statement to add to its effect, and the
 * first write with each Idempotency-Key from those that repeat it.
 */
function byRecord<Each extends { readonly write: SharedWrite }>(
  waiting: readonly Each[],
): [first: Each[], again: Each[]] {
  const seen = new Set<string>();
  const [first, again]: [Each[], Each[]] = [[], []];
  for (const each of waiting) {
    const { recordId, description } = each.write;
    // The same key of another caller is another one, but this is too rare to be worth a text with both.
    const key = description.call.retry?.key ?? recordId;
    if (seen.has(recordId) || seen.has(key)) again.push(each);
    else first.push(each);
    seen.add(recordId).add(key);
  }
  return [first, again];
}

function tooManyWaiting(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'Too many writes to this collection are waiting. Nothing was written. Retry later.',
  );
}

/**
 * True when the database or a check refused the group. False when the connection was lost: the statement may have been
 * committed, so it must not be repeated.
 */
function isRefused(error: unknown): boolean {
  // For example, a caller has lost its rights.
  if (error instanceof PlatformError) return error.code !== 'Unavailable';
  const state = sqlState(error);
  return state === LOCK_TIMEOUT || (state !== undefined && unavailable(error) === undefined);
}
