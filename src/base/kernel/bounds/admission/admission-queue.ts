import { PlatformError } from '../../errors.js';
import type { Presence } from '../deadline.js';
import { type Closed, Share, type ShareLimits } from './share.js';
import { Waiter, type WaiterQueue } from './waiter.js';

/** Limits of one resource, such as the connections of the pool. */
export interface AdmissionLimits {
  /** Work that runs at once. */
  readonly maxRunning: number;
  /** Of these, for one organization. */
  readonly perOrg: number;
  /** Of these, for one key of an organization, such as a collection. */
  readonly perKey: number;
  /** Of these, for one caller of a key. Default: all of them. */
  readonly perCaller?: number;
  /** Work of one organization, of one key and of one caller of it that may wait; more is refused. */
  readonly waitingPerOrg: number;
  readonly waitingPerKey: number;
  readonly waitingPerCaller?: number;
  /** Work that waits longer is refused. */
  readonly waitMs: number;
  /** Said to a client whose work is refused. */
  readonly refusal: string;
  /** Said in place of it when the work waited for a lock. */
  readonly lockRefusal?: string;
}

/** Pause before the first probe of a closed key; doubled after each probe that fails. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;
/** Up to this number of organizations, keys and callers, those without work are kept too, so that most requests create no objects. */
const MAX_REMEMBERED = 3_000;

/**
 * Admission control for one resource. Work is admitted at once while the resource, the organization, the key and the
 * caller have room. Otherwise it waits; free capacity goes to the organizations in turn, within an organization to its
 * keys in turn, and within a key to its callers in turn.
 *
 * A key is closed when its table is locked. Then its work is admitted one at a time as a probe, with growing pauses,
 * until a probe succeeds and opens the key.
 */
export class AdmissionQueue {
  /** Keys that are closed. */
  closed = 0;
  /** Since the start: work admitted after a wait, the sum of these waits, and work refused. */
  readonly counts = { waited: 0, waitedMs: 0, refused: 0 };
  private remembered = 0;
  private readonly resource: Share;
  private readonly levels: readonly [org: ShareLimits, key: ShareLimits, caller: ShareLimits];
  private readonly waiterQueue: WaiterQueue<Share>;

  constructor(
    readonly limits: AdmissionLimits,
    private readonly maxRemembered = MAX_REMEMBERED,
  ) {
    const { maxRunning, perOrg, perKey, perCaller = perKey } = limits;
    const { waitingPerOrg, waitingPerKey, waitingPerCaller = waitingPerKey } = limits;
    this.resource = new Share('', { running: maxRunning, waiting: Infinity }, undefined);
    this.levels = [
      { running: perOrg, waiting: waitingPerOrg },
      { running: perKey, waiting: waitingPerKey },
      { running: perCaller, waiting: waitingPerCaller },
    ];
    this.waiterQueue = {
      waitMs: limits.waitMs,
      refusal: (share, hasMetLock) => this.refusal(share, hasMetLock),
      remove: waiter => this.remove(waiter),
    };
  }

  get running(): number {
    return this.resource.running;
  }

  get waiting(): number {
    return this.resource.waiting;
  }

  /** Organizations, keys and callers in memory. */
  get size(): number {
    return this.remembered;
  }

  /** Runs work as soon as it is admitted. Rejects with 503 `Unavailable` when it is not admitted in time. */
  async run<T>(orgId: string, key: string, work: () => Promise<T>): Promise<T> {
    const entered = this.enter(orgId, key);
    const share = entered instanceof Promise ? await entered : entered;
    try {
      return await work();
    } finally {
      this.leave(share);
    }
  }

  /**
   * Admits work of a key: at once when there is room, otherwise a promise. It rejects with 503 when too much work waits
   * and after `waitMs` (work of a closed key may wait until `until`, by `performance.now()`), and when the caller
   * disconnects. Callers with different ids take turns.
   */
  enter(
    orgId: string,
    key: string,
    until?: number,
    caller?: Presence,
    callerId = '',
  ): Share | Promise<Share> {
    const share = this.shareOf(orgId, key, callerId);
    if (share.hasRoom) return share.begin();
    if (!share.isFull) return this.wait(share, until, caller, false, false);
    this.forget(share);
    return Promise.reject(this.refusal(share, false));
  }

  /** True when work of the caller would be admitted at once. */
  hasRoom(orgId: string, key: string, callerId = ''): boolean {
    const share = this.shareOf(orgId, key, callerId);
    this.forget(share);
    return share.hasRoom;
  }

