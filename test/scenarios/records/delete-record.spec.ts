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
  read,
  search,
  type TestCollection,
  written,
} from '../../harness/collection.js';

describe('DELETE /v1/collections/{collection_id}/data/{record_id}', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home, { uniques: [{ properties: ['title'] }] });
  });

  const remove = (id: string | undefined, { data, owner } = books) =>
    app.request('DELETE', `${data}/${id}`, owner);

  it('deletes one record and leaves one event', async () => {
    const collection = await newTypedCollection(app, home);
    const [first, second] = await insert(app, collection, EMMA, { title: 'Ulysses' });
    const answer = await remove(first, collection);
    expect([answer.status, answer.body]).toEqual([200, { deleted_count: 1 }]);
    expect((await search(app, collection)).records).toMatchObject([{ _id: second }]);
    expect((await eventsOf(app, collection)).slice(2)).toMatchObject([
      {
        type: 'collections.records.deleted',
        count: 1,
        record_ids: [first],
        correlation_id: answer.headers.get('x-correlation-id'),
      },
    ]);
  });

  it('frees its unique values', async () => {
    const [id] = await insert(app, books, { title: 'once' });
    await remove(id);
    expect(await insert(app, books, { title: 'once' })).toHaveLength(1);
  });

  it('returns 404 the second time; one of several concurrent requests succeeds, with one event', async () => {
    const [id] = await insert(app, books, {});
    const [, events] = await written(app, books);
    const answers = await Promise.all([1, 2, 3, 4].map(() => remove(id)));
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 404, 404, 404]);
    expect(outcome(await remove(id))).toEqual([404, 'RecordNotFound']);
    expect((await written(app, books))[1]).toBe(events + 1);
  });

  it('returns 404 for an unknown, malformed or foreign id, without an event', async () => {
    const other = await newTypedCollection(app, home);
    const [foreign] = await insert(app, other, EMMA);
    const count = await written(app, books);
    for (const id of [randomUUID(), 'x', foreign])
      expect(outcome(await remove(id))).toEqual([404, 'RecordNotFound']);
    expect(await written(app, books)).toEqual(count);
    expect(await read(app, other, foreign as string)).toBeDefined();
  });
});
