import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  expire,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';

// search-records.spec.ts tests which records a filter finds, and counts them too.
describe('GET /v1/collections/{collection_id}/data/count', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
  });

  const count = (query = '') => app.request('GET', `${books.data}/count${query}`, books.owner);

  it('is exact when records are inserted, deleted and expire', async () => {
    expect((await count()).body).toEqual({ count: 0 });
    const ids = await insert(app, books, ...Array.from({ length: 123 }, (_, n) => ({ year: n % 2 })));
    expect((await count()).body).toEqual({ count: 123 });
    expect((await count('?filter={"year":1}')).body).toEqual({ count: 61 });
    await app.request('DELETE', `${books.data}/${ids[0]}`, books.owner);
    await expire(app, books, ids[1] as string, ids[2] as string);
    expect((await count()).body).toEqual({ count: 120 });
    expect((await count('?filter={"year":1}')).body).toEqual({ count: 60 });
    expect(await eventsOf(app, books)).toHaveLength(3);
  });

  it('takes by POST a filter that is longer than an address may be', async () => {
    const filter = {
      $or: [{ year: 1 }, { title: { $in: Array.from({ length: 3_000 }, (_, n) => `no ${n}`) } }],
    };
    const longer = await app.request('POST', `${books.data}/count`, { ...books.owner, body: { filter } });
    expect([longer.status, longer.body]).toEqual([200, (await count('?filter={"year":1}')).body]);
    const all = await app.request('POST', `${books.data}/count`, { ...books.owner, body: {} });
    expect(all.body).toEqual((await count()).body);
    const unknown = { ...books.owner, body: { limit: 5 } };
    expect(outcome(await app.request('POST', `${books.data}/count`, unknown))).toEqual([
      400,
      'InvalidArguments',
    ]);
  });

  it.each([
    ['filter=x', 'filter'],
    ['filter=[]', 'filter'],
    ['filter={"$where":"1"}', '$where'],
    ['filter={}&filter={}', 'filter'],
    ['limit=5', 'limit'],
    ['field=year', 'field'],
  ])('refuses ?%s', async (query, says) => {
    const answer = await count(`?${query}`);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });
});