  /** As `enter`, for a retry of work that found a lock: it is not refused because much work waits. */
  async enterAgain(entered: Share, until?: number, caller?: Presence, first = true): Promise<Share> {
    const key = entered.whole as Share;
    // A share without work may have been removed meanwhile.
    const share = this.shareOf((key.whole as Share).id, key.id, entered.id);
    return share.hasRoom ? share.begin() : this.wait(share, until, caller, first, true);
  }

  /** Ends admitted work and admits the next waiting work. */
  leave(share: Share): void {
    share.end();
    this.forget(share);
    if (this.waiting > 0) this.dispatch();
  }

  /** True while work of the key is admitted only as a probe. */
  isClosed(orgId: string, key: string): boolean {
    return this.resource.parts.get(orgId)?.parts.get(key)?.closed !== undefined;
  }

  /** Closes the key of work that found its table locked. After a failed probe it makes the pause longer. */
  close(share: Share): void {
    const key = share.whole as Share;
    const { closed } = key;
    if (closed?.timer !== undefined) return;
    const pauseMs = closed === undefined ? FIRST_PAUSE_MS : Math.min(2 * closed.pauseMs, MAX_PAUSE_MS);
    if (closed === undefined) this.closed += 1;
    const next: Closed = { pauseMs, timer: undefined };
    next.timer = setTimeout(() => {
      next.timer = undefined;
      if (key.running > 0 || key.waiting > 0) this.dispatch();
      else this.openKey(key);
    }, pauseMs);
    key.closed = next;
  }

  /** Opens a key after its work succeeded. */
  open(share: Share): void {
    this.openKey(share.whole as Share);
  }

  private openKey(key: Share): void {
    if (key.closed === undefined) return;
    clearTimeout(key.closed.timer);
    key.closed = undefined;
    key.openSince = performance.now();
    this.closed -= 1;
    this.forget(key);
  }

  private shareOf(orgId: string, key: string, callerId: string): Share {
    const [ofOrg, ofKey, ofCaller] = this.levels;
    const org = this.resource.parts.get(orgId) ?? this.add(this.resource, orgId, ofOrg);
    const keyed = org.parts.get(key) ?? this.add(org, key, ofKey);
    return keyed.parts.get(callerId) ?? this.add(keyed, callerId, ofCaller);
  }

  private add(whole: Share, id: string, limits: ShareLimits): Share {
    const part = new Share(id, limits, whole);
    whole.parts.set(id, part);
    this.remembered += 1;
    return part;
  }

  /** Removes a share without work, and what it was the last part of, when there are many. */
  private forget(share: Share): void {
    if (this.remembered <= this.maxRemembered) return;
    for (let part = share; part.whole !== undefined && part.isUnused; part = part.whole) {
      // It was removed before.
      if (part.whole.parts.get(part.id) !== part) return;
      part.whole.parts.delete(part.id);
      this.remembered -= 1;
    }
  }

  /** `first`: before other work of the caller. */
  private wait(
    share: Share,
    until: number | undefined,
    caller: Presence | undefined,
    first: boolean,
    hasMetLock: boolean,
  ): Promise<Share> {
    const waiter = new Waiter(this.waiterQueue, share, until, caller, hasMetLock);
    if (first) share.waiters.unshift(waiter);
    else share.waiters.push(waiter);
    share.startWaiting();
    waiter.start();
    return waiter.admitted;
  }

  private refusal(share: Share, hasMetLock: boolean): PlatformError {
    this.counts.refused += 1;
    const { refusal, lockRefusal = refusal } = this.limits;
    const isLocked = hasMetLock || share.whole?.closed !== undefined;
    return new PlatformError('Unavailable', isLocked ? lockRefusal : refusal);
  }

  private remove(waiter: Waiter<Share>): void {
    const { share } = waiter;
    share.waiters.splice(share.waiters.indexOf(waiter), 1);
    this.stopWaiting(waiter);
    this.forget(share);
  }

  private stopWaiting(waiter: Waiter<Share>): void {
    waiter.stop();
    waiter.share.stopWaiting();
  }

  /** Admits waiting work while there is room, in turn. */
  private dispatch(): void {
    for (let share = this.resource.nextReady(); share !== undefined; share = this.resource.nextReady()) {
      const waiter = share.waiters.shift() as Waiter<Share>;
      this.stopWaiting(waiter);
      this.counts.waited += 1;
      this.counts.waitedMs += performance.now() - waiter.since;
      share.begin();
      share.yieldTurn();
      waiter.admit();
    }
  }
}
