import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AdvisoryLock } from '../database/advisory-lock.js';

/** Every instance's clock strikes: who comes within this time of another's start has the same stroke in hand. */
const SAME_STROKE = '30 seconds';

const CLAIM = `INSERT INTO job_runs AS r (name, started_at) VALUES ($1, clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET started_at = excluded.started_at, finished_at = NULL, counts = NULL
  WHERE r.started_at < clock_timestamp() - interval '${SAME_STROKE}' RETURNING name`;
const FINISH = 'UPDATE job_runs SET finished_at = clock_timestamp(), counts = $2 WHERE name = $1';

/** A job's work: counts for the log. It ends early, with what it has done, when the signal says so. */
export type JobWork = (signal: AbortSignal) => Promise<object>;

/**
 * Runs jobs so that each runs on one instance and never beside itself. The lock ends with the connection, so a
 * killed run is in nobody's way; its row in `job_runs` keeps a start without an end until the next run.
 */
@Injectable()
export class JobRunner implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
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
    const run = this.locked(name, work).catch(error => {
      this.outcomeOf(name).failed += 1;
      this.logger.error(error, name);
    });
    this.running.add(run);
    await run.finally(() => this.running.delete(run));
  }

  /** The pool is closed only after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  private outcomeOf(name: string): { done: number; failed: number } {
    const outcome = this.outcomes.get(name) ?? { done: 0, failed: 0 };
    this.outcomes.set(name, outcome);
    return outcome;
  }

  private async locked(name: string, work: JobWork): Promise<void> {
    await this.lock.tryWith(`job ${name}`, async manager => {
      // On a connection of its own: the start is on record even if the run never ends.
      const claimed = await this.source.query(CLAIM, [name]);
      if (claimed.length === 0) return;
      const counts = await work(this.stopping.signal);
      await manager.query(FINISH, [name, JSON.stringify(counts)]);
      this.outcomeOf(name).done += 1;
      this.logger.log(`${name} ${JSON.stringify(counts)}`);
    });
  }
}
