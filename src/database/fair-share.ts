import { PlatformError } from '../kernel/errors.js';

/** Who waits longer than this for its turn is refused. */
const WAIT_MS = 5_000;
const MAX_WAITING = 200;

/**
 * Keeps one party's slow work from taking every connection of the pool: of one key at most `places` run at a time, more
 * of them wait in turn, others are not concerned. Costs two map look-ups while there is room.
 */
export class FairShare {
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly places: number) {}

  /** Rejects with 503 `Unavailable` when the turn does not come in time. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.running.get(key) ?? 0;
    if (running >= this.places) await this.turn(key);
    else this.running.set(key, running + 1);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  /** The place goes straight to the next in line, so that nobody slips in between. */
  private leave(key: string): void {
    const next = this.waiting.get(key)?.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.waiting.delete(key);
    const left = (this.running.get(key) as number) - 1;
    if (left === 0) this.running.delete(key);
    else this.running.set(key, left);
  }

  private turn(key: string): Promise<void> {
    const line = this.waiting.get(key) ?? [];
    this.waiting.set(key, line);
    if (line.length >= MAX_WAITING) return Promise.reject(tooManyWaiting());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.splice(line.indexOf(turn), 1);
        reject(tooManyWaiting());
      }, WAIT_MS);
      const turn = () => {
        clearTimeout(timer);
        resolve();
      };
      line.push(turn);
    });
  }
}

function tooManyWaiting(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'Too much of your work is waiting already. Let slow queries end, narrow them or index their columns, then try again.',
  );
}
