import { PlatformError } from '../errors.js';

/** A request that waits longer than this for memory is refused. */
const WAIT_MS = 10_000;
/** Requests that wait, of all owners, of one owner, and of one of its callers; more are refused. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_OWNER = 750;
const MAX_WAITING_OF_CALLER = 500;

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/** The waiting requests of an owner, by caller. Callers are in the order in which they are admitted next. */
type Line = Map<string, Waiting[]>;

/**
 * Limits the bytes that this process holds at once for large responses and large request bodies, over all callers.
 * A request that needs more than is left waits. Owners (organizations) are admitted in turn, and so are the callers of
 * an owner. An owner that holds bytes already may hold at most half of the budget, a caller three quarters of that. The
 * caller '' has only the limit of its owner.
 */
export class ByteBudget {
  private used = 0;
  /** By owner, and by owner and caller. */
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly usedBy = new Map<string, number>();
  /** Owners are in the order in which they are admitted next. */
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly waiting = new Map<string, Line>();
  private waitingCount = 0;

  constructor(
    readonly total: number,
    private readonly waitMs = WAIT_MS,
  ) {}

  /** Bytes that are held, and the number of waiting requests. */
  get state(): { readonly used: number; readonly waiting: number } {
    return { used: this.used, waiting: this.waitingCount };
  }

  /** Takes the bytes if they are left for this caller and are not due to a waiting request. */
  tryTake(owner: string, bytes: number, caller = ''): boolean {
    if (this.waitingCount > 0 && this.isOvertaking(owner, caller)) return false;
    if (!this.fits(owner, caller, bytes)) return false;
    this.add(owner, caller, bytes);
    return true;
  }

  /** Counts bytes that are in memory already, even if the budget is exceeded. */
  force(owner: string, bytes: number, caller = ''): void {
    this.add(owner, caller, bytes);
  }

  /** Takes the bytes as soon as they are left. Rejects with 503 `Unavailable` after the maximum wait. */
  take(owner: string, bytes: number, caller = ''): Promise<void> {
    if (this.tryTake(owner, bytes, caller)) return Promise.resolve();
    const line: Line = this.waiting.get(owner) ?? new Map();
    const own = line.get(caller) ?? [];
    if (this.isFull(line, own)) return Promise.reject(exhausted());
    this.waiting.set(owner, line);
    line.set(caller, own);
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        bytes,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.remove(owner, line, caller, own.indexOf(entry));
        this.admitWaiting();
        reject(exhausted());
      }, this.waitMs);
      own.push(entry);
      this.waitingCount += 1;
    });
  }

  /** Returns the bytes to the budget. */
  give(owner: string, bytes: number, caller = ''): void {
    this.add(owner, caller, -bytes);
    this.admitWaiting();
  }

  private isFull(line: Line, own: readonly Waiting[]): boolean {
    if (this.waitingCount >= MAX_WAITING || own.length >= MAX_WAITING_OF_CALLER) return true;
    let ofOwner = 0;
    for (const { length } of line.values()) ofOwner += length;
    return ofOwner >= MAX_WAITING_OF_OWNER;
  }

  private admitWaiting(): void {
    for (let admitted = true; admitted && this.waitingCount > 0; ) {
      admitted = false;
      for (const [owner, line] of [...this.waiting]) if (this.admitOne(owner, line)) admitted = true;
    }
  }

  /** Admits the first request of the next caller whose request fits. */
  private admitOne(owner: string, line: Line): boolean {
    for (const [caller, own] of line) {
      const [next] = own as [Waiting];
      if (!this.fits(owner, caller, next.bytes)) continue;
      this.remove(owner, line, caller, 0);
      moveToEnd(line, caller);
      moveToEnd(this.waiting, owner);
      this.add(owner, caller, next.bytes);
      next.admit();
      return true;
    }
    return false;
  }

  /**
   * True when the caller itself has a waiting request, another caller's request waits until their owner has room, or
   * another owner's request waits until the whole budget has room. A request that waits because of a share that this one
   * does not use does not hold it up.
   */
  private isOvertaking(owner: string, caller: string): boolean {
    if (this.waiting.get(owner)?.has(caller)) return true;
    for (const [otherOwner, line] of this.waiting)
      for (const [other, [next]] of line) {
        const { bytes } = next as Waiting;
        if (!this.hasCallerShare(otherOwner, other, bytes)) continue;
        if (otherOwner === owner || this.hasShare(otherOwner, bytes)) return true;
      }
    return false;
  }

  /** An unused budget has room for any size. */
  private fits(owner: string, caller: string, bytes: number): boolean {
    if (this.used === 0) return true;
    const isLeft = this.used + bytes <= this.total && this.hasShare(owner, bytes);
    return isLeft && this.hasCallerShare(owner, caller, bytes);
  }

  private hasShare(owner: string, bytes: number): boolean {
    const own = this.usedBy.get(owner) ?? 0;
    return own === 0 || own + bytes <= this.total / 2;
  }

  private hasCallerShare(owner: string, caller: string, bytes: number): boolean {
    if (caller === '') return true;
    const own = this.usedBy.get(keyOf(owner, caller)) ?? 0;
    return own === 0 || own + bytes <= (this.total * 3) / 8;
  }

  private add(owner: string, caller: string, bytes: number): void {
    this.used += bytes;
    this.addTo(owner, bytes);
    if (caller !== '') this.addTo(keyOf(owner, caller), bytes);
  }

  private addTo(key: string, bytes: number): void {
    const own = (this.usedBy.get(key) ?? 0) + bytes;
    if (own <= 0) this.usedBy.delete(key);
    else this.usedBy.set(key, own);
  }

  private remove(owner: string, line: Line, caller: string, index: number): void {
    const own = line.get(caller) as Waiting[];
    own.splice(index, 1);
    this.waitingCount -= 1;
    if (own.length === 0) line.delete(caller);
    if (line.size === 0) this.waiting.delete(owner);
  }
}

function keyOf(owner: string, caller: string): string {
  return `${owner} ${caller}`;
}

/** Moves an entry behind the others, unless it is gone. */
function moveToEnd<T>(map: Map<string, T>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

function exhausted(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'Too many large requests and responses are being processed. Retry later, or request less data at once.',
  );
}
