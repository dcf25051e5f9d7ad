import type { Presence } from '../../kernel/bounds/deadline.js';
import { PlatformError } from '../../kernel/errors.js';
import { LinkedSet } from '../../kernel/linked-set.js';
import { type Closed, KeyQueue, Org } from './key-queue.js';
import { Waiter, type WaiterQueue } from './waiter.js';

/** Limits of one resource, such as the connections of the pool. */
export interface AdmissionLimits {
  /** Work that runs at once. */
  readonly maxRunning: number;
  /** Of these, for one organization. */
  readonly perOrg: number;
  /** Of these, for one key of an organization: a collection, or a caller. */
  readonly perKey: number;
  /** Work of one organization, and of one key, that may wait; more is refused. */
  readonly waitingPerOrg: number;
  readonly waitingPerKey: number;
  /** Work that waits longer is refused. */
  readonly waitMs: number;
  /** Said to a client whose work is refused. */
  readonly refusal: string;
}

/** Pause before the first probe of a closed key; doubled after each probe that fails. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
/** Up to this number of keys, those without work are kept too, so that most requests create no objects. */
const MAX_REMEMBERED_KEYS = 1_000;

/**
 * Admission control for one resource. Work is admitted at once while the resource, the organization and the key have
 * room. Otherwise it waits; free capacity goes to the organizations in turn, and within an organization to its keys in
 * turn.
 *
 * A key is closed when its table is locked. Then its work is admitted one at a time as a probe, with growing pauses,
 * until a probe succeeds and opens the key.
 */
export class AdmissionQueue {
  running = 0;
  waiting = 0;
  /** Keys that are closed. */
  closed = 0;
  /** Since the start: work admitted after a wait, the sum of these waits, and work refused. */
  readonly counts = { waited: 0, waitedMs: 0, refused: 0 };
  private keys = 0;
  private readonly orgs = new Map<string, Org>();
  /** Organizations with waiting work, in the order in which they are admitted next. */
  private readonly queue = new LinkedSet<Org>();

  private readonly waiterQueue: WaiterQueue<KeyQueue>;

  constructor(readonly limits: AdmissionLimits) {
    this.waiterQueue = {
      waitMs: limits.waitMs,
      refusal: () => this.refusal(),
      remove: waiter => this.remove(waiter),
    };
  }

  /** Runs work as soon as it is admitted. Rejects with 503 `Unavailable` when it is not admitted in time. */
  async run<T>(orgId: string, key: string, work: () => Promise<T>): Promise<T> {
    const entered = this.enter(orgId, key);
    const keyQueue = entered instanceof Promise ? await entered : entered;
    try {
      return await work();
    } finally {
      this.leave(keyQueue);
    }
  }

  /**
   * Admits work of a key: at once when there is room, otherwise a promise. It rejects with 503 when too much work waits
   * and after `waitMs` (work of a closed key may wait until `until`, by `performance.now()`), and when the caller
   * disconnects.
   */
  enter(orgId: string, key: string, until?: number, caller?: Presence): KeyQueue | Promise<KeyQueue> {
    const keyQueue = this.keyQueueOf(orgId, key);
    if (this.hasRoom(keyQueue.org) && keyQueue.isReady(this.limits.perKey)) return this.admit(keyQueue);
    const { waitingPerOrg, waitingPerKey } = this.limits;
    const isFull = keyQueue.org.waiting >= waitingPerOrg || keyQueue.waiting.length >= waitingPerKey;
    if (isFull) return Promise.reject(this.refusal());
    return this.wait(keyQueue, until, caller, false);
  }

  /** As `enter`, for a retry of work that was admitted before: it is not refused because much work waits. */
  async enterAgain(keyQueue: KeyQueue, until?: number, caller?: Presence, first = true): Promise<KeyQueue> {
    const { org, key } = keyQueue;
    // A key without work may have been removed meanwhile.
    const known = this.keyQueueOf(org.id, key);
    if (this.hasRoom(known.org) && known.isReady(this.limits.perKey)) return this.admit(known);
    return this.wait(known, until, caller, first);
  }

  /** Ends admitted work and admits the next waiting work. */
  leave(keyQueue: KeyQueue): void {
    const { org } = keyQueue;
    this.running -= 1;
    org.running -= 1;
    keyQueue.running -= 1;
    if (this.keys > MAX_REMEMBERED_KEYS) this.forget(keyQueue);
    if (this.waiting > 0) this.dispatch();
  }

  /** True while work of the key is admitted only as a probe. */
  isClosed(orgId: string, key: string): boolean {
    return this.orgs.get(orgId)?.keyQueues.get(key)?.closed !== undefined;
  }

