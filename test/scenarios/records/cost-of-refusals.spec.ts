import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  insert,
  newCollection,
  newHome,
  newName,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { databaseUse, roundTrips } from '../../harness/round-trips.js';
import { newMember } from '../orgs/org.js';

const TIMES = 20;
/** For credentials, which are verified again every five seconds. */
const VERIFICATIONS = 6;
const MISSING = '019f0000-0000-7000-8000-000000000000';

describe('the cost of a refusal', () => {
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

  /** Counts connections used by many repetitions of a request. Reads by id use the pipeline, which takes none. */
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

  it('a missing record needs only the read that did not find it', async () => {
    const trips = await tripsOf('GET', data(`/${MISSING}`), undefined, [404, 'RecordNotFound']);
    expect(trips).toBeLessThanOrEqual(VERIFICATIONS);
  });

  it.each<[string, string, unknown, [number, string]]>([
    ['DELETE', `/${MISSING}`, undefined, [404, 'RecordNotFound']],
    ['PATCH', `/${MISSING}`, { a: 1 }, [404, 'RecordNotFound']],
    ['POST', '/query', { filter: { k: { $where: 1 } } }, [400, 'InvalidArguments']],
    ['POST', '/query', { filter: { k: { $in: 1 } } }, [400, 'InvalidArguments']],
    ['POST', '', { records: { k: 'no' } }, [400, 'InvalidArguments']],
    ['POST', '', { records: { k: 1 } }, [409, 'AlreadyExists']],
  ])('%s %s with %o is one round trip', async (method, path, body, expected) => {
    expect(await tripsOf(method, data(path), body, expected)).toBeLessThanOrEqual(TIMES + VERIFICATIONS);
  });

  it('a full collection refuses after one check, which the version check confirms', async () => {
    const full = await newCollection(app, home, { settings: { max_records: 1 } });
    await insert(app, full, {});
    const trips = await tripsOf('POST', full.data, { records: {} }, [422, 'CollectionFull']);
    expect(trips).toBeLessThanOrEqual(2 * TIMES + VERIFICATIONS);
  });

  it.each<[string, string, unknown]>([
    ['GET', '', undefined],
    ['GET', `/data/${MISSING}`, undefined],
    ['POST', '/data/query', {}],
    ['POST', '/data', { records: {} }],
    ['PATCH', `/data/${MISSING}`, { a: 1 }],
    ['DELETE', `/data/${MISSING}`, undefined],
  ])(
    '%s %s costs the same for a collection of others and for one that does not exist',
    async (method, rest, body) => {
      const unknown = `/v1/collections/${MISSING}${rest}`;
      const known = `${stranger.path}${rest}`;
      const refused: [number, string] = [404, 'CollectionNotFound'];
      const [ofOthers, ofNone] = [
        await tripsOf(method, known, body, refused),
        await tripsOf(method, unknown, body, refused),
      ];
      expect(Math.abs(ofOthers - ofNone)).toBeLessThanOrEqual(VERIFICATIONS);
    },
  );

  /** The cost of a refusal: connections of the pool, and statements in the pipeline. */
  const costOf = async (method: string, path: string, body: unknown, caller: Caller, code: string) => {
    const send = () =>
      app.request(method, path, { ...caller, ...(body !== undefined && { body }) }).then(outcome);
    await send();
    return databaseUse(app, async () => {
      for (let n = 0; n < TIMES; n++) expect(await send()).toEqual([404, code]);
    });
  };
  const expectSameCost = async (
    [method, body]: [string, unknown],
    [foreign, absent]: [string, string],
    caller: Caller,
    code: string,
  ) => {
    const [ofForeign, ofAbsent] = [
      await costOf(method, foreign, body, caller, code),
      await costOf(method, absent, body, caller, code),
    ];
    expect(ofAbsent.pooled + ofAbsent.piped).toBeGreaterThanOrEqual(TIMES);
    expect(Math.abs(ofForeign.pooled - ofAbsent.pooled)).toBeLessThanOrEqual(VERIFICATIONS);
    expect(Math.abs(ofForeign.piped - ofAbsent.piped)).toBeLessThanOrEqual(VERIFICATIONS);
  };

  it.each<[string, unknown]>([
    ['GET', undefined],
    ['PATCH', { a: 1 }],
    ['DELETE', undefined],
  ])(
    '%s costs the same for a record of another collection and for one that does not exist',
    async (method, body) => {
      const [foreign] = await insert(app, stranger, {});
      await expectSameCost(
        [method, body],
        [data(`/${foreign}`), data(`/${MISSING}`)],
        home.owner,
        'RecordNotFound',
      );
    },
  );

  it.each<[string, string, unknown]>([
    ['GET', '', undefined],
    ['GET', `/data/${MISSING}`, undefined],
    ['POST', '/data/query', {}],
    ['POST', '/data', { records: {} }],
  ])(
    '%s %s costs the same for a collection without access and for one that does not exist',
    async (method, rest, body) => {
      const colleague = { token: (await newMember(app, home.org)).token };
      const hidden = await newCollection(app, { ...home, owner: colleague });
      const caller = { token: (await newMember(app, home.org)).token };
      const at = (reference: string) => `/v1/collections/${reference}${rest}`;
      const how: [string, unknown] = [method, body];
      await expectSameCost(how, [at(hidden.name), at(newName())], caller, 'CollectionNotFound');
      await expectSameCost(how, [at(stranger.name), at(newName())], caller, 'CollectionNotFound');
      await expectSameCost(how, [at(hidden.id), at(MISSING)], caller, 'CollectionNotFound');
    },
  );
});
