import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { batch, tagOf } from './batch.js';

describe('with_etags', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  let ids: string[];
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    ids = await insert(
      app,
      books,
      { title: 'Emma', details: { a: 1, b: 2 } },
      { title: 'Persuasion', shelf: 7 },
    );
  });

  it.each<[string, object]>([
    ['whole records', {}],
    ['pages by cursor', { cursor: '', sort: { title: -1 } }],
    ['records with a total', { with_total: true }],
    ['some fields', { fields: { title: 1 } }],
    ['a part of a field', { fields: { 'details.a': 1, _id: 1 } }],
    ['all fields but parts of one', { fields: { 'details.a': 0 } }],
  ])('gives %s the ETag of getRecord as _etag, and changes nothing else', async (_, query) => {
    const plain = await search(app, books, query);
    const tagged = await search(app, books, { ...query, with_etags: true });
    expect(tagged.records).toHaveLength(2);
    for (const { _id, _etag } of tagged.records) expect(_etag).toBe(await tagOf(app, books, _id));
    const rest = tagged.records.map(({ _etag, ...record }: { _etag: string }) => record);
    expect(rest).toEqual(plain.records);
    expect(tagged.total).toBe(plain.total);
  });

  it('works for records without any field that is shown, and in the query string', async () => {
    const { records } = await search(app, books, { fields: { _id: 0, nothing: 1 }, with_etags: true });
    const tags = await Promise.all(ids.map(id => tagOf(app, books, id)));
    expect(records).toEqual(tags.map(_etag => ({ _etag })));
    const { body } = await app.request('GET', `${books.data}?with_etags=true`, home.owner);
    expect(body.records[0]._etag).toBe(await tagOf(app, books, ids[0] as string));
    expect(outcome(await app.request('GET', `${books.data}?with_etags=1`, home.owner))).toEqual([
      400,
      'InvalidArguments',
    ]);
  });

  it('is the if_match of a batch', async () => {
    const { records } = await search(app, books, { with_etags: true });
    const operations = records.map(({ _id, _etag }: { _id: string; _etag: string }) => ({
      update: { _id, if_match: _etag, update: { year: 1 } },
    }));
    expect((await batch(app, books, operations)).status).toBe(200);
    expect(outcome(await batch(app, books, operations))).toEqual([409, 'BatchConflict']);
  });
});
