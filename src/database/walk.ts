import type { AdmissionQueue } from './admission-queue.js';

/** Items of one job that are worked on at once. */
const AT_ONCE = 2;

/**
 * A job's work for each item, such as all organizations: a few at a time, in places of the queue. A walk begins somewhere
 * else each time, so that items at the end are reached even if runs are cut short. Ends early when `signal` is aborted, and
 * with the first failure when one fails.
 */
export async function walk<T>(
  queue: AdmissionQueue,
  job: string,
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const first = Math.floor(Math.random() * items.length);
  const failures: unknown[] = [];
  let taken = 0;
  const worker = async () => {
    while (taken < items.length && !signal.aborted && failures.length === 0) {
      const item = items[(first + taken++) % items.length] as T;
      await queue.run(job, job, () => work(item)).catch(error => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failures.length > 0) throw failures[0];
}
