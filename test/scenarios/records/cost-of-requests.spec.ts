import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { databaseUse } from '../../harness/round-trips.js';
import { newRetryKey } from '../idempotency/retry.js';

const TIMES = 20;
/** For credentials, which are verified again every five seconds. */
const VERIFICATIONS = 6;

describe('the cost of a request', () => {
  let app: TestApp;
  let home: Home;
  let collection: TestCollection;
  let id: string;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    const properties = { k: { type: 'integer' } };
    collection = await newCollection(app, home, { properties, indexes: [{ properties: ['k'] }] });
    [id = ''] = await insert(app, collection, { k: 1 });
  });

  /** What so many repetitions use after the first one, which fills the caches. */
  const useOf = async (
    method: string,
    path: string,
    body?: object,
    data = collection.data,
    keyed = false,
  ) => {
    const send = async () => {
      const answer = await app.request(method, data + path, {
        ...home.owner,
        ...(body && { body }),
        ...(keyed && { headers: { 'idempotency-key': newRetryKey() } }),
      });
      expect(answer.status).toBeLessThan(300);
    };
    await send();
    return databaseUse(app, async () => {
      for (let n = 0; n < TIMES; n++) await send();
    });
  };

  it('is one pipelined statement for a read by id', async () => {
    const { pooled, piped } = await useOf('GET', `/${id}`);
    expect(piped).toBeGreaterThanOrEqual(TIMES);
    expect(piped).toBeLessThanOrEqual(TIMES + VERIFICATIONS);
    expect(pooled).toBeLessThanOrEqual(VERIFICATIONS);
  });

  it.each<[string, string, object?]>([
    ['GET', '?limit=5'],
    ['POST', '/query', { filter: { k: 1 }, sort: { k: -1 } }],
    ['POST', '/query', { filter: { city: 'Paris' } }],
    ['GET', '/count'],
    ['POST', '/aggregate', { steps: [{ type: 'count', output_field: 'n' }] }],
  ])('is one round trip for %s %s with %o', async (method, path, body) => {
    const { pooled, piped } = await useOf(method, path, body);
    expect(pooled + piped).toBeGreaterThanOrEqual(TIMES);
    expect(pooled + piped).toBeLessThanOrEqual(TIMES + VERIFICATIONS);
  });

  const writes = (): readonly [string, string, object][] => [
    ['POST', '', { records: { k: 2 } }],
    ['POST', '/bulk', { records: [{ k: 2 }, { k: 3 }] }],
    ['PATCH', `/${id}`, { $inc: { k: 1 } }],
  ];

  it.each([
    ['to the id of a collection', false, false],
    ['to its name', true, false],
    ['to its id, with an Idempotency-Key', false, true],
    ['to its name, with an Idempotency-Key', true, true],
  ])('is one round trip for a write %s', async (_, byName, keyed) => {
    const data = byName ? `/v1/collections/${collection.name}/data` : collection.data;
    for (const [method, path, body] of writes()) {
      const { pooled, piped } = await useOf(method, path, body, data, keyed);
      expect(pooled + piped).toBeGreaterThanOrEqual(TIMES);
      expect(pooled + piped).toBeLessThanOrEqual(TIMES + VERIFICATIONS);
    }
  });
});
