import { Logger } from '@nestjs/common';
import { OutageLog } from './outage-log.js';

const AFTER_FAILURE_MS = 1_000;

/** Repeats work until it is stopped. Only one run happens at a time. */
export class Repeating {
  private readonly outage: OutageLog;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private again = false;
  private stopped = false;

  /** @param work resolves to the milliseconds until the next run. */
  constructor(
    name: string,
    private readonly work: () => Promise<number>,
  ) {
    this.outage = new OutageLog(new Logger(name), name);
  }

  /** Starts a run now, or after the current one. */
  wake(): void {
    if (this.stopped) return;
    this.again = true;
    if (this.running !== undefined) return;
    clearTimeout(this.timer);
    this.running = this.run();
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async run(): Promise<void> {
    let wait = 0;
    while (this.again && !this.stopped) {
      this.again = false;
      try {
        wait = await this.work();
        this.outage.succeeded();
      } catch (error) {
        this.outage.failed(error as Error);
        wait = AFTER_FAILURE_MS;
      }
    }
    this.running = undefined;
    if (!this.stopped) this.timer = setTimeout(() => this.wake(), wait).unref();
  }
}
