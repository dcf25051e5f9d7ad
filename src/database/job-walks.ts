import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Admission } from './admission.js';

/** Items of one job that are worked on at once. */
const AT_ONCE = 2;
/** A run that is killed is continued where it was so long before. */
const KEPT_EVERY_MS = 5_000;

const FIND = 'SELECT after FROM job_positions WHERE job = $1';
const KEEP = `INSERT INTO job_positions (job, after) VALUES ($1, $2)
  ON CONFLICT (job) DO UPDATE SET after = excluded.after`;

/** Of what a job goes through: an organization or a collection. */
interface Item {
  readonly id: string;
}

/**
 * Takes jobs through many items in the order of their ids, round and round: a run begins behind the item that the last one
 * began with last. So each item gets its turn, even if runs are cut short, or fail at the same item each time.
 */
@Injectable()
export class JobWalks {
  constructor(
    @InjectDataSource() private readonly source: Pick<DataSource, 'query'>,
    private readonly admission: Admission,
  ) {}

  /**
   * The job's work for each item, a few at a time, in places of the queue. Ends early when `signal` is aborted, and with the
   * first failure when one fails.
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
   * Runs `work` with the id behind which it is to begin, undefined at the first time. It says of each item when it begins with
   * it.
   */
  async from<T>(
    job: string,
    work: (after: string | undefined, begin: (id: string) => void) => Promise<T>,
  ): Promise<T> {
    const [row]: { after: string }[] = await this.source.query(FIND, [job]);
    let last: string | undefined;
    let keptAt = performance.now();
    // Without it the next run does some of this one's work again.
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

/** The items behind an id in order, then the others. */
function behind<T extends Item>(after: string | undefined, items: readonly T[]): T[] {
  const sorted = items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const first = after === undefined ? 0 : sorted.findIndex(({ id }) => id > after);
  return first > 0 ? [...sorted.slice(first), ...sorted.slice(0, first)] : sorted;
}
