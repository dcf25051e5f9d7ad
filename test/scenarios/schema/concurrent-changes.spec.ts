import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, type TestCollection } from '../../harness/collection.js';
import { startTwoInstances } from '../../harness/two-instances.js';
import { changeSchema } from './database.js';

const on = (...properties: string[]) => ({ properties });

describe('a collection that changes while clients read and write', () => {
  let app: TestApp;
  let second: TestApp;
  let home: Home;
  beforeAll(async () => {
    ({ app, second, home } = await startTwoInstances());
  });
  afterAll(() => second?.close());

  const newBusyCollection = async () => {
    const collection = await newCollection(app, home, { settings: { max_records: 100_000 } });
    await insert(
      app,
      collection,
      ...Array.from({ length: 900 }, (_, at) => ({ n: at, score: at, seen: at })),
    );
    return collection;
  };

  /**
   * Writes and reads on an instance until `isOver`. Returns the numbers that are stored for good, and unexpected
   * answers.
   */
  const work = async (on: TestApp, { data }: TestCollection, first: number, isOver: () => boolean) => {
    const [stored, wrong]: [number[], string[]] = [[], []];
    const ask = async (method: string, path: string, body: object) => {
      const answer = await on.request(method, path, { ...home.owner, body });
      if (answer.status !== 200) wrong.push(answer.text);
      return answer.body;
    };
    for (let n = first; !isOver(); n++) {
      const { ids } = await ask('POST', data, { records: { n, score: n, seen: 0 } });
      await ask('PATCH', `${data}/${ids?.[0]}`, { seen: n });
      const page = await ask('POST', `${data}/query`, {
        filter: { n: { $gte: first, $lt: first + 1_000_000 } },
        sort: { n: -1 },
        limit: 3,
      });
      if (page.records?.[0]?.n !== n || Number(page.records[0].score) !== n) wrong.push(JSON.stringify(page));
      stored.push(n);
    }
    return { stored, wrong };
  };

  /** Makes the changes one after another while both instances are in use. Returns the numbers that must be stored. */
  const under = async (collection: TestCollection, changes: (() => Promise<void>)[]) => {
    let over = false;
    const workers = [app, second, app, second].map((on, at) =>
      work(on, collection, (at + 1) * 1_000_000, () => over),
    );
    try {
      for (const change of changes) await change();
    } finally {
      over = true;
    }
    const done = await Promise.all(workers);
    expect(done.flatMap(({ wrong }) => wrong)).toEqual([]);
    const numbers = done.flatMap(({ stored }) => stored);
    expect(numbers.length).toBeGreaterThan(0);
    return [...Array.from({ length: 900 }, (_, at) => at), ...numbers].sort((a, b) => a - b);
  };

  it('loses no record and no value, and fails no request, while columns are added and changed', async () => {
    const collection = await newBusyCollection();
    const { table } = collection;
    const change = (properties: object) => async () => {
      const answer = await changeSchema(app, collection, properties);
      expect([answer.status, answer.body.message]).toEqual([200, undefined]);
    };
    const expected = await under(collection, [
      change({ n: { type: 'integer' } }),
      change({ score: { type: 'integer', nullable: false }, more: { type: 'text' } }),
      change({ score: { type: 'double' } }),
      change({ seen: { type: 'json' }, n: { nullable: false } }),
      change({ seen: { type: 'integer' }, score: { nullable: true } }),
    ]);
    // n is column c1, score is c4 since it became a double, seen is c6 since it became an integer.
    const rows = await app.sql(
      `SELECT c1::float8 AS n, c4 AS score, c6::float8 AS seen, x FROM ${table} ORDER BY c1`,
    );
    expect(rows).toEqual(expected.map(n => ({ n, score: n, seen: n, x: {} })));
  });

  it('loses no record and fails no request while indexes are built and dropped', async () => {
    const collection = await newBusyCollection();
    const { path, owner, table } = collection;
    const properties = { n: { type: 'integer' }, score: { type: 'double' } };
    await app.request('PATCH', `${path}/schema`, { ...owner, body: { properties } });
    const change = (body: object) => async () => {
      const answer = await app.request('POST', `${path}/indexes`, { ...owner, body });
      expect([answer.status, answer.body.message]).toEqual([200, undefined]);
    };
    const expected = await under(collection, [
      change({ indexes: [on('n')], uniques: [on('score')] }),
      change({ uniques: [on('n'), on('n', 'score')] }),
      change({ indexes: [on('score', 'n')] }),
    ]);
    const rows = await app.sql(`SELECT c1::float8 AS n, x FROM ${table} ORDER BY c1`);
    expect(rows).toEqual(expected.map(n => ({ n, x: { seen: n } })));
  });
});
