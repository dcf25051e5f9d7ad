import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.js';
import { Comparison } from '../support/comparison.js';
import { Neighbour } from '../support/neighbour.js';
import { type Service, startService } from '../support/service.js';
import { newTarget } from '../support/target.js';

const PHASE_MS = 2_400;
/** A decision about rights is valid for half a second, and every instance is notified. */
const EFFECTIVE_AFTER_MS = 1_000;
const MOST_TIMES = { median: 1.5, p95: 2 };
const BODIES_OF_EACH = 25;
const BODY_BYTES = 400;
const DRIP_MS = 250;
/** The organization sends 20 writes and 20 changes per second. */
const EVERY_MS = 50;
const REFUSALS = [401, 403, 404];

/** A caller, and what withdraws its rights. */
interface Caller {
  readonly header: Readonly<Record<string, string>>;
  readonly withdraw: () => ReturnType<Service['call']>;
}

/** A person who is an administrator of the organization `default`. */
async function newMember({ call, instances: [here], secrets }: Service, { sql }: Cluster) {
  const session = await call(here, 'POST', '/v2/login/anonymous', { body: {} });
  const { token }: { token: string } = session.body;
  secrets.push(token);
  const id: string = (await call(here, 'GET', '/v2/me', { token })).body.id;
  await sql(
    `INSERT INTO org_memberships (org_id, user_id, role_slug) SELECT id, $1, 'admin' FROM orgs WHERE slug = 'default'`,
    [id],
  );
  return { id, token };
}

/** A key, a member and a session. Each has written at each instance. */
async function newCallers(service: Service, cluster: Cluster, path: string): Promise<Caller[]> {
  const { call, instances, token, secrets } = service;
  const [here] = instances;
  const minted = await call(here, 'POST', '/v2/orgs/default/api-keys', {
    token,
    body: { slug: `k${Date.now()}`, name: 'Revoked', permissions: ['*'] },
  });
  secrets.push(minted.body.apiKey);
  const [member, other] = [await newMember(service, cluster), await newMember(service, cluster)];
  const callers: Caller[] = [
    {
      header: { 'x-platform-api-key': minted.body.apiKey },
      withdraw: () => call(here, 'DELETE', `/v2/orgs/default/api-keys/${minted.body.id}`, { token }),
    },
    {
      header: { authorization: `Bearer ${member.token}` },
      withdraw: () => call(here, 'DELETE', `/v2/orgs/default/members/${member.id}`, { token }),
    },
    {
      header: { authorization: `Bearer ${other.token}` },
      withdraw: () => call(here, 'POST', '/v2/logout', { token: other.token }),
    },
  ];
  for (const { header } of callers) {
    for (const { url } of instances) expect(await insert(url, path, header)).toBe(200);
  }
  return callers;
}

async function insert(url: string, path: string, header: Caller['header']): Promise<number> {
  const answer = await fetch(`${url}${path}/data`, {
    method: 'POST',
    headers: { ...header, 'content-type': 'application/json' },
    body: JSON.stringify({ records: { mark: 'sent whole' } }),
  });
  await answer.text();
  return answer.status;
}

/** A write whose body trickles in. `finish` sends the rest and resolves to the status. */
class SlowWrite {
  private readonly socket: Socket;
  private readonly timer: NodeJS.Timeout;
  private readonly closed: Promise<unknown>;
  private answer = '';
  private left = BODY_BYTES;

  constructor(url: string, path: string, header: Caller['header']) {
    const lines = Object.entries(header).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    this.socket.write(
      `POST ${path}/data HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}Connection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`,
    );
    this.send('{"records": [{"mark": "stolen"}');
    this.socket.on('data', chunk => (this.answer += chunk));
    this.closed = new Promise(resolve => this.socket.once('close', resolve));
    this.timer = setInterval(() => this.send(' '), DRIP_MS);
    this.socket.once('close', () => clearInterval(this.timer));
    onTestFinished(() => void this.socket.destroy());
  }

  async finish(): Promise<number> {
    clearInterval(this.timer);
    this.send(']}'.padStart(this.left));
    await this.closed;
    return Number(/^HTTP\/1.1 (\d+)/.exec(this.answer)?.[1]);
  }

  private send(text: string): void {
    this.left -= text.length;
    this.socket.write(text);
  }
}

