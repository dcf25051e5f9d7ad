import { expect, it } from 'vitest';
import { Comparison } from '../support/comparison.js';
import { Neighbour } from '../support/neighbour.js';
import { send, smallInstance } from './small-instance.js';

/** Almost the maximum of a request body. */
const BODY_BYTES = 9_800_000;
const AT_ONCE = 10;
/** Five times as many bodies at once may make half of the requests take so many times as long. */
const MOST_TIMES = 3;

/** The JSON of bodies near the limit: one long text, many records, as many objects as fit into memory, a long text to look for. */
const BODIES: Readonly<Record<string, readonly [below: string, body: () => string]>> = {
  'a record of one text': ['/data', () => `{"records":[{"text":"${'x'.repeat(BODY_BYTES)}"}]}`],
  'a bulk insert': ['/data/bulk', () => recordsOf(4_900, bytes => `{"text":"${'x'.repeat(bytes - 12)}"}`)],
  'a bulk insert of many objects': [
    '/data/bulk',
    () => recordsOf(10, bytes => `{"text":"${'x'.repeat(bytes - 120_050)}","a":[${'{},'.repeat(39_999)}{}]}`),
  ],
  'a filter': ['/data/query', () => `{"filter":{"text":"${'y'.repeat(BODY_BYTES)}"}}`],
};

function recordsOf(count: number, record: (bytes: number) => string): string {
  return `{"records":[${Array.from({ length: count }, () => record(Math.floor(BODY_BYTES / count) - 1)).join(',')}]}`;
}

it('a process of 256 MB survives many bodies of the maximum size at once, no request of another organization fails, and half of them take at most 3 times as long as besides one such body at a time', async () => {
  const { instance, key, token } = await smallInstance();
  const headers = { 'x-platform-api-key': key, 'content-type': 'application/json' };
  const made = await send(instance.url, headers, {
    method: 'POST',
    path: '/v1/collections',
    body: { name: 'large', settings: { max_records: 10_000_000 } },
  });
  const path = `/v1/collections/${JSON.parse(made.text).collection_id}`;
  const bodies = Object.entries(BODIES).map(([name, [below, body]]) => ({ name, below, body: body() }));
  const neighbour = await Neighbour.start({ urls: [instance.url], token });
  const exchange = async ({ name, below, body }: (typeof bodies)[number]) => {
    const answer = await fetch(instance.url + path + below, { method: 'POST', headers, body }).catch(
      error => {
        throw new Error(`${name}: ${error.cause ?? error}\n${instance.log().slice(-2_000)}`);
      },
    );
    const text = await answer.text();
    expect([200, 201, 503], `${name}: ${text.slice(0, 300)}`).toContain(answer.status);
    if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    return answer.status;
  };
  // Each empty object has three bytes and takes 64 in memory.
  const objects = recordsOf(20, bytes => `{"a":[${'{},'.repeat(bytes / 3 - 4)}{}]}`);
  const refused = await fetch(`${instance.url}${path}/data/bulk`, { method: 'POST', headers, body: objects });
  expect([refused.status, instance.alive()]).toEqual([413, true]);
  await refused.text();
  const statuses: number[] = [];
  const comparison = await Comparison.of(
    neighbour,
    {
      quiet: async () => {
        for (const each of bodies) expect(await exchange(each)).toBeLessThan(300);
      },
      faulty: async () => {
        for (const each of bodies) {
          statuses.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => exchange(each)))));
          expect(instance.alive(), `${each.name}: ${instance.log().slice(-2_000)}`).toBe(true);
        }
      },
    },
    each => each.ratio('median') <= MOST_TIMES,
  );
  await neighbour.stop();
  await comparison.note(`${AT_ONCE} bodies of the maximum size at once, for a process of 256 MB`);
  expect(statuses.filter(status => status < 300).length).toBeGreaterThan(statuses.length / 4);
  expect(neighbour.failed).toEqual([]);
  expect(comparison.ratio('median'), `${comparison}`).toBeLessThanOrEqual(MOST_TIMES);
  await instance.stop();
}, 600_000);
