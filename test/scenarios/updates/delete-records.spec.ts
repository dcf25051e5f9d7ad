import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  expire,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  search,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

describe('POST /v1/collections/{collection_id}/data/delete', () => {
  let app: TestApp;
  let careful: TestApp;
  let home: Home;
  beforeAll(async () => {
    careful = await startApp();
    app = await startOwnApp({
      database: { url: careful.settings.DATABASE_URL as string },
      environment: { ALLOW_BULK_DELETE: 'true' },
    });
    const { org } = await newHome(app);
    // A key, because a token is valid only at the instance that issued it.
    home = { org, owner: { key: (await newKey(app, org)).apiKey } };
  });
  afterAll(() => app.close());

  const remove = ({ data, owner }: TestCollection, body: unknown, instance = app) =>
    instance.request('POST', `${data}/delete`, { ...owner, body });
  const shelf = async (...records: object[]) => {
    const collection = await newTypedCollection(app, home);
    return { collection, ids: await insert(app, collection, ...records) };
  };
  const left = async (collection: TestCollection) =>
    (await search(app, collection)).records.map(({ year }: { year: number }) => year);

  it('deletes the records that match the filter, and no others, with one event', async () => {
    const { collection, ids } = await shelf({ year: 1, f: 'a' }, { year: 2, f: 'b' }, { year: 3, f: 'a' });
    const answer = await remove(collection, { filter: { f: 'a' } });
    expect([answer.status, answer.body]).toEqual([200, { deleted_count: 2 }]);
    expect(await left(collection)).toEqual([2]);
    expect((await eventsOf(app, collection)).slice(2)).toMatchObject([
      {
        type: 'collections.records.deleted',
        target: { type: 'collection', id: collection.id, name: collection.name },
        count: 2,
        record_ids: [ids[0], ids[2]],
        correlation_id: answer.headers.get('x-correlation-id'),
      },
    ]);
  });

  it('needs the right to read, as all writes that search', async () => {
    const { collection, ids } = await shelf({ year: 1, title: 'secret' });
    const scopes = [`collections:${collection.id}`];
    const keyWith = async (...permissions: string[]) =>
      (await newKey(app, home.org, { permissions, scopes })).apiKey;
    const [writer, both] = [
      await keyWith('collections:write'),
      await keyWith('collections:write', 'collections:read'),
    ];
    const { data, path } = collection;
    const filter = { title: { $regex: '^s' } };
    const change = [{ update: { _id: ids[0], if_match: '"1-x"', update: { year: 2 } } }];
    const now = new Date().toISOString();
    const searches: [string, string, object][] = [
      ['PATCH', data, { filter, update: { year: 1 }, dry_run: true }],
      ['PATCH', data, { filter, update: { year: 1 } }],
      ['POST', `${data}/upsert`, { data: { title: 'secret', year: 1 }, match_fields: ['title'] }],
      ['POST', `${data}/batch`, { operations: change }],
      ['POST', `${data}/batch`, { operations: [{ insert: { year: 3 } }], dry_run: true }],
      ['POST', `${path}/undo`, { actor: { type: 'key', id: ids[0] }, since: now, dry_run: true }],
      ['POST', `${data}/delete`, { filter, dry_run: true }],
      ['POST', `${data}/delete`, { filter }],
    ];
    const before = await written(app, collection);
    for (const [method, at, body] of searches) {
      const refused = await app.request(method, at, { key: writer, body });
      expect([refused.status, refused.body.message]).toEqual([
        403,
        'This needs the permission collections:read.',
      ]);
    }
    expect(await written(app, collection)).toEqual(before);
    for (const [method, at, body] of searches) {
      expect((await app.request(method, at, { key: both, body })).text).not.toContain('collections:read');
    }
    const blind = await app.request('POST', data, { key: writer, body: { records: { year: 4 } } });
    expect(blind.status).toBe(200);
    const update = { operations: [{ update: { _id: blind.body.ids[0], update: { year: 5 } } }] };
    expect((await app.request('POST', `${data}/batch`, { key: writer, body: update })).status).toBe(200);
  });

  it('needs the right to read for a restore that searches and for the values in refusals of indexes', async () => {
    const { collection } = await shelf({ title: 'secret' }, { title: 'secret' });
    const scopes = [`collections:${collection.id}`];
    const keyWith = async (...permissions: string[]) =>
      (await newKey(app, home.org, { permissions, scopes })).apiKey;
    const [manager, both] = [
      await keyWith('collections:manage'),
      await keyWith('collections:manage', 'collections:read'),
    ];
    const as_of = new Date().toISOString();
    const restore = (key: string, body: object) =>
      app.request('POST', `${collection.path}/restore`, { key, body: { as_of, ...body } });
    for (const body of [
      { filter: { title: 'secret' }, dry_run: true },
      { filter: { title: 'x' } },
      { dry_run: true },
    ]) {
      const refused = await restore(manager, body);
      expect([refused.status, refused.body.message]).toEqual([
        403,
        'This needs the permission collections:read.',
      ]);
      expect((await restore(both, body)).status).toBe(200);
    }
    expect((await restore(manager, {})).status).toBe(200);
    for (const body of [
      { uniques: [{ properties: ['title'] }] },
      { uniques: [{ properties: ['title'] }], dry_run: true },
    ]) {
      const apply = (key: string) => app.request('POST', `${collection.path}/indexes`, { key, body });
      expect((await apply(both)).text).toContain('secret');
      const refused = await apply(manager);
      expect([refused.status, refused.body.details]).toEqual([
        422,
        [{ properties: ['title'], count: 2, ids: expect.any(Array) }],
      ]);
      expect(refused.text).not.toContain('secret');
    }
  });

  it('deletes nothing and writes no event if no record matches', async () => {
    const { collection } = await shelf({ year: 1 });
    const before = await written(app, collection);
    expect((await remove(collection, { filter: { year: 2 } })).body).toEqual({ deleted_count: 0 });
    expect(await written(app, collection)).toEqual(before);
  });

  it('empties the collection only with allow_match_all', async () => {
    const { collection } = await shelf({ year: 1 }, { year: 2 });
    const before = await written(app, collection);
    for (const filter of [{}, { $and: [{}] }]) {
      expect(outcome(await remove(collection, { filter }))).toEqual([400, 'InvalidArguments']);
    }
    expect(await written(app, collection)).toEqual(before);
    expect((await remove(collection, { filter: {}, allow_match_all: true })).body).toEqual({
      deleted_count: 2,
    });
    expect(await left(collection)).toEqual([]);
  });

  it('deletes up to max_affected records, and none if one more matches', async () => {
    const { collection } = await shelf({ year: 1 }, { year: 2 });
    const before = await written(app, collection);
    for (const dry_run of [true, false]) {
      const answer = await remove(collection, { filter: { year: { $gt: 0 } }, max_affected: 1, dry_run });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.details).toEqual({ max_affected: 1 });
    }
    expect(await written(app, collection)).toEqual(before);
    expect(
      (await remove(collection, { filter: { year: { $gt: 0 } }, max_affected: 2 })).body.deleted_count,
    ).toBe(2);
  });

  it('reports the outcome with dry_run, and deletes nothing', async () => {
    const { collection } = await shelf({ year: 1 }, { year: 2 });
    const before = await written(app, collection);
    const answer = await remove(collection, { filter: { year: 1 }, dry_run: true });
    expect([answer.status, answer.body]).toEqual([200, { deleted_count: 1, dry_run: true }]);
    expect(await written(app, collection)).toEqual(before);
  });

  it('ignores expired records', async () => {
    const { collection, ids } = await shelf({ year: 1 }, { year: 2 });
    await expire(app, collection, ids[0] as string);
    const body = { filter: {}, allow_match_all: true, max_affected: 1 };
    expect((await remove(collection, { ...body, dry_run: true })).body.deleted_count).toBe(1);
    expect((await remove(collection, body)).body).toEqual({ deleted_count: 1 });
    expect((await eventsOf(app, collection)).at(-1)?.record_ids).toEqual([ids[1]]);
  });

  it('is disabled unless ALLOW_BULK_DELETE is true: 403 whatever the body, 404 for strangers', async () => {
    const { collection } = await shelf({ year: 1 });
    const before = await written(app, collection);
    for (const body of [
      { filter: { year: 1 } },
      { filter: { year: 1 }, dry_run: true },
      { nonsense: 1 },
      [],
    ]) {
      expect(outcome(await remove(collection, body, careful))).toEqual([403, 'Forbidden']);
    }
    for (const request of [{ raw: '{"filter":' }, { raw: 'x', headers: { 'content-type': 'text/plain' } }]) {
      const answer = await careful.request('POST', `${collection.data}/delete`, {
        ...collection.owner,
        ...request,
      });
      expect(outcome(answer)).toEqual([403, 'Forbidden']);
    }
    const { owner } = await newHome(careful);
    const answer = await remove({ ...collection, owner }, { filter: { year: 1 } }, careful);
    expect(outcome(answer)).toEqual([404, 'CollectionNotFound']);
    expect(await written(app, collection)).toEqual(before);
  });

  it.each<[string, unknown]>([
    ['no filter', {}],
    ['a filter that is a list', { filter: [] }],
    ['an unknown operator', { filter: { a: { $foo: 1 } } }],
    ['an unknown property', { filter: { a: 1 }, limit: 1 }],
    ['max_affected of half a record', { filter: { a: 1 }, max_affected: 0.5 }],
    ['a list', [{ filter: { a: 1 } }]],
  ])('refuses %s', async (_, body) => {
    const { collection } = await shelf({ a: 1 });
    const before = await written(app, collection);
    expect(outcome(await remove(collection, body))).toEqual([400, 'InvalidArguments']);
    expect(await written(app, collection)).toEqual(before);
  });

  it('deletes each record once when many requests delete at once', async () => {
    const { collection } = await shelf(...Array.from({ length: 30 }, (_, n) => ({ year: n })));
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => remove(collection, { filter: { year: { $gte: 0 } } })),
    );
    expect(answers.reduce((sum, { body }) => sum + body.deleted_count, 0)).toBe(30);
    const events = (await eventsOf(app, collection)).filter(({ type }) => type.endsWith('deleted'));
    expect(events.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(30);
  });
});
