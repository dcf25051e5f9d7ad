import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock, SystemClock } from '../../base/kernel/clock.js';
import { OutageLog } from './outage-log.js';

const MEASURE_EVERY_MS = 60_000;
const SAMPLES = 3;
/** A larger difference is logged, so that an operator can correct the machine's clock. */
const WORTH_TELLING_MS = 1_000;

/** How far a clock is behind another, ± `errorMs`. */
export interface Offset {
  readonly behindMs: number;
  readonly errorMs: number;
}

/**
 * Corrects the clock of this instance to PostgreSQL's clock. Without this, a session opened on a machine whose clock is
 * ahead would begin in the future on other instances, and they would refuse it. Differences within the error of
 * measurement are ignored.
 */
@Injectable()
export class SharedTime implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SharedTime.name);
  private readonly outage = new OutageLog(this.logger, "reading PostgreSQL's clock");
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Measures before anything is signed or dated. */
  async onModuleInit(): Promise<void> {
    if (!(this.clock instanceof SystemClock)) return;
    const { clock } = this;
    await this.correct(clock);
    this.timer = setInterval(() => void this.correct(clock), MEASURE_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async correct(clock: SystemClock): Promise<void> {
    try {
      const offset = await this.measure();
      const correction = correctionFor(offset);
      if (Math.abs(correction) >= WORTH_TELLING_MS)
        this.logger.warn(`the clock of this machine differs from PostgreSQL's by ${correction} ms`);
      clock.correct(correction);
      this.outage.succeeded();
    } catch (error) {
      this.outage.failed(error as Error);
    }
  }

  /** Uses the sample with the shortest round trip, which has the smallest error. */
  private async measure(): Promise<Offset> {
    const samples: Offset[] = [];
    while (samples.length < SAMPLES) samples.push(await this.sample());
    return samples.reduce((best, each) => (each.errorMs < best.errorMs ? each : best));
  }

  private async sample(): Promise<Offset> {
    const sentAt = Date.now();
    const since = performance.now();
    const [{ ms }] = await this.source.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
    const errorMs = (performance.now() - since) / 2;
    return { behindMs: Number(ms) - (sentAt + errorMs), errorMs };
  }
}

/** Milliseconds to add to a clock; 0 when the offset is within the error. */
export function correctionFor({ behindMs, errorMs }: Offset): number {
  return Math.abs(behindMs) > errorMs + 1 ? Math.round(behindMs) : 0;
}
