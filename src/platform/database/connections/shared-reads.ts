import { isConnectionLost, isLockTimeout } from '../../../base/kernel/sql-state.js';
import type { Rendered } from '../../../base/sql/index.js';
import type { Rows } from '../statements.js';

/**
 * Maximum number of reads that share a statement. That many are sent at once, so that PostgreSQL reads the first records
 * while the service still handles the requests for the others.
 */
const MOST_TOGETHER = 16;

/** A statement for several values, in place of one statement for each of them. */
export interface FormForMany {
  /**
   * The statement returns one row for each value, as the statement for one value does, with the position of the value
   * (from 1) as its last column; or no row at all.
   */
  rendered(values: readonly unknown[]): Rendered;
}

/** A read that shares a statement with all reads of the same turn of the event loop that have the same form. */
export interface SharedRead {
  readonly form: FormForMany;
  readonly value: unknown;
  /** The statement for this value alone. */
  alone(): Rendered;
}

type Send = (statement: Rendered) => Promise<Rows>;

interface Waiting {
  readonly read: SharedRead;
  readonly resolve: (rows: Rows | Promise<Rows>) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads that differ in the value only. */
class Alike {
  /** Number of statements that are running. */
  running = 0;
  readonly waiting: Waiting[] = [];
}

/**
 * The reads of a connection that may share statements. Reads that arrive while a statement of their form is running wait
 * for it and become the next one, or sooner when there are `MOST_TOGETHER`. So there are few statements when there are
 * many reads, and a read without others is sent at once.
 */
export class SharedReads {
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly byForm = new Map<FormForMany, Alike>();

  /** `sendSoon` is called when reads can be sent with `sendWaiting` at the end of the turn, `sendNow` when at once. */
  constructor(
    private readonly send: Send,
    private readonly sendSoon: () => void,
    private readonly sendNow: () => void,
  ) {}

  /** The rows of a read. Rejects as a statement of its own would. */
  add(read: SharedRead): Promise<Rows> {
    return new Promise((resolve, reject) => {
      const { form } = read;
      let alike = this.byForm.get(form);
      if (alike === undefined) {
        alike = new Alike();
        this.byForm.set(form, alike);
      }
      alike.waiting.push({ read, resolve, reject });
      if (alike.waiting.length >= MOST_TOGETHER) this.sendNow();
      else if (alike.running === 0) this.sendSoon();
    });
  }

  /** Sends the reads that wait; also those that wait for others when the connection `isEnding`. */
  sendWaiting(isEnding = false): void {
    for (const [form, alike] of this.byForm) {
      while (
        alike.waiting.length >= MOST_TOGETHER ||
        (alike.waiting.length > 0 && (alike.running === 0 || isEnding))
      )
        void this.sendNext(form, alike);
    }
  }

  private async sendNext(form: FormForMany, alike: Alike): Promise<void> {
    const reads = alike.waiting.splice(0, MOST_TOGETHER);
    alike.running += 1;
    await (reads.length === 1 ? this.sendAlone(reads) : this.sendTogether(form, reads));
    alike.running -= 1;
    if (alike.waiting.length > 0) this.sendSoon();
    else if (alike.running === 0) this.byForm.delete(form);
  }

  /**
   * A failure may be that of one read, for example of a record that is too large. So each read is sent again alone,
   * except after failures that do not depend on the value.
   */
  private async sendTogether(form: FormForMany, reads: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.send(form.rendered(reads.map(({ read }) => read.value)));
      if (rows.length === 0) for (const { resolve } of reads) resolve(rows);
      for (const row of rows) reads[(row.at(-1) as number) - 1]?.resolve([row]);
    } catch (error) {
      if (!isConnectionLost(error) && !isLockTimeout(error)) await this.sendAlone(reads);
      else for (const { reject } of reads) reject(error);
    }
  }

  /** Never rejects. */
  private async sendAlone(reads: readonly Waiting[]): Promise<void> {
    const sent = reads.map(({ read, resolve, reject }) => this.send(read.alone()).then(resolve, reject));
    await Promise.all(sent);
  }
}
