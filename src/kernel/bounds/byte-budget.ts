import { PlatformError } from '../errors.js';

/** A request that waits longer than this for memory is refused. */
const WAIT_MS = 10_000;
const MAX_WAITING = 1_000;

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/**
 * Limits the bytes that this process holds at once for large responses and large request bodies, over all callers.
 * Small ones are not counted. A request that needs more than is left waits. Owners (organizations) are admitted in
 * turn. An owner that holds bytes already may hold at most half of the budget.
 */
export class ByteBudget {
  private used = 0;
  private readonly usedBy = new Map<string, number>();
  /** Waiting requests by owner. Owners are in the order in which they are admitted next. */
  private readonly waiting = new Map<string, Waiting[]>();
  private waitingCount = 0;

  constructor(
    readonly total: number,
    private readonly waitMs = WAIT_MS,
  ) {}

  /** Bytes that are held, and the number of waiting requests. */
  get state(): { readonly used: number; readonly waiting: number } {
    return { used: this.used, waiting: this.waitingCount };
  }

  /** Takes the bytes if they are left for this owner and are not due to a waiting request. */
  tryTake(owner: string, bytes: number): boolean {
    if (this.waitingCount > 0 && this.isOvertaking(owner)) return false;
    if (!this.fits(owner, bytes)) return false;
    this.add(owner, bytes);
    return true;
  }

  /** Counts bytes that are in memory already, even if the budget is exceeded. */
  force(owner: string, bytes: number): void {
    this.add(owner, bytes);
  }

  /** Takes the bytes as soon as they are left. Rejects with 503 `Unavailable` after the maximum wait. */
  take(owner: string, bytes: number): Promise<void> {
    if (this.tryTake(owner, bytes)) return Promise.resolve();
    if (this.waitingCount >= MAX_WAITING) return Promise.reject(exhausted());
    return new Promise((resolve, reject) => {
      const line = this.waiting.get(owner) ?? [];
      this.waiting.set(owner, line);
      const entry: Waiting = {
        bytes,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.remove(owner, line, line.indexOf(entry));
        this.admitWaiting();
        reject(exhausted());
      }, this.waitMs);
      line.push(entry);
      this.waitingCount += 1;
    });
  }

  /** Returns the bytes to the budget. */
  give(owner: string, bytes: number): void {
    this.add(owner, -bytes);
    this.admitWaiting();
  }

  private admitWaiting(): void {
    for (let admitted = true; admitted && this.waitingCount > 0; ) {
      admitted = false;
      for (const [owner, line] of [...this.waiting]) {
        const next = line[0] as Waiting;
        if (!this.fits(owner, next.bytes)) continue;
        this.remove(owner, line, 0);
        // Moves this owner behind the other owners.
        if (line.length > 0) {
          this.waiting.delete(owner);
          this.waiting.set(owner, line);
        }
        this.add(owner, next.bytes);
        next.admit();
        admitted = true;
      }
    }
  }

  /**
   * True when the owner itself has a waiting request, or another owner's request waits until the whole budget has room.
   * A request that waits because of its own owner's share does not hold up others.
   */
  private isOvertaking(owner: string): boolean {
    if (this.waiting.has(owner)) return true;
    for (const [other, [next]] of this.waiting)
      if (this.hasShare(other, (next as Waiting).bytes)) return true;
    return false;
  }

  /** An unused budget has room for any size. */
  private fits(owner: string, bytes: number): boolean {
    if (this.used === 0) return true;
    return this.used + bytes <= this.total && this.hasShare(owner, bytes);
  }

  private hasShare(owner: string, bytes: number): boolean {
    const own = this.usedBy.get(owner) ?? 0;
    return own === 0 || own + bytes <= this.total / 2;
  }

  private add(owner: string, bytes: number): void {
    this.used += bytes;
    const own = (this.usedBy.get(owner) ?? 0) + bytes;
    if (own <= 0) this.usedBy.delete(owner);
    else this.usedBy.set(owner, own);
  }

  private remove(owner: string, line: Waiting[], index: number): void {
    line.splice(index, 1);
    this.waitingCount -= 1;
    if (line.length === 0) this.waiting.delete(owner);
  }
}

function exhausted(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'Too many large requests and responses are being processed. Retry later, or request less data at once.',
  );
}
