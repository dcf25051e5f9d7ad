import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from './cluster.js';
import type { Instance } from './instance.js';
import { differences } from './ledger.js';
import { Load } from './load.js';
import { note } from './report.js';
import { type Differing, type Service, startService } from './service.js';
import { newTarget, stored, type Target } from './target.js';

/** The promised time from the end of a fault until every running instance reads and writes. */
const RECOVERED_WITHIN_MS = 10_000;
/** Requests that must succeed before a fault, and after it without errors. */
const ENOUGH = 150;

/** Two instances under load. */
export interface Trial {
  readonly cluster: Cluster;
  readonly service: Service;
  readonly target: Target;
  readonly load: Load;
  /** Resolves when all running instances answer again, within 10 s. Call it right after the end of a fault. */
  recovered(): Promise<void>;
}

/** Differences from two equal instances that connect to the database directly. */
interface Setting {
  readonly cluster?: Cluster;
  /** How many of the clients repeat writes with an Idempotency-Key; by default none. */
  readonly persistent?: number;
  readonly differing?: readonly [Differing, Differing];
}

/**
 * Puts two instances under load, causes a fault, and compares the answers that clients got with the contents of
 * the database.
 */
export async function underLoad(
  fault: string,
  happens: (trial: Trial) => Promise<void>,
  setting: Setting = {},
): Promise<void> {
  const cluster = setting.cluster ?? (await startCluster());
  const service = await startService(cluster, setting.differing);
  const target = await newTarget(service);
  const load = new Load(service, target, setting.persistent);
  onTestFinished(() => load.stop());
  const waits: number[] = [];
  const recovered = async () => void waits.push(await recovery(service, target));
  await load.acknowledge(ENOUGH);
  expect(troubles(load)).toBe(0);
  await happens({ cluster, service, target, load, recovered });
  if (waits.length === 0) await recovered();
  await expectCalm(load);
  await load.stop();

  const { lost, duplicated, denied, half } = differences(load.writes, await stored(cluster, service, target));
  const { acknowledged, refused, unknown, dropped } = load.outcomes;
  await note({
    fault,
    acknowledged,
    lost: lost.length,
    duplicated: duplicated.length,
    half: half.length,
    refused,
    unknown,
    dropped,
    slowestMs: load.slowestMs,
    secondsToRecover: Math.max(...waits) / 1_000,
  });
  const errors = service.instances.flatMap(({ log }) =>
    log()
      .split('\n')
      .filter(line => line.includes('"level":"error"')),
  );
  expect(load.wrong.slice(0, 20), errors.slice(0, 3).join('\n')).toEqual([]);
  expect({ lost, duplicated, denied, half }).toEqual({ lost: [], duplicated: [], denied: [], half: [] });
  expect(Math.max(...waits)).toBeLessThan(RECOVERED_WITHIN_MS);
  await service.end();
}

/** No request is refused after the service has recovered. */
async function expectCalm(load: Load): Promise<void> {
  // Earlier requests have been answered by now or will be soon.
  await load.acknowledge(ENOUGH);
  const before = troubles(load);
  await load.acknowledge(ENOUGH);
  expect(troubles(load)).toBe(before);
}

function troubles({ outcomes: { refused, unknown, dropped, wrong } }: Load): number {
  return refused + unknown + dropped + wrong;
}

/** Milliseconds until each running instance has been ready and has written and read once. */
async function recovery(service: Service, target: Target): Promise<number> {
  const began = performance.now();
  await Promise.all(
    service.instances
      .filter(each => each.alive())
      .map(async instance => {
        while (!(await works(service, target, instance))) {
          if (performance.now() - began > 3 * RECOVERED_WITHIN_MS)
            throw new Error('the service does not come back');
          await pause(50);
        }
      }),
  );
  return performance.now() - began;
}

async function works(service: Service, { path }: Target, instance: Instance): Promise<boolean> {
  const answers = async () => [
    await service.call(instance, 'GET', '/health/ready'),
    await service.call(instance, 'POST', `${path}/data`, { body: { records: { mark: 'probe' } } }),
    await service.call(instance, 'POST', `${path}/data/query`, {
      body: { filter: { mark: 'probe' }, limit: 1 },
    }),
  ];
  const seen = await answers().catch(() => []);
  for (const { status, retryAfter, text } of seen) {
    const isHonest = retryAfter !== null || /not known whether/.test(text);
    expect(status === 200 || (status === 503 && isHonest), `an answer of ${status}`).toBe(true);
  }
  return seen.length === 3 && seen.every(({ status }) => status === 200);
}
