import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../app/app.js';
import { roundTrips } from '../../app/round-trips.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../builders/collection.js';

const TIMES = 20;
/** What an instance asks meanwhile for itself, its heartbeat for example. */
const OF_ITS_OWN = 8;
const MISSING = '019f0000-0000-7000-8000-000000000000';

describe('what a refusal costs', () => {
  let app: TestApp;
  let home: Home;
  let collection: TestCollection;
  let stranger: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    collection = await newCollection(app, home, {
      properties: { k: { type: 'integer' } },
      uniques: [{ properties: ['k'] }],
    });
    await insert(app, collection, { k: 1 });
    stranger = await newCollection(app, await newHome(app));
  });

  /** Connections taken for the same request many times: reads by id go over the pipeline, which takes none. */
  const tripsOf = async (
    method: string,
    path: string,
    body: unknown,
    expected: [number, string | undefined],
  ) => {
    const send = async () =>
      app.request(method, path, { ...home.owner, ...(body !== undefined && { body }) });
    await send();
    return roundTrips(app, async () => {
      for (let n = 0; n < TIMES; n++) expect(outcome(await send())).toEqual(expected);
    });
  };
  const data = (rest: string) => `${collection.data}${rest}`;

  it('a missing record is proven by the one read that did not find it', async () => {
    const trips = await tripsOf('GET', data(`/${MISSING}`), undefined, [404, 'RecordNotFound']);
    expect(trips).toBeLessThanOrEqual(OF_ITS_OWN);
  });

  it.each<[string, string, unknown, [number, string]]>([
    ['DELETE', `/${MISSING}`, undefined, [404, 'RecordNotFound']],
    ['PATCH', `/${MISSING}`, { a: 1 }, [404, 'RecordNotFound']],
    ['POST', '/query', { filter: { k: { $where: 1 } } }, [400, 'InvalidArguments']],
    ['POST', '/query', { filter: { k: { $in: 1 } } }, [400, 'InvalidArguments']],
    ['POST', '', { records: { k: 'no' } }, [400, 'InvalidArguments']],
    ['POST', '', { records: { k: 1 } }, [409, 'AlreadyExists']],
  ])('%s %s with %o is one round trip', async (method, path, body, expected) => {
    expect(await tripsOf(method, data(path), body, expected)).toBeLessThanOrEqual(TIMES + OF_ITS_OWN);
  });

  it('a full collection refuses after a look that the version check has proven', async () => {
    const full = await newCollection(app, home, { settings: { max_records: 1 } });
    await insert(app, full, {});
    const trips = await tripsOf('POST', full.data, { records: {} }, [422, 'CollectionFull']);
    expect(trips).toBeLessThanOrEqual(2 * TIMES + OF_ITS_OWN);
  });

  it.each<[string, string, unknown]>([
    ['GET', '', undefined],
    ['GET', `/data/${MISSING}`, undefined],
    ['POST', '/data/query', {}],
    ['POST', '/data', { records: {} }],
    ['PATCH', `/data/${MISSING}`, { a: 1 }],
    ['DELETE', `/data/${MISSING}`, undefined],
  ])('%s %s costs the same for a collection of others and for none', async (method, rest, body) => {
    const unknown = `/v1/collections/${MISSING}${rest}`;
    const known = `${stranger.path}${rest}`;
    const refused: [number, string] = [404, 'CollectionNotFound'];
    const [ofOthers, ofNone] = [
      await tripsOf(method, known, body, refused),
      await tripsOf(method, unknown, body, refused),
    ];
    expect(Math.abs(ofOthers - ofNone)).toBeLessThanOrEqual(OF_ITS_OWN);
  });
});
