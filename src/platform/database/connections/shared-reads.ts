import type { Socket } from 'node:net';
import { isConnectionLost, isLockTimeout } from '../../../base/kernel/sql-state.js';
import type { Rendered } from '../../../base/sql/index.js';
import type { Rows } from '../statements.js';

/**
 * Maximum number of reads that share a statement. That many are sent at once, so that PostgreSQL reads the first records
 * while the service still handles the requests for the others.
 */
const MAX_TOGETHER = 16;

/** A statement for several values, in place of one statement for each of them. */
export interface FormForMany {
  /** The statement returns one row for each value, as the statement for one value does, or no row at all. */
  rendered(values: readonly unknown[]): Rendered;
  /** The position of the value that a row is for, from 1. */
  positionOf(row: Rows[number]): number;
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
class ReadsOfForm {
  /** Number of statements that are running. */
  running = 0;
  readonly waiting: Waiting[] = [];
}

/**
 * The reads of a connection. The statements of one turn of the event loop are sent in one write. Reads that may share
 * statements and arrive while a statement of their form is running wait for it and become the next one, or sooner when
 * there are `MAX_TOGETHER`. So there are few statements when there are many reads, and a read without others is sent at
 * once.
 */
export class SharedReads {
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly byForm = new Map<FormForMany, ReadsOfForm>();
  /** True while statements of this turn of the event loop wait to be written. */
  private isGathering = false;

  /** `send` writes a statement to the socket. */
  constructor(
    private readonly send: Send,
    private readonly socket: Pick<Socket, 'cork' | 'uncork'>,
  ) {}

  /** The rows of a read. Rejects as a statement of its own would. */
  add(read: Rendered | SharedRead): Promise<Rows> {
    if ('form' in read) return new Promise((resolve, reject) => this.wait({ read, resolve, reject }));
    this.gather();
    return this.send(read);
  }

  /** Sends the reads that wait, also for others. The connection takes no further statements. */
  end(): void {
    this.sendWaiting(true);
  }

  private wait(waiting: Waiting): void {
    const { form } = waiting.read;
    let reads = this.byForm.get(form);
    if (reads === undefined) {
      reads = new ReadsOfForm();
      this.byForm.set(form, reads);
    }
    reads.waiting.push(waiting);
    if (reads.waiting.length >= MAX_TOGETHER) this.flush();
    else if (reads.running === 0) this.gather();
  }

  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    this.socket.cork();
    setImmediate(() => this.flush());
  }

  private flush(): void {
    this.sendWaiting(false);
    if (!this.isGathering) return;
    this.isGathering = false;
    this.socket.uncork();
  }

  private sendWaiting(isEnding: boolean): void {
    for (const [form, reads] of this.byForm) {
      while (
        reads.waiting.length >= MAX_TOGETHER ||
        (reads.waiting.length > 0 && (reads.running === 0 || isEnding))
      )
        void this.sendNext(form, reads);
    }
  }

  private async sendNext(form: FormForMany, all: ReadsOfForm): Promise<void> {
    const reads = all.waiting.splice(0, MAX_TOGETHER);
    all.running += 1;
    await (reads.length === 1 ? this.sendAlone(reads) : this.sendTogether(form, reads));
    all.running -= 1;
    if (all.waiting.length > 0) this.gather();
    else if (all.running === 0) this.byForm.delete(form);
  }

  /**
   * A failure may be that of one read, for example of a record that is too large. So each read is sent again alone,
   * except after failures that do not depend on the value.
   */
  private async sendTogether(form: FormForMany, reads: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.send(form.rendered(reads.map(({ read }) => read.value)));
      if (rows.length === 0) for (const { resolve } of reads) resolve(rows);
      for (const row of rows) reads[form.positionOf(row) - 1]?.resolve([row]);
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
