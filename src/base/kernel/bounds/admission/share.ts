import { type Linked, LinkedSet } from '../../linked-set.js';
import type { Waiter } from './waiter.js';

/** Limits of one level. */
export interface ShareLimits {
  /** Work that runs at once. */
  readonly running: number;
  /** Work that may wait; more is refused. */
  readonly waiting: number;
}

/**
 * The work of a resource, of an organization, of one of its keys, or of a caller of that key. Each of these is a part of
 * the one before. Work begins when all of them have room, and frees a place in all of them when it ends.
 */
export class Share implements Linked<Share> {
  running = 0;
  waiting = 0;
  /** Set while the table of a key is locked. */
  closed: Closed | undefined;
  /** When the key was last opened, by `performance.now()`. */
  openSince = 0;
  // biome-ignore lint/plugin/bounded-maps: work in progress, and MAX_REMEMBERED others (admission-queue.spec.ts)
  readonly parts = new Map<string, Share>();
  /** Parts with waiting work, in the order in which they are admitted next. */
  // biome-ignore lint/plugin/bounded-maps: parts whose work waits, which the queue limits
  readonly queue = new LinkedSet<Share>();
  /** The waiting work of a caller. */
  readonly waiters: Waiter<Share>[] = [];
  previous: Share | undefined;
  next: Share | undefined;

  constructor(
    readonly id: string,
    private readonly limits: ShareLimits,
    readonly whole: Share | undefined,
  ) {}

  get isUnused(): boolean {
    return this.running === 0 && this.waiting === 0 && this.closed === undefined && this.parts.size === 0;
  }

  /** True when more work may begin here and in all that this is a part of. */
  get hasRoom(): boolean {
    for (let share: Share | undefined = this; share !== undefined; share = share.whole)
      if (!share.isReady) return false;
    return true;
  }

  /** True when no more work may wait here or in something that this is a part of. */
  get isFull(): boolean {
    for (let share: Share | undefined = this; share !== undefined; share = share.whole)
      if (share.waiting >= share.limits.waiting) return true;
    return false;
  }

  begin(): this {
    for (let share: Share | undefined = this; share !== undefined; share = share.whole) share.running += 1;
    return this;
  }

  end(): void {
    for (let share: Share | undefined = this; share !== undefined; share = share.whole) share.running -= 1;
  }

  startWaiting(): void {
    for (let share: Share | undefined = this; share !== undefined; share = share.whole) {
      share.waiting += 1;
      share.whole?.queue.add(share);
    }
  }

  stopWaiting(): void {
    for (let share: Share | undefined = this; share !== undefined; share = share.whole) {
      share.waiting -= 1;
      if (share.waiting === 0) share.whole?.queue.delete(share);
    }
  }

  /** Lets the other parts of each whole have their turns first. */
  yieldTurn(): void {
    for (let share: Share | undefined = this; share !== undefined; share = share.whole)
      share.whole?.queue.moveToEnd(share);
  }

  /** The caller whose work is admitted next; undefined when none may be admitted now. */
  nextReady(): Share | undefined {
    if (!this.isReady) return undefined;
    if (this.waiters.length > 0) return this;
    for (let part = this.queue.first; part !== undefined; part = part.next) {
      const ready = part.nextReady();
      if (ready !== undefined) return ready;
    }
    return undefined;
  }

  private get isReady(): boolean {
    const { running, closed } = this;
    return closed === undefined ? running < this.limits.running : running === 0 && closed.timer === undefined;
  }
}

/** Set while the table of a key is locked. */
export interface Closed {
  /** The pause before the next probe, in milliseconds. */
  pauseMs: number;
  timer: NodeJS.Timeout | undefined;
}
