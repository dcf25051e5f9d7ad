import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  eventsOf,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';

describe('GET /v1/collections/{collection_id}/data/{record_id}', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
  });

  const get = (id: string, { data, owner } = books) => app.request('GET', `${data}/${id}`, owner);

  it('returns one record as a whole, system fields first', async () => {
    const [id] = await insert(app, books, EMMA);
    const { status, body } = await get(id as string);
    expect([status, body.found]).toEqual([200, true]);
    expect(Object.keys(body)).toEqual(['found', 'record']);
    expect(Object.keys(body.record).slice(0, 3)).toEqual(['_id', 'created_at', 'updated_at']);
    expect(body.record).toMatchObject({ _id: id, ...EMMA });
    expect(Object.keys(body.record)).not.toContain('expires_at');
  });

  it('finds it by its id in capital letters', async () => {
    const [id] = await insert(app, books, EMMA);
    expect((await get((id as string).toUpperCase())).body.record._id).toBe(id);
  });

  it('returns the same 404 for an unknown, a malformed and a deleted id, and one of another collection', async () => {
    const other = await newTypedCollection(app, home);
    const [[foreign], [gone]] = [await insert(app, other, EMMA), await insert(app, books, EMMA)];
    await app.request('DELETE', `${books.data}/${gone}`, home.owner);
    const texts = new Set<string>();
    for (const id of [randomUUID(), 'x', foreign, gone, '%20', '1', "'; DROP TABLE x; --", 'null', '%00']) {
      const answer = await get(encodeURI(decodeURI(id as string)));
      expect(outcome(answer)).toEqual([404, 'RecordNotFound']);
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
  });

  it('writes no event', async () => {
    const collection = await newTypedCollection(app, home);
    const [id] = await insert(app, collection, EMMA);
    await get(id as string, collection);
    expect(await eventsOf(app, collection)).toHaveLength(2);
  });
});
