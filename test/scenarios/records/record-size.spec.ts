import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp, type TestResponse } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  read,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { importFile } from '../transfer/transfer.js';

/** Each is nine megabytes of JSON, so that a record has room for one of them. */
const LONG = {
  text: 'x'.repeat(9_000_000),
  'text of control characters': '\u0001'.repeat(1_500_000),
  list: ['x'.repeat(9_000_000)],
};

describe('a record of more than 16 MiB', () => {
  let app: TestApp;
  let home: Home;
  let collection: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    const text = { type: 'text' };
    collection = await newCollection(app, home, {
      properties: { key: text, text, more: text, list: { type: 'array' } },
      uniques: [{ properties: ['key'] }],
    });
  });

  const send = (method: string, path: string, body: object) =>
    app.request(method, collection.data + path, { ...collection.owner, body });

  /** A digest of the whole row, because reading the record takes seconds. */
  const digestOf = async (id: string) =>
    (await app.sql(`SELECT md5(t::text) AS digest FROM ${collection.table} t WHERE _id = $1`, [id]))[0]
      .digest;

  const doors: Record<string, (key: string, id: string, fields: object) => Promise<TestResponse>> = {
    'an update': (_, id, fields) => send('PATCH', `/${id}`, fields),
    'an update by filter': (key, _, fields) =>
      send('PATCH', '', { filter: { key }, update: { $set: fields } }),
    'a batch': (_, id, fields) =>
      send('POST', '/batch', { operations: [{ update: { _id: id, update: fields } }] }),
    'an upsert': (key, _, fields) =>
      send('POST', '/upsert', { data: { key, ...fields }, match_fields: ['key'] }),
    'a bulk upsert': (key, _, fields) =>
      send('POST', '/bulk', { upsert_key: 'key', records: [{ key, ...fields }] }),
    'an import': (key, _, fields) =>
      importFile(app, collection, `${JSON.stringify({ key, ...fields })}\n`, {
        type: 'application/x-ndjson',
        query: { mode: 'upsert', upsert_key: 'key' },
      }),
  };

  /** The first write is tried with each kind of value, the others in turn with one, because each takes seconds. */
  const valuesFor = (door: string, all = Object.entries(LONG)) => {
    const n = Object.keys(doors).indexOf(door);
    return n === 0 ? all : all.slice(n % all.length).slice(0, 1);
  };

  it.each(Object.keys(doors))(
    'is refused where %s adds to its columns',
    async door => {
      const write = doors[door] as (typeof doors)[string];
      for (const [what, value] of valuesFor(door)) {
        const key = `${door} ${what}`;
        const field = what === 'list' ? 'list' : 'text';
        const [id] = (await insert(app, collection, { key, [field]: value })) as [string];
        const before = [await digestOf(id), await written(app, collection)];
        const answer = await write(key, id, { more: LONG.text });
        expect([what, ...outcome(answer)]).toEqual([
          what,
          ...(door === 'a batch' ? [422, 'BatchRejected'] : [400, 'InvalidArguments']),
        ]);
        expect(answer.body.message).toContain('16 MiB');
        expect([await digestOf(id), await written(app, collection)]).toEqual(before);
        expect((await write(key, id, { more: LONG.text, [field]: null })).status).toBeLessThan(300);
        expect(await read(app, collection, id)).toMatchObject({ key, more: LONG.text, [field]: null });
      }
    },
    120_000,
  );
});
