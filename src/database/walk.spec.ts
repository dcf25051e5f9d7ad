import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AdmissionQueue } from './admission-queue.js';
import { walk } from './walk.js';

const queue = () =>
  new AdmissionQueue({
    places: 3,
    perOrg: 2,
    perKey: 2,
    waitingPerOrg: 10,
    waitingPerKey: 10,
    waitMs: 1_000,
    refusal: 'no',
  });
const items = Array.from({ length: 20 }, (_, n) => n);
const goOn = new AbortController().signal;

it('does every item once, two of a job at a time', async () => {
  const [done, jobs] = [[] as number[], queue()];
  let running = 0;
  let most = 0;
  await walk(jobs, 'job', items, goOn, async item => {
    most = Math.max(most, ++running);
    await turn();
    running -= 1;
    done.push(item);
  });
  expect(done.sort((a, b) => a - b)).toEqual(items);
  expect([most, jobs.running]).toEqual([2, 0]);
});

it('begins somewhere else each time', async () => {
  const begins = new Set<number>();
  for (let each = 0; each < 40; each++) {
    const ended = new AbortController();
    await walk(queue(), 'job', items, ended.signal, async item => {
      if (!ended.signal.aborted) begins.add(item);
      ended.abort();
    });
  }
  expect(begins.size).toBeGreaterThan(5);
});

it('ends with the first failure, and when the signal is aborted', async () => {
  let done = 0;
  const failing = walk(queue(), 'job', items, goOn, async () => {
    if (++done === 5) throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(done).toBeLessThan(8);
  await walk(queue(), 'job', items, AbortSignal.abort(), async () => expect.unreachable());
});
