import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { type Home, newCollection, outcome, search, type TestCollection } from '../../harness/collection.js';
import { startTwoInstances } from '../../harness/two-instances.js';
import { importFile, NDJSON } from '../transfer/transfer.js';

/** JSON texts that represent the same value in different ways. */
const SAME = ['{"k":{"a":1,"b":[2.0,{"x":null,"y":1e2}]}}', '{"k":{"b":[2,{"y":100,"x":null}],"a":1.0}}'];

describe('keys of upserts', () => {
  let app: TestApp;
  let second: TestApp;
  let home: Home;
  beforeAll(async () => {
    ({ app, second, home } = await startTwoInstances());
  });
  afterAll(() => second.close());

  const keyed = (type: string) =>
    newCollection(app, home, { properties: { k: { type } }, uniques: [{ properties: ['k'] }] });
  const send = ({ data, owner }: TestCollection, path: string, raw: string, instance = app) =>
    instance.request('POST', `${data}${path}`, {
      ...owner,
      raw,
      headers: { 'content-type': 'application/json' },
    });
  const all = async (collection: TestCollection) =>
    (await search(app, collection, { limit: 100, with_total: true })) as { total: number; records: object[] };

  it.each([
    ['array', '{"k":["a","b"],"n":1}', '{"k":["a","b"],"m":2}'],
    ['json', `{"n":1,${SAME[0]?.slice(1)}`, `{"m":2,${SAME[1]?.slice(1)}`],
  ])(
    'of the type %s are compared by value in a bulk upsert, and the later record wins',
    async (type, one, other) => {
      const collection = await keyed(type);
      for (let time = 0; time < 2; time++) {
        const answer = await send(collection, '/bulk', `{"upsert_key":"k","records":[${one},${other}]}`);
        expect(outcome(answer)).toEqual([201, undefined]);
        expect(await all(collection)).toMatchObject({ total: 1, records: [{ n: 1, m: 2 }] });
      }
    },
  );

  it('are compared by value in an import', async () => {
    const collection = await keyed('json');
    const lines = SAME.map((line, n) => `{"n${n}":${n},${line.slice(1)}`);
    const query = { mode: 'upsert', upsert_key: 'k' };
    for (const inserted of [1, 0]) {
      const { last } = await importFile(app, collection, lines.join('\n'), { type: NDJSON, query });
      expect(last).toMatchObject({ ok: true, inserted });
    }
    expect(await all(collection)).toMatchObject({ total: 1, records: [{ n0: 0, n1: 1 }] });
  });

  it('are compared by value when refused rows are named', async () => {
    const collection = await keyed('json');
    const answer = await send(collection, '/bulk', `{"records":[{"k":1},${SAME.join()}]}`);
    expect(outcome(answer)).toEqual([422, 'ConstraintViolation']);
    expect(answer.body.details).toEqual([{ row: 2, column: 'k', properties: ['k'] }]);
    expect((await all(collection)).total).toBe(0);
  });

  it.each(['json', 'array', undefined])(
    'of the type %s make one record of many upserts at once, over two instances',
    async type => {
      const collection = await newCollection(
        app,
        home,
        type === undefined ? {} : { properties: { k: { type } } },
      );
      const values = type === 'array' ? ['{"k":["a","b"]}', '{"k": ["a", "b"]}'] : SAME;
      const answers = await Promise.all(
        Array.from({ length: 25 }, (_, key) =>
          [0, 1].map(n => {
            const data = `{"key":${key},${values[n]?.slice(1)}`;
            const raw = `{"data":${data},"match_fields":${n === 0 ? '["key","k"]' : '["k","key"]'}}`;
            return send(collection, '/upsert', raw, n === 0 ? app : second);
          }),
        ).flat(),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect((await all(collection)).total).toBe(25);
    },
  );
});
