import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AdvisoryLock } from '../database/advisory-lock.js';
import { OutageLog } from '../database/outage-log.js';
import { sqlState, unavailable } from '../kernel/sql-state.js';

/** Every instance's clock strikes: who comes within this time of another's start has the same stroke in hand. */
const SAME_STROKE = '30 seconds';

const CLAIM = `INSERT INTO job_runs AS r (name, started_at) VALUES ($1, clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET started_at = excluded.started_at, finished_at = NULL, counts = NULL
  WHERE r.started_at < clock_timestamp() - interval '${SAME_STROKE}' RETURNING name`;
const FAIL = `UPDATE job_runs SET counts = '{"failed":true}' WHERE name = $1`;
const KILLED = `SELECT name FROM job_runs
  WHERE finished_at IS NULL AND counts IS NULL AND started_at < clock_timestamp() - interval '${SAME_STROKE}'`;
const FINISH = 'UPDATE job_runs SET finished_at = clock_timestamp(), counts = $2 WHERE name = $1';

/** A job's work: counts for the log. It ends early, with what it has done, when the signal says so. */
export type JobWork = (signal: AbortSignal) => Promise<object>;

/**
 * Runs jobs so that each runs on one instance and never beside itself. The lock ends with the connection, so a
 * killed run is in nobody's way; by its row in `job_runs`, a start without an end, another instance sees it.
 */
@Injectable()
export class JobRunner implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  /** Of all jobs together: one lost database fails every one of them, each minute. */
  private readonly outage = new OutageLog(this.logger, 'running jobs');
  /** How the runs of this instance ended, by job. */
  readonly outcomes = new Map<string, { done: number; failed: number }>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly lock: AdvisoryLock,
  ) {}

  /** Does nothing when another instance has this run. Never rejects: a failure is logged, the next run tries again. */
  async run(name: string, work: JobWork): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const run = this.locked(name, work).catch(error => this.logFailure(name, error));
    this.running.add(run);
    await run.finally(() => this.running.delete(run));
  }

  /** Jobs that were begun and neither ended nor failed: their instance was killed, or they are running. Never rejects. */
  async killed(): Promise<string[]> {
    const rows: { name: string }[] = await this.source.query(KILLED).catch(error => {
      this.logFailure('finish-killed-jobs', error);
      return [];
    });
    return rows.map(({ name }) => name);
  }

  /** The pool is closed only after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  /** The next stroke tries again; nobody else does before. */
  private async fail(name: string, error: unknown): Promise<never> {
    this.outcomeOf(name).failed += 1;
    await this.source.query(FAIL, [name]).catch(() => undefined);
    throw error;
  }

  private logFailure(name: string, error: unknown): void {
    if (isOutage(error)) this.outage.failed(error as Error);
    else this.logger.error(error, name);
  }

  private outcomeOf(name: string): { done: number; failed: number } {
    const outcome = this.outcomes.get(name) ?? { done: 0, failed: 0 };
    this.outcomes.set(name, outcome);
    return outcome;
  }

  private async locked(name: string, work: JobWork): Promise<void> {
    await this.lock.tryWith(`job ${name}`, async (manager, lost) => {
      // On a connection of its own: the start is on record even if the run never ends.
      const claimed = await this.source.query(CLAIM, [name]);
      if (claimed.length === 0) return;
      // Without the lock another instance may begin the same job.
      const signal = AbortSignal.any([this.stopping.signal, lost]);
      const counts = await work(signal).catch(error => this.fail(name, error));
      if (lost.aborted) await this.fail(name, lost.reason);
      await manager.query(FINISH, [name, JSON.stringify(counts)]);
      this.outcomeOf(name).done += 1;
      this.outage.succeeded();
      this.logger.log(`${name} ${JSON.stringify(counts)}`);
    });
  }
}

/** True when no job could have run; a statement that took too long or waited too long for a lock is its own job's failure. */
function isOutage(error: unknown): boolean {
  return unavailable(error) !== undefined && !['57014', '55P03'].includes(sqlState(error) ?? '');
}
