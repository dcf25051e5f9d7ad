import type { Logger } from '@nestjs/common';

const FIRST_INTERVAL_MS = 1_000;
const LONGEST_INTERVAL_MS = 60_000;

/**
 * Logs failures of repeated work: the first at once, further ones at intervals that double up to a minute, and the
 * first success after them.
 */
export class OutageLog {
  /** 0 while the work succeeds. */
  private intervalMs = 0;
  private nextAt = 0;

  constructor(
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly work: string,
  ) {}

  failed({ message }: Error): void {
    const now = performance.now();
    if (now < this.nextAt) return;
    this.intervalMs = Math.min(2 * this.intervalMs || FIRST_INTERVAL_MS, LONGEST_INTERVAL_MS);
    this.nextAt = now + this.intervalMs;
    this.logger.warn(`${this.work} failed: ${message}`);
  }

  succeeded(): void {
    if (this.intervalMs === 0) return;
    [this.intervalMs, this.nextAt] = [0, 0];
    // At the same level as the failures, so that the end of an outage is never left out.
    this.logger.warn(`${this.work} works again`);
  }
}
