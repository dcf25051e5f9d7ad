import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  eventsOf,
  type Home,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey, newMember } from '../orgs/org.js';

const CHARTS = [
  {
    title: 'By country',
    type: 'bar',
    aggregate: { steps: [{ type: 'count', output_field: 'n' }], group_by: 'c' },
  },
  { zebra: 1, apple: [true, null, 1.5, '€'], middle: { $expr: 'kept', 'a.b': {} } },
];

let app: TestApp;
let home: Home;
let collection: TestCollection;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  collection = await newCollection(app, home);
});

const save = (charts: unknown, { path, owner } = collection, caller: Caller = owner) =>
  app.request('PUT', `${path}/charts`, { ...caller, body: { charts } });
const get = ({ path, owner } = collection, caller: Caller = owner) =>
  app.request('GET', `${path}/charts`, caller);
const versionOf = async ({ id }: TestCollection) =>
  Number((await app.sql('SELECT version FROM collections WHERE id = $1', [id]))[0].version);

describe('the charts of a collection', () => {
  it('are an empty list at first', async () => {
    const fresh = await newCollection(app, home);
    const { status, body } = await get(fresh);
    expect({ status, body }).toEqual({ status: 200, body: { collection_id: fresh.id, charts: [] } });
  });

  it('are stored verbatim, including the order of keys, and replaced as a whole', async () => {
    const saved = await save(CHARTS);
    expect(saved.status).toBe(200);
    expect(saved.body).toEqual({ saved: true, collection_id: collection.id, charts: CHARTS });
    const { body } = await get();
    expect(JSON.stringify(body.charts)).toBe(JSON.stringify(CHARTS));
    const { charts } = (await app.request('GET', collection.path, collection.owner)).body;
    expect(JSON.stringify(charts)).toBe(JSON.stringify(CHARTS));
    await save([{ only: 'one' }]);
    expect((await get()).body.charts).toEqual([{ only: 'one' }]);
    await save([]);
    expect((await get()).body.charts).toEqual([]);
  });

  it('stay when other properties of the collection change', async () => {
    await save(CHARTS);
    await app.request('PATCH', collection.path, { ...collection.owner, body: { description: 'changed' } });
    expect(JSON.stringify((await get()).body.charts)).toBe(JSON.stringify(CHARTS));
  });

  it('may number up to fifty', async () => {
    const fifty = Array.from({ length: 50 }, (_, n) => ({ n }));
    expect((await save(fifty)).body.charts).toEqual(fifty);
  });

  it.each([
    ['more than fifty', Array.from({ length: 51 }, () => ({}))],
    ['a value that is not a list', { title: 'one' }],
    ['null', null],
    ['an entry that is not an object', [{}, 'chart']],
    ['an entry that is a list', [[]]],
    ['an entry that is null', [null]],
    ['a NUL', [{ title: 'a\0b' }]],
    ['a NUL in a name', [{ 'a\0b': 1 }]],
    ['a lone surrogate', [{ title: ['\ud800'] }]],
    ['101 levels', [JSON.parse(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`)]],
  ])('refuse %s and stay unchanged', async (_, charts) => {
    const own = await newCollection(app, home);
    const before = await versionOf(own);
    const refused = await save(charts, own);
    expect(outcome(refused)).toEqual([400, 'InvalidArguments']);
    expect(refused.body.message).toContain('charts');
    expect((await get(own)).body.charts).toEqual([]);
    expect(await versionOf(own)).toBe(before);
    expect((await eventsOf(app, own)).map(event => event.type)).toEqual(['collections.created']);
  });

  it('are refused in a body without them or with other fields', async () => {
    for (const body of [{}, { charts: [], color: 'red' }]) {
      const answer = await app.request('PUT', `${collection.path}/charts`, { ...collection.owner, body });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    }
  });

  it('are refused when their depth would exhaust the stack, like other invalid charts', async () => {
    const raw = `{"charts":[{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}]}`;
    const answer = await app.request('PUT', `${collection.path}/charts`, { ...collection.owner, raw });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
  });

  it('leave one audit event, and a new version of the collection', async () => {
    const own = await newCollection(app, home);
    const before = (await app.request('GET', own.path, own.owner)).body;
    const version = await versionOf(own);
    await save(CHARTS, own);
    const event = (await eventsOf(app, own)).at(-1);
    expect(event).toMatchObject({
      type: 'collections.charts.saved',
      actor: { type: 'user', id: home.org.owner.userId, via: 'rest' },
      target: { type: 'collection', id: own.id, name: own.name },
      changes: { before: { charts: 0 }, after: { charts: 2 } },
    });
    expect(await versionOf(own)).toBe(version + 1);
    const after = (await app.request('GET', own.path, own.owner)).body;
    expect(after).toEqual({ ...before, charts: CHARTS, updated_at: after.updated_at });
    expect(after.updated_at >= before.updated_at).toBe(true);
  });

  it('are all saved by concurrent requests, each in a version of its own', async () => {
    const own = await newCollection(app, home);
    const version = await versionOf(own);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => save([{ n }], own)));
    expect(answers.map(answer => answer.status)).toEqual(Array(10).fill(200));
    expect(await versionOf(own)).toBe(version + 10);
    expect((await eventsOf(app, own)).length).toBe(11);
  });
});

describe('the entity tag of charts', () => {
  const tagged = (
    method: 'GET' | 'PUT',
    own: TestCollection,
    headers: Record<string, string> = {},
    charts?: object[],
  ) =>
    app.request(method, `${own.path}/charts`, { ...own.owner, headers, ...(charts && { body: { charts } }) });
  const tagOf = async (own: TestCollection) => (await tagged('GET', own)).headers.get('etag') as string;

  it('changes with the charts only, and is the same in the responses to a read and a save', async () => {
    const own = await newCollection(app, home);
    const empty = await tagOf(own);
    const saved = await tagged('PUT', own, {}, CHARTS);
    const tag = saved.headers.get('etag');
    expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(tag).not.toBe(empty);
    await app.request('PATCH', own.path, { ...own.owner, body: { description: 'changed' } });
    expect(await tagOf(own)).toBe(tag);
  });

  it('answers If-None-Match with 304 while the charts are the same', async () => {
    const own = await newCollection(app, home);
    const tag = await tagOf(own);
    const known = await tagged('GET', own, { 'if-none-match': tag });
    expect([known.status, known.text]).toEqual([304, '']);
    await save(CHARTS, own);
    expect((await tagged('GET', own, { 'if-none-match': tag })).status).toBe(200);
  });

  it('allows a save with If-Match only while it is current, else 412 and nothing is written', async () => {
    const own = await newCollection(app, home);
    const stale = await tagOf(own);
    const current = (await save(CHARTS, own)).headers.get('etag') as string;
    const events = (await eventsOf(app, own)).length;
    for (const condition of [stale, '"x"', `W/${current}`]) {
      const refused = await tagged('PUT', own, { 'if-match': condition }, []);
      expect(outcome(refused)).toEqual([412, 'PreconditionFailed']);
    }
    expect(outcome(await tagged('PUT', own, { 'if-match': 'x' }, []))).toEqual([400, 'InvalidArguments']);
    for (const condition of [current, '*'])
      expect((await tagged('PUT', own, { 'if-none-match': condition }, [])).status).toBe(412);
    expect([(await get(own)).body.charts, (await eventsOf(app, own)).length]).toEqual([CHARTS, events]);
    for (const condition of [current, '*'])
      expect((await tagged('PUT', own, { 'if-match': condition }, [])).status).toBe(200);
  });

  it('lets only one of several concurrent saves with the same tag through', async () => {
    const own = await newCollection(app, home);
    const tag = await tagOf(own);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => tagged('PUT', own, { 'if-match': tag }, [{ n }])),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
  });
});

describe('access to charts', () => {
  it('lets readers read and writers save them', async () => {
    const reader = { key: (await newKey(app, home.org, { permissions: ['collections:read'] })).apiKey };
    const writer = { key: (await newKey(app, home.org, { permissions: ['collections:write'] })).apiKey };
    const own = await newCollection(app, home);
    expect((await get(own, reader)).status).toBe(200);
    expect(outcome(await save(CHARTS, own, reader))).toEqual([403, 'Forbidden']);
    expect(outcome(await get(own, writer))).toEqual([403, 'Forbidden']);
    expect((await save(CHARTS, own, writer)).status).toBe(200);
  });

  it('is refused to strangers with the 404 of an unknown collection, whatever the body', async () => {
    const member = await newMember(app, home.org);
    const stranger = await newHome(app);
    const unknown = { ...collection, path: '/v1/collections/00000000-0000-7000-8000-000000000000' };
    const answers = [
      await save('nonsense', collection, { token: member.token }),
      await save('nonsense', collection, stranger.owner),
      await save('nonsense', unknown),
      await get(collection, stranger.owner),
    ];
    expect(answers.map(outcome)).toEqual(Array(4).fill([404, 'CollectionNotFound']));
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
    expect(outcome(await get(collection, {}))).toEqual([401, 'Unauthorized']);
  });
});
