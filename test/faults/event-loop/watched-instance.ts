import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { testPort } from '../../harness/port.js';
import { startCluster } from '../support/cluster.js';
import { startInstance } from '../support/instance.js';

/**
 * The time for which an operation may block the event loop, on a machine that does the calibration work below in
 * its time.
 */
const LONGEST_MS = 250;
const WORK_MS = 60;
/** A busy machine may pause any process for a while, so the best of several attempts counts. */
const ATTEMPTS = 3;

const WORK = JSON.stringify(Array.from({ length: 300_000 }, (_, a) => ({ a })));

/** How much slower the machine is now. */
function slowness(): number {
  const begun = performance.now();
  JSON.parse(WORK);
  return Math.max(1, (performance.now() - begun) / WORK_MS);
}

/** A request, and a name for it in the report. */
export interface Sent {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** An instance that reports for how long its event loop was blocked since the last call. */
export class WatchedInstance {
  /** Requests that blocked the loop for too long, each with the shortest time of all attempts. */
  readonly offenders: string[] = [];
  private readonly times: (readonly [milliseconds: number, name: string])[] = [];

  private constructor(
    readonly url: string,
    private readonly watchUrl: string,
    readonly bootstrap: Readonly<Record<string, string>>,
  ) {}

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<WatchedInstance> {
    const cluster = await startCluster();
    const directory = await mkdtemp(join(tmpdir(), 'typed-collections-loop-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const bootstrapFile = join(directory, 'bootstrap.json');
    const [port, watchPort] = [await testPort(), await testPort()];
    const { url } = await startInstance(['--import', './test/faults/event-loop/loop-watch.mjs'], {
      DATABASE_URL: cluster.url,
      PORT: String(port),
      LOOP_WATCH_PORT: String(watchPort),
      SECRETS_MASTER_KEYS: `loop:${randomBytes(32).toString('base64')}`,
      BOOTSTRAP_FILE: bootstrapFile,
      RATE_LIMITS: 'off',
      ...settings,
    });
    const bootstrap = JSON.parse(await readFile(bootstrapFile, 'utf8'));
    return new WatchedInstance(url, `http://127.0.0.1:${watchPort}`, bootstrap);
  }

  /** With an Idempotency-Key, as the official client sends; reads ignore it. */
  async send({ method, path, headers: own, body }: Omit<Sent, 'name'>): Promise<Answered> {
    const headers = { 'idempotency-key': randomUUID(), ...own };
    const answer = await fetch(this.url + path, { method, headers, redirect: 'manual', body: body ?? null });
    return { status: answer.status, text: await answer.text() };
  }

  /**
   * Sends a request and records it if it blocks the loop for too long in every attempt. Work left over from the
   * previous request counts as well.
   */
  async judge(request: Sent): Promise<Answered> {
    let answered = await this.send(request);
    let best = await this.longestBlock();
    this.times.push([best, request.name]);
    for (let attempt = 1; attempt < ATTEMPTS && best > LONGEST_MS; attempt++) {
      const before = slowness();
      await this.longestBlock();
      answered = await this.send(request);
      best = Math.min(best, (await this.longestBlock()) / Math.max(before, slowness()));
    }
    if (best > LONGEST_MS) this.offenders.push(`${request.name}: ${Math.round(best)} ms`);
    return answered;
  }

  /** Resets the measured time, to exclude requests that are not under test. */
  async forget(): Promise<void> {
    await this.longestBlock();
  }

  /** The requests that blocked the loop longest at their first attempt. */
  slowest(count: number): string[] {
    const slowest = [...this.times].sort(([a], [b]) => b - a).slice(0, count);
    return slowest.map(([milliseconds, name]) => `${Math.round(milliseconds)} ms: ${name}`);
  }

  private async longestBlock(): Promise<number> {
    return Number(await (await fetch(this.watchUrl)).text());
  }
}
