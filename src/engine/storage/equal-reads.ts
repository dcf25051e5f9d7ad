import type { Presence } from '../../base/kernel/bounds/deadline.js';
import type { Rows } from '../../platform/database/statements.js';

/** Characters of rows that several requests share: each has its own response in memory. */
const MAX_SHARED_CHARS = 256 * 1024;

/** Identifies equal reads: two reads are equal if their keys are. */
interface ReadKey {
  /** The text of its statement. */
  readonly text: string;
  /** The values of its parameters and its limits, as JSON. */
  readonly values: string;
}

/** A read of which equal ones are known. */
export interface SharableRead {
  /** Called while reads wait. */
  keyOf(): ReadKey;
  readonly caller: Presence | undefined;
  /** True when it would not wait itself, so that it must not wait for the place of another caller. */
  mayBegin(): boolean;
  /** Calls `begins` before it sends its statement. */
  run(begins: () => void): Promise<Rows>;
}

interface WaitingRead {
  /** Undefined when the read does not wait any more. */
  rows: Promise<Rows> | undefined;
  readonly caller: Presence | undefined;
}

/**
 * Equal reads that wait for the database at the same time: one statement answers all of them. It is sent after the last
 * of them has arrived, so each one reads what was committed before it.
 */
export class EqualReads {
  /** Those whose statements have not been sent, by the text of the statement and by its values. */
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly waiting = new Map<string, Map<string, WaitingRead>>();

  /** The rows of the read, or those of an equal one that waits. */
  async run(read: SharableRead): Promise<Rows> {
    let key: ReadKey | undefined;
    if (this.waiting.size > 0 && !read.mayBegin()) {
      key = read.keyOf();
      for (let other = this.equalTo(key); other?.rows !== undefined; other = this.equalTo(key)) {
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

  private equalTo({ text, values }: ReadKey): WaitingRead | undefined {
    return this.waiting.get(text)?.get(values);
  }

  private async start(read: SharableRead, key: ReadKey | undefined): Promise<Rows> {
    let isWaiting = true;
    let end: (() => void) | undefined;
    const begins = () => {
      isWaiting = false;
      end?.();
    };
    const rows = read.run(begins);
    // A read that was admitted at once has called `begins` by now.
    if (isWaiting) end = this.wait(key ?? read.keyOf(), { rows, caller: read.caller });
    try {
      return await rows;
    } finally {
      end?.();
    }
  }

  /** Lets equal reads find this one. Returns a function that ends this; undefined when they find another one. */
  private wait(key: ReadKey, read: WaitingRead): (() => void) | undefined {
    const { text, values } = key;
    const ofText = this.waiting.get(text) ?? new Map<string, WaitingRead>();
    if (ofText.has(values)) return undefined;
    ofText.set(values, read);
    this.waiting.set(text, ofText);
    return () => {
      // Else V8 may keep the rows: docs/decisions/0075-garbage-and-memory.md.
      read.rows = undefined;
      if (ofText.get(values) !== read) return;
      ofText.delete(values);
      if (ofText.size === 0) this.waiting.delete(text);
    };
  }
}

function areShort(rows: Rows): boolean {
  if (rows.isCut) return false;
  let length = 0;
  for (const row of rows) for (const value of row) if (typeof value === 'string') length += value.length;
  return length <= MAX_SHARED_CHARS;
}