  /** Closes the key of work that found its table locked. After a failed probe it makes the pause longer. */
  close(keyQueue: KeyQueue): void {
    const { closed } = keyQueue;
    if (closed?.timer !== undefined) return;
    const pauseMs = closed === undefined ? FIRST_PAUSE_MS : Math.min(2 * closed.pauseMs, LONGEST_PAUSE_MS);
    if (closed === undefined) this.closed += 1;
    const next: Closed = { pauseMs, timer: undefined };
    next.timer = setTimeout(() => {
      next.timer = undefined;
      if (keyQueue.isIdle) this.open(keyQueue);
      else this.dispatch();
    }, pauseMs);
    keyQueue.closed = next;
  }

  /** Opens a key after its work succeeded. */
  open(keyQueue: KeyQueue): void {
    if (keyQueue.closed === undefined) return;
    clearTimeout(keyQueue.closed.timer);
    keyQueue.closed = undefined;
    keyQueue.openSince = performance.now();
    this.closed -= 1;
  }

  private keyQueueOf(orgId: string, key: string): KeyQueue {
    let org = this.orgs.get(orgId);
    if (org === undefined) {
      org = new Org(orgId);
      this.orgs.set(orgId, org);
    }
    let keyQueue = org.keyQueues.get(key);
    if (keyQueue === undefined) {
      keyQueue = new KeyQueue(org, key);
      org.keyQueues.set(key, keyQueue);
      this.keys += 1;
    }
    return keyQueue;
  }

  private hasRoom(org: Org): boolean {
    return this.running < this.limits.maxRunning && org.running < this.limits.perOrg;
  }

  private admit(keyQueue: KeyQueue): KeyQueue {
    this.running += 1;
    keyQueue.org.running += 1;
    keyQueue.running += 1;
    return keyQueue;
  }

  private forget(keyQueue: KeyQueue): void {
    const { org, key, closed } = keyQueue;
    if (!keyQueue.isIdle || closed !== undefined) return;
    this.keys -= 1;
    org.keyQueues.delete(key);
    if (org.keyQueues.size === 0) this.orgs.delete(org.id);
  }

  /** `first`: before other work of the key. */
  private wait(
    keyQueue: KeyQueue,
    until: number | undefined,
    caller: Presence | undefined,
    first: boolean,
  ): Promise<KeyQueue> {
    const { org } = keyQueue;
    const waiter = new Waiter(this.waiterQueue, keyQueue, until, caller);
    if (first) keyQueue.waiting.unshift(waiter);
    else keyQueue.waiting.push(waiter);
    this.waiting += 1;
    org.waiting += 1;
    org.queue.add(keyQueue);
    this.queue.add(org);
    waiter.start();
    return waiter.admitted;
  }

  private refusal(): PlatformError {
    this.counts.refused += 1;
    return new PlatformError('Unavailable', this.limits.refusal);
  }

  private remove(waiter: Waiter<KeyQueue>): void {
    const { waiting } = waiter.keyQueue;
    waiting.splice(waiting.indexOf(waiter), 1);
    this.stopWaiting(waiter);
  }

  private stopWaiting(waiter: Waiter<KeyQueue>): void {
    const { waiting, org } = waiter.keyQueue;
    waiter.stop();
    this.waiting -= 1;
    org.waiting -= 1;
    if (waiting.length === 0) org.queue.delete(waiter.keyQueue);
    if (org.waiting === 0) this.queue.delete(org);
  }

  /** Admits waiting work while there is room, in turn. */
  private dispatch(): void {
    for (let keyQueue = this.nextReady(); keyQueue !== undefined; keyQueue = this.nextReady()) {
      const { org } = keyQueue;
      const waiter = keyQueue.waiting.shift() as Waiter<KeyQueue>;
      this.stopWaiting(waiter);
      this.counts.waited += 1;
      this.counts.waitedMs += performance.now() - waiter.since;
      this.admit(keyQueue);
      org.queue.moveToEnd(keyQueue);
      this.queue.moveToEnd(org);
      waiter.admit();
    }
  }

  /** The key whose work is admitted next; undefined when none may be admitted now. */
  private nextReady(): KeyQueue | undefined {
    if (this.running >= this.limits.maxRunning) return undefined;
    for (let org = this.queue.first; org !== undefined; org = org.next) {
      if (org.running >= this.limits.perOrg) continue;
      for (let keyQueue = org.queue.first; keyQueue !== undefined; keyQueue = keyQueue.next)
        if (keyQueue.isReady(this.limits.perKey)) return keyQueue;
    }
    return undefined;
  }
}