/** Whether the work is done. */
function watched(work: Promise<unknown>): () => boolean {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  return () => isOver;
}

it('callers whose rights are withdrawn while their bodies trickle in write nothing, however many requests follow and memberships change, and requests of another organization take at most 1.5 times as long', async () => {
  const cluster = await startCluster();
  const service = await startService(cluster);
  const { instances, urls, call, token, key } = service;
  const { path } = await newTarget(service);
  const share = { principal_type: 'org', principal_id: 'default', role: 'editor' };
  expect((await call(instances[0], 'POST', `${path}/access`, { body: share })).status).toBe(201);

  let turn = 0;
  /** Writes 20 times per second, until the work is done. Resolves to the statuses and the times of sending. */
  const write = async (headers: readonly Caller['header'][], work: Promise<unknown>) => {
    const sent: { at: number; status: Promise<number> }[] = [];
    for (const isOver = watched(work); !isOver(); turn++) {
      const header = headers[turn % headers.length] as Caller['header'];
      sent.push({ at: performance.now(), status: insert(urls[turn % 2] as string, path, header) });
      await pause(EVERY_MS);
    }
    return Promise.all(sent.map(async ({ at, status }) => ({ at, status: await status })));
  };
  /** Makes a change 20 times per second, until the work is done. */
  const change = async (changed: string, bodies: readonly object[], work: Promise<unknown>) => {
    let each = 0;
    for (const isOver = watched(work); !isOver(); each++) {
      const body = bodies[each % bodies.length];
      const answer = call(instances[0], 'PATCH', changed, { token, body });
      const [{ status, text }] = await Promise.all([answer, pause(EVERY_MS)]);
      expect(status, text).toBe(200);
    }
  };
  const member = `/v2/orgs/default/members/${(await newMember(service, cluster)).id}`;
  const other = (await newTarget(service, 'other')).path;

  let callers: Caller[] = [];
  const neighbour = await Neighbour.start(service, { callers: 20 });
  const comparison = await Comparison.of(
    neighbour,
    {
      prepare: async () => {
        callers = await newCallers(service, cluster, path);
      },
      quiet: () => {
        const over = pause(PHASE_MS);
        const bodies = [{ description: 'one' }, { description: 'other' }];
        return Promise.all([write([{ 'x-platform-api-key': key }], over), change(other, bodies, over)]);
      },
      faulty: async () => {
        const slow = callers.flatMap(({ header }) =>
          Array.from(
            { length: BODIES_OF_EACH },
            (_, n) => new SlowWrite(urls[n % 2] as string, path, header),
          ),
        );
        const withdrawn = (async () => {
          await pause(PHASE_MS / 4);
          const answers = await Promise.all(callers.map(({ withdraw }) => withdraw()));
          for (const { status, text } of answers) expect(status, text).toBeLessThan(300);
          const at = performance.now();
          await pause((PHASE_MS * 3) / 4);
          return at;
        })();
        const headers = callers.map(({ header }) => header);
        const bodies = [{ roleSlug: 'member' }, { roleSlug: 'admin' }];
        const [sent, at] = await Promise.all([
          write(headers, withdrawn),
          withdrawn,
          change(member, bodies, withdrawn),
        ]);
        const later = sent.filter(each => each.at > at + EFFECTIVE_AFTER_MS);
        expect(later.length).toBeGreaterThan(5);
        expect(later.filter(({ status }) => !REFUSALS.includes(status))).toEqual([]);
        const finished = await Promise.all(slow.map(each => each.finish()));
        expect(finished.filter(status => !REFUSALS.includes(status))).toEqual([]);
      },
    },
    each => each.ratio('median') <= MOST_TIMES.median && each.ratio('p95') <= MOST_TIMES.p95,
  );
  await neighbour.stop();
  await comparison.note('Rights withdrawn while bodies trickle in, and 20 membership changes per second');
  const { body } = await call(instances[0], 'POST', `${path}/data/query`, {
    body: { filter: { mark: 'stolen' }, limit: 1 },
  });
  expect(body.records).toEqual([]);
  expect(neighbour.failed).toEqual([]);
  expect(comparison.ratio('median'), `${comparison}`).toBeLessThanOrEqual(MOST_TIMES.median);
  expect(comparison.ratio('p95'), `${comparison}`).toBeLessThanOrEqual(MOST_TIMES.p95);
  await service.end();
});
