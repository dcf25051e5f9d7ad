import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Admission } from './admission/admission.js';

/** Items of one job that are worked on at once. */
const AT_ONCE = 2;
/** Interval at which the position is stored. A killed run is continued from the last stored position. */
const KEPT_EVERY_MS = 5_000;

const FIND = 'SELECT after FROM job_positions WHERE job = $1';
const KEEP = `INSERT INTO job_positions (job, after) VALUES ($1, $2)
  ON CONFLICT (job) DO UPDATE SET after = excluded.after`;

/** An organization or a collection. */
interface Item {
  readonly id: string;
}

/**
 * Runs a job's work for many items, in the order of their ids, and then again from the first. A run starts after the
 * last item that the previous run began. So the work reaches every item, even if runs are cut short or always fail at
 * the same item.
 */
@Injectable()
export class JobWalks {
  constructor(
    @InjectDataSource() private readonly source: Pick<DataSource, 'query'>,
    private readonly admission: Admission,
  ) {}

  /**
   * Runs the work for each item, a few at a time, admitted by the queue of jobs. Stops when `signal` is aborted. Stops
   * at the first failure, which is thrown.
   */
  async each<T extends Item>(
    job: string,
    items: readonly T[],
    signal: AbortSignal,
    work: (item: T) => Promise<void>,
  ): Promise<void> {
    await this.from(job, async (after, begin) => {
      const failures: unknown[] = [];
      const left = behind(after, items);
      const worker = async () => {
        while (!signal.aborted && failures.length === 0) {
          const item = left.shift();
          if (item === undefined) return;
          begin(item.id);
          await this.admission.jobs.run(job, job, () => work(item)).catch(error => failures.push(error));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      if (failures.length > 0) throw failures[0];
    });
  }

  /**
   * Runs `work` with the id after which it should start; undefined in the first run of the job. `work` calls `begin`
   * with the id of each item that it begins.
   */
  async from<T>(
    job: string,
    work: (after: string | undefined, begin: (id: string) => void) => Promise<T>,
  ): Promise<T> {
    const [row]: { after: string }[] = await this.source.query(FIND, [job]);
    let last: string | undefined;
    let keptAt = performance.now();
    // When this fails, the next run repeats some of this run's work.
    const keep = () => this.source.query(KEEP, [job, last]).catch(() => undefined);
    try {
      return await work(row?.after, id => {
        last = id;
        if (performance.now() - keptAt < KEPT_EVERY_MS) return;
        keptAt = performance.now();
        void keep();
      });
    } finally {
      if (last !== undefined) await keep();
    }
  }
}

/** The items after an id, in order, and then the others. */
function behind<T extends Item>(after: string | undefined, items: readonly T[]): T[] {
  const sorted = items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const first = after === undefined ? 0 : sorted.findIndex(({ id }) => id > after);
  return first > 0 ? [...sorted.slice(first), ...sorted.slice(0, first)] : sorted;
}
