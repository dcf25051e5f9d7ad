import { setTimeout as pause } from 'node:timers/promises';
import type { Instance } from './instance.js';
import type { Outcome, Write } from './ledger.js';
import type { Answer, Service } from './service.js';
import type { Target } from './target.js';

const CLIENTS = 16;
const BATCH = 40;
const PAUSE_AFTER_TROUBLE_MS = 150;
const TURNS = ['insert', 'read', 'bulk', 'update', 'upsert', 'read', 'insert', 'update', 'query'] as const;

type Turn = (typeof TURNS)[number];

/** The knowledge of a client: the instance that serves it, and the records that it was told are stored. */
interface Client {
  readonly name: string;
  /** True if it sends an Idempotency-Key with every write, and repeats a write until it is acknowledged. */
  readonly isPersistent: boolean;
  at: number;
  readonly ids: [id: string, mark: string][];
}

/** A request, and the write that it makes. */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly write?: Write;
  readonly mark?: string;
}

/**
 * Clients that read and write without a pause until they are stopped. Each uses one instance, and switches to the
 * other when a connection is dropped, as with a load balancer. Only persistent clients send a request twice.
 */
export class Load {
  readonly writes: Write[] = [];
  readonly outcomes: Record<Outcome, number> = {
    acknowledged: 0,
    refused: 0,
    unknown: 0,
    dropped: 0,
    wrong: 0,
  };
  /** Requests that failed, by kind. */
  readonly failed = { reads: 0, writes: 0 };
  /** Answers that no fault justifies. */
  readonly wrong: string[] = [];
  slowestMs = 0;
  private stopped = false;
  private readonly running: Promise<unknown>;

  /** @param persistent how many of the clients repeat writes with an Idempotency-Key. */
  constructor(
    private readonly service: Service,
    private readonly target: Target,
    persistent = 0,
  ) {
    const clients = Array.from(
      { length: CLIENTS },
      (_, n): Client => ({ name: `c${n}`, isPersistent: n < persistent, at: n % 2, ids: [] }),
    );
    this.running = Promise.all(clients.map(client => this.run(client)));
  }

  /** Resolves when this many further requests have succeeded. */
  async acknowledge(more: number): Promise<void> {
    const enough = this.outcomes.acknowledged + more;
    while (this.outcomes.acknowledged < enough) await pause(10);
  }

  /** Resolves when every client has received its last answer. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(client: Client): Promise<void> {
    for (let n = 0; !this.stopped; n++) {
      const op = `${client.name}-${n}`;
      const step = this.step(client, TURNS[n % TURNS.length] as Turn, op);
      if (step.write !== undefined) this.writes.push(step.write);
      const isRepeated = client.isPersistent && step.write !== undefined;
      while (!(await this.isDone(client, op, step)) && isRepeated);
    }
  }

  private async isDone(client: Client, op: string, step: Step): Promise<boolean> {
    const outcome = await this.take(client, op, step);
    this.outcomes[outcome] += 1;
    if (outcome === 'dropped') client.at = 1 - client.at;
    if (outcome !== 'acknowledged') await pause(PAUSE_AFTER_TROUBLE_MS);
    return outcome === 'acknowledged' || outcome === 'wrong';
  }

  private async take(client: Client, op: string, step: Step): Promise<Outcome> {
    const since = performance.now();
    const outcome = await this.send(client, op, step);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - since);
    if (step.write !== undefined) step.write.outcome = outcome;
    if (outcome !== 'acknowledged') this.failed[step.write === undefined ? 'reads' : 'writes'] += 1;
    return outcome;
  }

  private async send(client: Client, op: string, step: Step): Promise<Outcome> {
    const instance = this.service.instances[client.at] as Instance;
    const path = `${this.target.path}/data${step.path}`;
    try {
      const headers: Record<string, string> = { 'x-correlation-id': op };
      if (client.isPersistent && step.write !== undefined) headers['idempotency-key'] = op;
      return this.judge(
        client,
        step,
        await this.service.call(instance, step.method, path, { body: step.body, headers }),
      );
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') return 'dropped';
      this.wrong.push(`${step.method} ${path}: no answer`);
      return 'wrong';
    }
  }

  private judge(client: Client, { method, path, write, mark }: Step, answer: Answer): Outcome {
    const { status, retryAfter, body, text } = answer;
    if (status === 503 && Number(retryAfter) > 0) return 'refused';
    // The attempt before is still under way.
    if (status === 409 && client.isPersistent && body.error === 'Conflict') return 'unknown';
    // The service does not ask clients to resend such a request without a check.
    if (status === 503 && retryAfter === null && /not known whether/.test(body.message)) return 'unknown';
    const good = status === 200 || status === 201;
    // A read must see earlier acknowledged writes.
    if (!good || (mark !== undefined && body.record?.mark !== mark)) {
      this.wrong.push(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
      return 'wrong';
    }
    if (write?.kind === 'insert') {
      write.marks.forEach((each, index) => {
        client.ids.push([body.ids[index], each]);
      });
    }
    return 'acknowledged';
  }

  private step(client: Client, turn: Turn, op: string): Step {
    const [id, mark] = client.ids.at(-1 - (this.writes.length % 5)) ?? [];
    switch (turn) {
      case 'insert':
        return inserting('insert', '', op, 2);
      case 'bulk':
        return inserting('bulk', '/bulk', op, BATCH);
      case 'upsert':
        return upserting(client, op);
      case 'update':
        if (id === undefined || mark === undefined) return inserting('insert', '', op, 1);
        return {
          method: 'PATCH',
          path: `/${id}`,
          body: { $set: { op }, $push: { log: op } },
          write: { op, kind: 'update', marks: [mark], outcome: 'dropped' },
        };
      case 'read':
        if (id === undefined) return querying(client);
        return { method: 'GET', path: `/${id}`, mark };
      case 'query':
        return querying(client);
    }
  }
}

function inserting(kind: 'insert' | 'bulk', path: string, op: string, size: number): Step {
  const marks = Array.from({ length: size }, (_, index) => `${op}.${index}`);
  const records = marks.map(mark => ({ mark, op, log: [], size }));
  return { method: 'POST', path, body: { records }, write: { op, kind, marks, outcome: 'dropped' } };
}

/** Each record is upserted several times: created once, then changed. */
function upserting({ name, ids }: Client, op: string): Step {
  const mark = `${name}-upserted-${Math.floor(ids.length / 8)}`;
  return {
    method: 'POST',
    path: '/upsert',
    body: { data: { mark, op }, match_fields: ['mark'] },
    write: { op, kind: 'upsert', marks: [mark], outcome: 'dropped' },
  };
}

function querying({ name }: Client): Step {
  const filter = { mark: { $gte: `${name}-`, $lt: `${name}.` } };
  return { method: 'POST', path: '/query', body: { filter, limit: 20, sort: { _id: -1 } } };
}
