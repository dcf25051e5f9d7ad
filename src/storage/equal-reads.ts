import type { Rows } from '../database/statements.js';
import type { Presence } from '../kernel/bounds/deadline.js';

/** Characters of rows that several requests share: each has its own response in memory. */
const MOST_SHARED = 256 * 1024;

/** A read of which equal ones are known. */
export interface KnownRead {
  /** The same text for equal reads only. Called while reads wait. */
  keyOf(): string;
  readonly caller: Presence | undefined;
  /** Calls `begins` before it sends its statement. */
  run(begins: () => void): Promise<Rows>;
}

interface WaitingRead {
  readonly rows: Promise<Rows>;
  readonly caller: Presence | undefined;
}

/**
 * Equal reads that wait for the database at the same time: one statement answers all of them. It is sent after the last
 * of them has arrived, so each one reads what was committed before it.
 */
export class EqualReads {
  /** Those whose statements have not been sent. */
  private readonly waiting = new Map<string, WaitingRead>();

  /** The rows of the read, or those of an equal one that waits. */
  async run(read: KnownRead): Promise<Rows> {
    let key: string | undefined;
    if (this.waiting.size > 0) {
      key = read.keyOf();
      for (let other = this.waiting.get(key); other !== undefined; other = this.waiting.get(key)) {
        try {
          const rows = await other.rows;
          if (areShort(rows)) return rows;
          break;
        } catch (error) {
          // Otherwise it was given up, because its caller has gone.
          if (other.caller?.signal.aborted !== true) throw error;
        }
      }
    }
    return this.start(read, key);
  }

  private async start(read: KnownRead, known: string | undefined): Promise<Rows> {
    let isWaiting = true;
    let key: string | undefined;
    const end = () => {
      if (isWaiting && key !== undefined) this.waiting.delete(key);
      isWaiting = false;
    };
    const rows = read.run(end);
    // A read that was admitted at once has called `end` by now.
    if (isWaiting) {
      const own = known ?? read.keyOf();
      if (!this.waiting.has(own)) {
        key = own;
        this.waiting.set(own, { rows, caller: read.caller });
      }
    }
    try {
      return await rows;
    } finally {
      end();
    }
  }
}

function areShort(rows: Rows): boolean {
  if (rows.isCut) return false;
  let length = 0;
  for (const row of rows) for (const value of row) if (typeof value === 'string') length += value.length;
  return length <= MOST_SHARED;
}
