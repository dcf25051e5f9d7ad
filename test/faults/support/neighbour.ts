import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished } from 'vitest';

/** Every request of the neighbour has been sent once by then, and connections are open. */
const WARM_UP_MS = 2_000;

/** A request of the neighbour that did not succeed. */
export interface Failure {
  readonly kind: 'read' | 'write' | 'readiness';
  /** 0 when no answer arrived. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** The requests of one phase. Times are in milliseconds. */
export interface Figures {
  readonly requests: number;
  readonly median: number;
  readonly p95: number;
  readonly slowest: number;
  readonly failed: readonly Failure[];
}

interface Phase {
  readonly id: number;
  readonly times: number[];
  readonly failed: Failure[];
}

/** Where the neighbour's organization sends its requests. */
interface Home {
  readonly urls: readonly string[];
  /** Keys of as many callers, who send in turn. */
  readonly keys: readonly string[];
  /** `/v1/collections/{id}` */
  readonly path: string;
}

/** A service to which the administrator can send requests. */
export interface Administered {
  readonly urls: readonly string[];
  /** A session of the first user. */
  readonly token: string;
}

/** Creates another organization, with keys and a collection. */
async function newHome({ urls, token }: Administered, callers: number): Promise<Home> {
  const send = async (path: string, headers: Readonly<Record<string, string>>, body: object) => {
    const answer = await fetch(urls[0] + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    expect(answer.status, text).toBeLessThan(300);
    return JSON.parse(text);
  };
  const admin = { authorization: `Bearer ${token}` };
  await send('/v2/orgs', admin, { slug: 'neighbour', name: 'Neighbour' });
  const keys: string[] = [];
  for (let n = 0; n < callers; n++) {
    const key = { slug: `caller-${n}`, name: 'Caller', scopes: ['*'], permissions: ['collections:*'] };
    keys.push((await send('/v2/orgs/neighbour/api-keys', admin, key)).apiKey);
  }
  const collection = { name: 'small', properties: { n: { type: 'integer' } } };
  const made = await send('/v1/collections', { 'x-platform-api-key': keys[0] as string }, collection);
  return { urls, keys, path: `/v1/collections/${made.collection_id}` };
}

/** Another organization that reads and writes at a steady rate, 50 requests per second over all instances. */
export class Neighbour {
  /** Failures of all phases, and of the time between them. */
  readonly failed: Failure[] = [];
  private readonly worker: Worker;
  private phases = 0;

  private constructor({ urls, keys, path }: Home, largeBytes: number) {
    const workerData = { urls, keys, data: `${path}/data`, largeBytes };
    this.worker = new Worker(new URL('./neighbour-client.mjs', import.meta.url), { workerData });
    this.worker.on('message', ({ failed }: Phase) => this.failed.push(...failed));
    onTestFinished(async () => void (await this.worker.terminate()));
  }

  /** Creates the organization and starts its load. `largeBytes`: the size of the body of one request in 10. */
  static async start(at: Administered, { largeBytes = 0, callers = 1 } = {}): Promise<Neighbour> {
    const neighbour = new Neighbour(await newHome(at, callers), largeBytes);
    await pause(WARM_UP_MS);
    return neighbour;
  }

  /** The figures of the requests that are sent while `work` runs. Resolves when they have been answered. */
  async during(work: () => Promise<unknown>): Promise<Figures> {
    void this.endPhase(false);
    await work();
    const { times, failed } = await this.endPhase(false);
    times.sort((a, b) => a - b);
    const at = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN;
    return { requests: times.length, median: at(0.5), p95: at(0.95), slowest: times.at(-1) ?? 0, failed };
  }

  /** Resolves when the last request has been answered. */
  async stop(): Promise<void> {
    await this.endPhase(true);
  }

  private async endPhase(isLast: boolean): Promise<Phase> {
    const id = ++this.phases;
    this.worker.postMessage({ id, isLast });
    for (;;) {
      const [phase] = (await once(this.worker, 'message')) as [Phase];
      if (phase.id === id) return phase;
    }
  }
}
