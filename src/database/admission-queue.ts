import type { Presence } from '../kernel/deadline.js';
import { PlatformError } from '../kernel/errors.js';

/** Bounds of one resource, such as the connections of the pool. */
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

/** While a key is closed, this long between two probes; doubled after each that fails. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
/** Nearly all work is admitted before; only then the connection of its caller is watched, which costs more than the wait. */
const WATCHED_AFTER_MS = 100;
/** Up to so many keys, those without work are remembered too, so that most requests make no objects. */
const MAX_REMEMBERED_KEYS = 1_000;

/** Admitted work of one key. Whoever enters gets it and leaves with it. */
export interface Place {
  readonly org: Org;
  readonly key: string;
  running: number;
  readonly waiting: Waiter[];
  closed: Closed | undefined;
  /** When the key was opened last. */
  openSince: number;
}

interface Org {
  readonly id: string;
  running: number;
  waiting: number;
  readonly places: Map<string, Place>;
  /** Keys with work that waits, the next first. */
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
  /** Whoever waits for the work, until it is watched. */
  caller: Presence | undefined;
  stopWatching: (() => void) | undefined;
}

/**
 * Decides whose work uses a resource now. Work is admitted at once while the resource, the organization and the key have
 * room; otherwise it waits, and places that become free go to organizations in turn, and within one to its keys in turn.
 *
 * A key can be closed, for a table that is locked: then one piece of its work at a time is admitted as a probe, with growing
 * pauses, until one of them opens it.
 */
export class AdmissionQueue {
  running = 0;
  waiting = 0;
  /** Keys that are closed. */
  closed = 0;
  /** Since the start: work that was admitted after it had waited, for how long altogether, and work that was refused. */
  readonly counts = { waited: 0, waitedMs: 0, refused: 0 };
  private keys = 0;
  private readonly orgs = new Map<string, Org>();
  /** Organizations with work that waits, the next first. */
  private readonly queue = new Set<Org>();

  constructor(readonly limits: AdmissionLimits) {}

  /** Runs work in a place of its own. Rejects with 503 `Unavailable` when it is not admitted in time. */
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
   * A place, at once where there is room. Otherwise a promise of one, which rejects with 503 when too many wait, after the
   * longest wait (work of a closed key may wait until `until`, by `performance.now()`), or when the caller has gone.
   */
  enter(orgId: string, key: string, until?: number, caller?: Presence): Place | Promise<Place> {
    const place = this.placeOf(orgId, key);
    if (this.hasRoom(place.org) && isReady(place, this.limits.perKey)) return this.admit(place);
    const { waitingPerOrg, waitingPerKey } = this.limits;
    const isFull = place.org.waiting >= waitingPerOrg || place.waiting.length >= waitingPerKey;
    if (isFull) return Promise.reject(this.refusal());
    return this.wait(place, until, caller, false);
  }

  /** As `enter`, for work that was admitted before and is done again: it is not refused because many wait. */
  async enterAgain(place: Place, until?: number, caller?: Presence, first = true): Promise<Place> {
    const { org, key } = place;
    // A key with nothing to do may have been forgotten meanwhile.
    const known = this.placeOf(org.id, key);
    if (this.hasRoom(known.org) && isReady(known, this.limits.perKey)) return this.admit(known);
    return this.wait(known, until, caller, first);
  }

  /** Gives a place up; the next in turn gets it. */
  leave(place: Place): void {
    const { org } = place;
    this.running -= 1;
    org.running -= 1;
    place.running -= 1;
    if (this.keys > MAX_REMEMBERED_KEYS) this.forget(place);
    if (this.waiting > 0) this.dispatch();
  }

  /** True while work of the key waits for a probe to find it open. */
  isClosed(orgId: string, key: string): boolean {
    return this.orgs.get(orgId)?.places.get(key)?.closed !== undefined;
  }

  /** Closes the key of admitted work that found it locked; a probe makes the pause longer. */
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

  /** Opens a key again: work of it got through. */
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

  /** Behind a closed key work may wait until its deadline: what it waits for is not the work of others. */
  private limitWait(waiter: Waiter, now: number): void {
    const patience = Math.max(waiter.since, waiter.place.openSince) + this.limits.waitMs;
    const end =
      waiter.place.closed === undefined || patience > now ? Math.min(patience, waiter.until) : waiter.until;
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

  /** Takes the work out of the queue when its caller goes; false when it has gone already. */
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

  /** Gives free places to those that wait, in turn. */
  private dispatch(): void {
    // An organization that got a place goes to the end of the set, where the loop meets it again.
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

/** True when work of the key may begin as far as the key goes. */
function isReady({ running, closed }: Place, perKey: number): boolean {
  return closed === undefined ? running < perKey : running === 0 && closed.timer === undefined;
}
