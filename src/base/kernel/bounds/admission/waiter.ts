import type { PlatformError } from '../../errors.js';
import type { Presence } from '../deadline.js';

/**
 * The caller's connection is watched only after this wait: nearly all work is admitted earlier, and watching costs
 * more.
 */
const WATCHED_AFTER_MS = 100;

/** The caller of waiting work. `whole`: its key. */
interface CallerShare {
  readonly whole: { readonly closed: unknown; readonly openSince: number } | undefined;
}

/** What a waiter needs of its queue. */
export interface WaiterQueue<Share extends CallerShare> {
  readonly waitMs: number;
  /** The error for work that waited too long. `hasMetLock`: it is a retry after a lock timeout. */
  refusal(share: Share, hasMetLock: boolean): PlatformError;
  /** Takes the waiter out of the queue. */
  remove(waiter: Waiter<Share>): void;
}

/**
 * Work that waits for admission. Its promise resolves when the queue admits it. It rejects after `waitMs`, and when the
 * caller disconnects.
 */
export class Waiter<Share extends CallerShare> {
  readonly since = performance.now();
  readonly admitted: Promise<Share>;
  private resolve!: (share: Share) => void;
  private reject!: (error: unknown) => void;
  private timer: NodeJS.Timeout | undefined;
  private stopWatching: (() => void) | undefined;

  constructor(
    private readonly queue: WaiterQueue<Share>,
    /** Of its caller. */
    readonly share: Share,
    /** The longest wait of work of a closed key, by `performance.now()`. */
    private readonly until: number | undefined,
    /** The client that waits for the work; undefined once its connection is watched. */
    private caller: Presence | undefined,
    private readonly hasMetLock: boolean,
  ) {
    this.admitted = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Limits the wait. Called when the work is in the queue. */
  start(): void {
    this.limitWait(this.since);
  }

  /** Admits the work. The queue has removed it. */
  admit(): void {
    this.resolve(this.share);
  }

  /** Ends the time limit and the watch of the connection. */
  stop(): void {
    clearTimeout(this.timer);
    this.stopWatching?.();
  }

  /** Work of a closed key may wait until its deadline, because it waits for the table and not for other work. */
  private limitWait(now: number): void {
    const { closed, openSince } = this.share.whole as NonNullable<Share['whole']>;
    const longestWait = Math.max(this.since, openSince) + this.queue.waitMs;
    const until = this.until ?? this.since + this.queue.waitMs;
    const end = closed === undefined || longestWait > now ? Math.min(longestWait, until) : until;
    if (end <= now) {
      this.drop(this.queue.refusal(this.share, this.hasMetLock));
      return;
    }
    const waitMs = this.caller === undefined ? end - now : Math.min(end - now, WATCHED_AFTER_MS);
    this.timer = setTimeout(() => {
      if (this.caller === undefined || this.watch(this.caller.signal)) this.limitWait(performance.now());
    }, waitMs);
  }

  /**
   * Removes the work from the queue when its caller disconnects. Returns false when the caller has disconnected
   * already.
   */
  private watch(signal: AbortSignal): boolean {
    this.caller = undefined;
    const gone = () => this.drop(signal.reason);
    if (signal.aborted) gone();
    else {
      signal.addEventListener('abort', gone, { once: true });
      this.stopWatching = () => signal.removeEventListener('abort', gone);
    }
    return !signal.aborted;
  }

  private drop(reason: unknown): void {
    this.queue.remove(this);
    this.reject(reason);
  }
}
