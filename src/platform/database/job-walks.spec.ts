import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AdmissionQueue } from '../../base/kernel/bounds/admission/admission-queue.js';
import type { Admission } from './admission/admission.js';
import { JobWalks } from './job-walks.js';

const JOB = 'job';

/** Walks whose position is in memory. */
function newWalks(): { walks: JobWalks; jobs: AdmissionQueue; positions: Map<string, string> } {
  const jobs = new AdmissionQueue({
    maxRunning: 3,
    perOrg: 2,
    perKey: 2,
    waitingPerOrg: 10,
    waitingPerKey: 10,
    waitMs: 1_000,
    refusal: 'no',
  });
  const positions = new Map<string, string>();
  const query = async (text: string, [job, after]: [string, string]) => {
    if (text.startsWith('INSERT')) positions.set(job, after);
    return positions.has(job) ? [{ after: positions.get(job) }] : [];
  };
  return { walks: new JobWalks({ query: query as never }, { jobs } as Admission), jobs, positions };
}

const ids = Array.from({ length: 20 }, (_, n) => String.fromCharCode(97 + n));
const items = ids.toReversed().map(id => ({ id }));
const goOn = new AbortController().signal;

it('processes every item once, two items of a job at a time', async () => {
  const { walks, jobs } = newWalks();
  const done: string[] = [];
  let [running, most] = [0, 0];
  await walks.each(JOB, items, goOn, async ({ id }) => {
    most = Math.max(most, ++running);
    await turn();
    running -= 1;
    done.push(id);
  });
  expect(done.sort()).toEqual(ids);
  expect([most, jobs.running]).toEqual([2, 0]);
});

it('continues after the last item when runs are cut short, so that every item is processed', async () => {
  const { walks } = newWalks();
  const done: string[] = [];
  for (let run = 0; run < 5; run++) {
    const ended = new AbortController();
    await walks.each(JOB, items, ended.signal, async ({ id }) => {
      done.push(id);
      if (done.length % 4 === 0) ended.abort();
      await turn();
    });
  }
  expect(done).toEqual(ids);
});

it('ends with the first failure, and continues after that item in the next run', async () => {
  const { walks } = newWalks();
  const done = new Set<string>();
  const failing = () =>
    walks.each(JOB, items, goOn, async ({ id }) => {
      if (id === 'e') throw new Error('on purpose');
      await turn();
      done.add(id);
    });
  await expect(failing()).rejects.toThrow('on purpose');
  expect(done.size).toBeLessThan(8);
  await expect(failing()).rejects.toThrow('on purpose');
  expect([...done].sort()).toEqual(ids.filter(id => id !== 'e'));
});

it('does nothing when the signal is aborted, and keeps its position', async () => {
  const { walks, positions } = newWalks();
  positions.set(JOB, 'd');
  await walks.each(JOB, items, AbortSignal.abort(), async () => expect.unreachable());
  expect(positions.get(JOB)).toBe('d');
});

it('starts with the first item after a deleted one, and at the beginning after the last one', async () => {
  const { walks, positions } = newWalks();
  for (const [after, first] of [
    ['dd', 'e'],
    ['t', 'a'],
    ['z', 'a'],
  ] as const) {
    positions.set(JOB, after);
    const done: string[] = [];
    await walks.each(JOB, items, goOn, async ({ id }) => void done.push(id));
    expect(done[0]).toBe(first);
    expect(done.sort()).toEqual(ids);
  }
});

it('processes everything in a run whose position cannot be stored', async () => {
  const lost = async (text: string) => {
    if (text.startsWith('INSERT')) throw new Error('no database');
    return [];
  };
  const walks = new JobWalks({ query: lost as never }, { jobs: newWalks().jobs } as Admission);
  let done = 0;
  await walks.each(JOB, items, goOn, async () => void done++);
  expect(done).toBe(items.length);
});
