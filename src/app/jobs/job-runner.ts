import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { sqlState, unavailable } from '../../base/kernel/sql-state.js';
import { LOCK_NAMES } from '../../platform/database/advisory-locks.js';
import { LoneWork } from '../../platform/database/lone-work.js';
import { OutageLog } from '../../platform/database/outage-log.js';

/** Runs of a job that start within this time of each other on different instances are the same scheduled run. */
const SAME_RUN = '30 seconds';

const CLAIM = `INSERT INTO job_runs AS r (name, started_at) VALUES ($1, clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET started_at = excluded.started_at, finished_at = NULL, counts = NULL
  WHERE r.started_at < clock_timestamp() - interval '${SAME_RUN}' RETURNING name`;
const FAIL = `UPDATE job_runs SET counts = '{"failed":true}' WHERE name = $1`;
const KILLED = `SELECT name FROM job_runs
  WHERE finished_at IS NULL AND counts IS NULL AND started_at < clock_timestamp() - interval '${SAME_RUN}'`;
const FINISH = 'UPDATE job_runs SET finished_at = clock_timestamp(), counts = $2 WHERE name = $1';

/**
 * Does the work of a job and returns counts for the log. After `signal` it stops early and returns the counts so far.
 */
export type JobWork = (signal: AbortSignal) => Promise<object>;

/**
 * Runs each job on one instance at a time. The advisory lock ends with the connection, so a killed instance does not
 * block the next run. Its row in `job_runs` has a start without an end, by which other instances find it.
 */
@Injectable()
export class JobRunner implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  /** Shared by all jobs, because a lost database makes all of them fail every minute. */
  private readonly outage = new OutageLog(this.logger, 'running jobs');
  /** Numbers of runs on this instance by job. */
  // biome-ignore lint/plugin/bounded-maps: jobs
  readonly outcomes = new Map<string, { done: number; failed: number }>();
  // biome-ignore lint/plugin/bounded-maps: jobs
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly alone: LoneWork,
  ) {}

  /**
   * Runs the job, unless another instance runs it. Never rejects: a failure is logged, and the next run tries again.
   */
  async run(name: string, work: JobWork): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const run = this.locked(name, work).catch(error => this.logFailure(name, error));
    this.running.add(run);
    await run.finally(() => this.running.delete(run));
  }

  /**
   * Names of jobs that have started but neither finished nor failed: they are running, or their instance was killed.
   * Never rejects.
   */
  async killed(): Promise<string[]> {
    const rows: { name: string }[] = await this.source.query(KILLED).catch(error => {
      this.logFailure('finish-killed-jobs', error);
      return [];
    });
    return rows.map(({ name }) => name);
  }

  /** Nest calls this before the hook that closes the connection pool. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  /** Marks the run as failed, so that it is not repeated before the next scheduled run. */
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
    await this.alone.run(LOCK_NAMES.job(name), 'job', async (holder, lost) => {
      // Uses another connection than the lock, so that the start is stored even if the run never ends.
      const claimed = await this.source.query(CLAIM, [name]);
      if (claimed.length === 0) return;
      // When the lock is lost, another instance may start the same job.
      const signal = AbortSignal.any([this.stopping.signal, lost]);
      const counts = await work(signal).catch(error => this.fail(name, error));
      if (lost.aborted) await this.fail(name, lost.reason);
      await holder.query(FINISH, [name, JSON.stringify(counts)]);
      this.outcomeOf(name).done += 1;
      this.outage.succeeded();
      this.logger.log(`${name} ${JSON.stringify(counts)}`);
    });
  }
}

/** True when the database was unavailable for all jobs. A statement or lock timeout concerns only its own job. */
function isOutage(error: unknown): boolean {
  return unavailable(error) !== undefined && !['57014', '55P03'].includes(sqlState(error) ?? '');
}
