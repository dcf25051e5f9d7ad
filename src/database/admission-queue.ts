import type { Presence } from '../kernel/bounds/deadline.js';
import { PlatformError } from '../kernel/errors.js';

/** Limits of one resource, such as the connections of the pool. */
export interface AdmissionLimits {
  /** Work that runs at once. */
  readonly places: number;
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
/**
 * The caller's connection is watched only after this wait: nearly all work is admitted earlier, and watching costs
 * more.
 */
const WATCHED_AFTER_MS = 100;
/** Up to this number of keys, those without work are kept too, so that most requests create no objects. */
const MAX_REMEMBERED_KEYS = 1_000;

/** The work of one key. `enter` returns it, and `leave` takes it back. */
export interface Place {
  readonly org: Org;
  readonly key: string;
  running: number;
  readonly waiting: Waiter[];
  closed: Closed | undefined;
  /** When the key was last opened, by `performance.now()`. */
  openSince: number;
}

interface Org {
  readonly id: string;
  running: number;
  waiting: number;
  readonly places: Map<string, Place>;
  /** Keys with waiting work, in the order in which they are admitted next. */
  readonly queue: Set<Place>;
}

interface Closed {
  pauseMs: number;
  timer: NodeJS.Timeout | undefined;
}

interface Waiter {
  readonly place: Place;
  readonly since: number;
  readonly until: number;
  readonly resolve: (place: Place) => void;
  readonly reject: (error: unknown) => void;
  timer: NodeJS.Timeout | undefined;
  /** The client that waits for the work; undefined once its connection is watched. */
  caller: Presence | undefined;
  stopWatching: (() => void) | undefined;
}

/**
 * Admission control for one resource. Work is admitted at once while the resource, the organization and the key have
 * room. Otherwise it waits; free places go to the organizations in turn, and within an organization to its keys in
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
  private readonly queue = new Set<Org>();

  constructor(readonly limits: AdmissionLimits) {}

  /** Runs work as soon as it is admitted. Rejects with 503 `Unavailable` when it is not admitted in time. */
  async run<T>(orgId: string, key: string, work: () => Promise<T>): Promise<T> {
    const entered = this.enter(orgId, key);
    const place = entered instanceof Promise ? await entered : entered;
    try {
      return await work();
    } finally {
      this.leave(place);
    }
  }

  /**
   * A place, at once when there is room. Otherwise a promise of one. It rejects with 503 when too much work waits and
   * after `waitMs` (work of a closed key may wait until `until`, by `performance.now()`), and when the caller
   * disconnects.
   */
  enter(orgId: string, key: string, until?: number, caller?: Presence): Place | Promise<Place> {
    const place = this.placeOf(orgId, key);
    if (this.hasRoom(place.org) && isReady(place, this.limits.perKey)) return this.admit(place);
    const { waitingPerOrg, waitingPerKey } = this.limits;
    const isFull = place.org.waiting >= waitingPerOrg || place.waiting.length >= waitingPerKey;
    if (isFull) return Promise.reject(this.refusal());
    return this.wait(place, until, caller, false);
  }

  /** As `enter`, for a retry of work that was admitted before: it is not refused because much work waits. */
  async enterAgain(place: Place, until?: number, caller?: Presence, first = true): Promise<Place> {
    const { org, key } = place;
    // A key without work may have been removed meanwhile.
    const known = this.placeOf(org.id, key);
    if (this.hasRoom(known.org) && isReady(known, this.limits.perKey)) return this.admit(known);
    return this.wait(known, until, caller, first);
  }

  /** Gives a place back and admits the next waiting work. */
  leave(place: Place): void {
    const { org } = place;
    this.running -= 1;
    org.running -= 1;
    place.running -= 1;
    if (this.keys > MAX_REMEMBERED_KEYS) this.forget(place);
    if (this.waiting > 0) this.dispatch();
  }

  /** True while work of the key is admitted only as a probe. */
  isClosed(orgId: string, key: string): boolean {
    return this.orgs.get(orgId)?.places.get(key)?.closed !== undefined;
  }

  /** Closes the key of work that found its table locked. After a failed probe it makes the pause longer. */
  close(place: Place): void {
    const { closed } = place;
    if (closed?.timer !== undefined) return;
    const pauseMs = closed === undefined ? FIRST_PAUSE_MS : Math.min(2 * closed.pauseMs, LONGEST_PAUSE_MS);
    if (closed === undefined) this.closed += 1;
    const next: Closed = { pauseMs, timer: undefined };
    next.timer = setTimeout(() => {
      next.timer = undefined;
      if (isIdle(place)) this.open(place);
      else this.dispatch();
    }, pauseMs);
    place.closed = next;
  }

  /** Opens a key after its work succeeded. */
  open(place: Place): void {
    if (place.closed === undefined) return;
    clearTimeout(place.closed.timer);
    place.closed = undefined;
    place.openSince = performance.now();
    this.closed -= 1;
  }

  private placeOf(orgId: string, key: string): Place {
    let org = this.orgs.get(orgId);
    if (org === undefined) {
      org = { id: orgId, running: 0, waiting: 0, places: new Map(), queue: new Set() };
      this.orgs.set(orgId, org);
    }
    let place = org.places.get(key);
    if (place === undefined) {
      place = { org, key, running: 0, waiting: [], closed: undefined, openSince: 0 };
      org.places.set(key, place);
      this.keys += 1;
    }
    return place;
  }

  private hasRoom(org: Org): boolean {
    return this.running < this.limits.places && org.running < this.limits.perOrg;
  }

  private admit(place: Place): Place {
    this.running += 1;
    place.org.running += 1;
    place.running += 1;
    return place;
  }

  private forget(place: Place): void {
    const { org, key, closed } = place;
    if (!isIdle(place) || closed !== undefined) return;
    this.keys -= 1;
    org.places.delete(key);
    if (org.places.size === 0) this.orgs.delete(org.id);
  }

  private wait(
    place: Place,
    until: number | undefined,
    caller: Presence | undefined,
    first: boolean,
  ): Promise<Place> {
    const { org } = place;
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const waiter: Waiter = {
        place,
        since,
        until: until ?? since + this.limits.waitMs,
        resolve,
        reject,
        timer: undefined,
        caller,
        stopWatching: undefined,
      };
      if (first) place.waiting.unshift(waiter);
      else place.waiting.push(waiter);
      this.waiting += 1;
      org.waiting += 1;
      org.queue.add(place);
      this.queue.add(org);
      this.limitWait(waiter, since);
    });
  }

  /** Work of a closed key may wait until its deadline, because it waits for the table and not for other work. */
  private limitWait(waiter: Waiter, now: number): void {
    const longestWait = Math.max(waiter.since, waiter.place.openSince) + this.limits.waitMs;
    const end =
      waiter.place.closed === undefined || longestWait > now
        ? Math.min(longestWait, waiter.until)
        : waiter.until;
    if (end <= now) {
      this.drop(waiter, this.refusal());
      return;
    }
    const waitMs = waiter.caller === undefined ? end - now : Math.min(end - now, WATCHED_AFTER_MS);
    waiter.timer = setTimeout(() => {
      if (waiter.caller === undefined || this.watch(waiter, waiter.caller.signal)) {
        this.limitWait(waiter, performance.now());
      }
    }, waitMs);
  }

  /**
   * Removes the work from the queue when its caller disconnects. Returns false when the caller has disconnected
   * already.
   */
  private watch(waiter: Waiter, signal: AbortSignal): boolean {
    waiter.caller = undefined;
    const gone = () => this.drop(waiter, signal.reason);
    if (signal.aborted) gone();
    else {
      signal.addEventListener('abort', gone, { once: true });
      waiter.stopWatching = () => signal.removeEventListener('abort', gone);
    }
    return !signal.aborted;
  }

  private refusal(): PlatformError {
    this.counts.refused += 1;
    return new PlatformError('Unavailable', this.limits.refusal);
  }

  private drop(waiter: Waiter, reason: unknown): void {
    const { place } = waiter;
    place.waiting.splice(place.waiting.indexOf(waiter), 1);
    this.stopWaiting(waiter);
    waiter.reject(reason);
  }

  private stopWaiting({ place, timer, stopWatching }: Waiter): void {
    clearTimeout(timer);
    stopWatching?.();
    this.waiting -= 1;
    place.org.waiting -= 1;
    if (place.waiting.length === 0) place.org.queue.delete(place);
    if (place.org.waiting === 0) this.queue.delete(place.org);
  }

  /** Gives free places to waiting work, in turn. */
  private dispatch(): void {
    // An organization that got a place moves to the end of the set, so this loop comes to it again.
    for (const org of this.queue) {
      if (this.running >= this.limits.places) return;
      if (org.running >= this.limits.perOrg) continue;
      const place = this.nextOf(org);
      if (place === undefined) continue;
      const waiter = place.waiting.shift() as Waiter;
      this.stopWaiting(waiter);
      this.counts.waited += 1;
      this.counts.waitedMs += performance.now() - waiter.since;
      this.admit(place);
      if (org.queue.delete(place) && place.waiting.length > 0) org.queue.add(place);
      if (this.queue.delete(org) && org.waiting > 0) this.queue.add(org);
      waiter.resolve(place);
    }
  }

  private nextOf(org: Org): Place | undefined {
    for (const place of org.queue) if (isReady(place, this.limits.perKey)) return place;
    return undefined;
  }
}

function isIdle({ running, waiting }: Place): boolean {
  return running === 0 && waiting.length === 0;
}

/** True when the key itself allows more work to begin. */
function isReady({ running, closed }: Place, perKey: number): boolean {
  return closed === undefined ? running < perKey : running === 0 && closed.timer === undefined;
}
