import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  eventsOf,
  type Home,
  newCollection,
  newHome,
  newName,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey, newMember } from '../orgs/org.js';

const FULL = {
  name: 'Adults',
  filter: { zebra: 1, age: { $gte: 18 }, $or: [{ a: null }, { b: 'x' }] },
  sort: { name: 1, age: -1 },
  fields: ['name', 'age'],
  columns: [{ width: 3, name: 'age' }, 'name'],
};
const UNKNOWN = '00000000-0000-7000-8000-000000000000';

let app: TestApp;
let home: Home;
let collection: TestCollection;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  collection = await newCollection(app, home);
});

const create = (body: unknown, caller: Caller = home.owner, { path } = collection) =>
  app.request('POST', `${path}/views`, { ...caller, body });
const replace = (id: string, body: unknown, caller: Caller = home.owner, { path } = collection) =>
  app.request('PUT', `${path}/views/${id}`, { ...caller, body });
const remove = (id: string, caller: Caller = home.owner, { path } = collection) =>
  app.request('DELETE', `${path}/views/${id}`, caller);
const list = (caller: Caller = home.owner, { path } = collection) =>
  app.request('GET', `${path}/views`, caller);
async function seen(caller?: Caller, own?: TestCollection): Promise<string[]> {
  const { body } = await list(caller, own);
  expect(body.total).toBe(body.items.length);
  return body.items.map(({ name }: { name: string }) => name);
}
async function bound(role: string, own = collection) {
  const member = await newMember(app, home.org);
  const grant = { principal_type: 'user', principal_id: member.userId, role };
  await app.request('POST', `${own.path}/access`, { ...home.owner, body: grant });
  return { token: member.token, userId: member.userId };
}

describe('a saved view', () => {
  it('is stored as it was sent, including the order of keys, and listed, replaced and deleted', async () => {
    const own = await newCollection(app, home);
    expect((await list(home.owner, own)).body).toEqual({ items: [], total: 0 });
    const { status, body } = await create({ ...FULL, for: 'all' }, home.owner, own);
    expect(status).toBe(201);
    const { id, created_at } = body;
    expect(body).toEqual({ id, ...FULL, for: 'all', created_at, updated_at: created_at });
    const listed = (await list(home.owner, own)).body;
    expect(JSON.stringify(listed)).toBe(JSON.stringify({ items: [body], total: 1 }));
    const replaced = await replace(id, { name: 'Short' }, home.owner, own);
    expect([replaced.status, replaced.body]).toEqual([
      200,
      {
        id,
        name: 'Short',
        filter: {},
        sort: {},
        fields: null,
        columns: null,
        for: 'me',
        created_at,
        updated_at: replaced.body.updated_at,
      },
    ]);
    const removed = await remove(id, home.owner, own);
    expect([removed.status, removed.body]).toEqual([200, { deleted: true }]);
    expect((await list(home.owner, own)).body.total).toBe(0);
    expect(outcome(await remove(id, home.owner, own))).toEqual([404, 'NotFound']);
  });

  it('leaves one audit event for each change, and no new version of the collection', async () => {
    const own = await newCollection(app, home);
    const before = (await app.request('GET', own.path, home.owner)).headers.get('etag');
    const { id } = (await create({ name: 'First' }, home.owner, own)).body;
    await replace(id, { name: 'Second', for: 'all' }, home.owner, own);
    await remove(id, home.owner, own);
    const [first, second] = [
      { id, name: 'First', for: 'me' },
      { id, name: 'Second', for: 'all' },
    ];
    expect((await eventsOf(app, own)).slice(1)).toMatchObject([
      { type: 'collections.views.created', changes: { before: null, after: first } },
      { type: 'collections.views.updated', changes: { before: first, after: second } },
      { type: 'collections.views.deleted', changes: { before: second, after: null } },
    ]);
    expect((await app.request('GET', own.path, home.owner)).headers.get('etag')).toBe(before);
  });

  it('is created once when the request is repeated with an Idempotency-Key', async () => {
    const own = await newCollection(app, home);
    const send = () =>
      app.request('POST', `${own.path}/views`, {
        ...home.owner,
        body: { name: 'Once' },
        headers: { 'idempotency-key': 'view-1' },
      });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(await seen(home.owner, own)).toEqual(['Once']);
  });

  it('is deleted with its collection, for good', async () => {
    const own = await newCollection(app, home);
    await create({ name: 'Gone' }, home.owner, own);
    const rows = () => app.sql('SELECT id FROM collection_views WHERE collection_id = $1', [own.id]);
    expect(await rows()).toHaveLength(1);
    await app.request('DELETE', `${own.path}?permanent=true`, home.owner);
    expect(await rows()).toEqual([]);
    expect(outcome(await list(home.owner, own))).toEqual([404, 'CollectionNotFound']);
  });

  it('of a person is deleted when the person leaves the organization, and those for all stay', async () => {
    const own = await newCollection(app, home);
    const editor = await bound('editor', own);
    await create({ name: 'Mine' }, editor, own);
    await create({ name: 'Shared', for: 'all' }, editor, own);
    await create({ name: "The owner's" }, home.owner, own);
    await app.sql('DELETE FROM org_memberships WHERE org_id = $1 AND user_id = $2', [
      own.orgId,
      editor.userId,
    ]);
    const rows = await app.sql('SELECT name FROM collection_views WHERE collection_id = $1 ORDER BY id', [
      own.id,
    ]);
    expect(rows).toEqual([{ name: 'Shared' }, { name: "The owner's" }]);
  });
});

describe('views are separate', () => {
  let own: TestCollection;
  let reader: Caller;
  let editor: Caller;
  let key: Caller;
  let ofReader: string;
  let ofAll: string;
  beforeAll(async () => {
    own = await newCollection(app, home);
    reader = await bound('reader', own);
    editor = await bound('editor', own);
    key = { key: (await newKey(app, home.org, { permissions: ['collections:read'] })).apiKey };
    ofReader = (await create({ name: 'of the reader' }, reader, own)).body.id;
    await create({ name: 'of the key' }, key, own);
    ofAll = (await create({ name: 'of all', for: 'all' }, editor, own)).body.id;
  });

  it('for each person and key, and everybody sees those for all', async () => {
    expect(await seen(reader, own)).toEqual(['of the reader', 'of all']);
    expect(await seen(key, own)).toEqual(['of the key', 'of all']);
    expect(await seen(editor, own)).toEqual(['of all']);
    expect(await seen(home.owner, own)).toEqual(['of all']);
  });

  it('and nobody else can replace or delete one, not even the owner: the 404 of an unknown view', async () => {
    for (const caller of [editor, key, home.owner]) {
      for (const id of [ofReader, UNKNOWN, 'x']) {
        const answers = [await replace(id, { name: 'stolen' }, caller, own), await remove(id, caller, own)];
        for (const answer of answers) {
          expect(outcome(answer)).toEqual([404, 'NotFound']);
          expect(answer.body.message).not.toContain(id);
        }
      }
    }
    expect(await seen(reader, own)).toEqual(['of the reader', 'of all']);
  });

  it('by collection: the path of another one does not reach them', async () => {
    const other = await newCollection(app, home);
    expect(outcome(await remove(ofAll, home.owner, other))).toEqual([404, 'NotFound']);
    expect(outcome(await replace(ofAll, { name: 'moved' }, home.owner, other))).toEqual([404, 'NotFound']);
    expect(await seen(home.owner, other)).toEqual([]);
  });

  it('and readers cannot create, replace or delete one for all: 403, and nothing changes', async () => {
    for (const caller of [reader, key]) {
      const answers = [
        await create({ name: 'x', for: 'all' }, caller, own),
        await replace(ofAll, { name: 'x' }, caller, own),
        await remove(ofAll, caller, own),
      ];
      expect(answers.map(outcome)).toEqual(Array(3).fill([403, 'Forbidden']));
    }
    expect(outcome(await replace(ofReader, { name: 'x', for: 'all' }, reader, own))).toEqual([
      403,
      'Forbidden',
    ]);
    expect(await seen(reader, own)).toEqual(['of the reader', 'of all']);
  });

  it('and an editor can replace the view of another editor for all, or take it as their own', async () => {
    const second = await bound('editor', own);
    const { id } = (await create({ name: 'common', for: 'all' }, editor, own)).body;
    expect((await replace(id, { name: 'renamed', for: 'all' }, second, own)).status).toBe(200);
    expect(await seen(editor, own)).toEqual(['of all', 'renamed']);
    expect((await replace(id, { name: 'taken', for: 'me' }, second, own)).status).toBe(200);
    expect([await seen(editor, own), await seen(second, own)]).toEqual([['of all'], ['of all', 'taken']]);
  });

  it('and strangers get the 404 of an unknown collection, whatever they send', async () => {
    const stranger = await newHome(app);
    const absent = { ...own, path: `/v1/collections/${UNKNOWN}` };
    for (const target of [own, absent]) {
      const caller = target === own ? stranger.owner : home.owner;
      const answers = [
        await list(caller, target),
        await create({ nonsense: 1 }, caller, target),
        await replace(ofAll, 7, caller, target),
        await remove(ofAll, caller, target),
      ];
      expect(answers.map(outcome)).toEqual(Array(4).fill([404, 'CollectionNotFound']));
    }
    expect(outcome(await list({}, own))).toEqual([401, 'Unauthorized']);
  });

  it('and a credential without the permission to read gets 403 before the body is judged', async () => {
    const writer = { key: (await newKey(app, home.org, { permissions: ['collections:write'] })).apiKey };
    const answers = [
      await list(writer, own),
      await create({ nonsense: 1 }, writer, own),
      await replace(ofAll, 7, writer, own),
      await remove(ofAll, writer, own),
    ];
    expect(answers.map(outcome)).toEqual(Array(4).fill([403, 'Forbidden']));
  });

  it('and a key of the collection has views of its own', async () => {
    const body = { name: 'Own', slug: newName(), permissions: ['collections:read'] };
    const { secret } = (await app.request('POST', `${own.path}/api-keys`, { ...home.owner, body })).body;
    expect((await create({ name: 'of the collection key' }, { key: secret }, own)).status).toBe(201);
    expect(await seen({ key: secret }, own)).toEqual(['of all', 'of the collection key']);
    expect(await seen(home.owner, own)).toEqual(['of all']);
  });
});

describe('a view is refused', () => {
  it.each<[string, object, string]>([
    ['without a name', {}, 'name'],
    ['with an empty name', { name: '' }, 'name'],
    ['with a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['with a NUL in the name', { name: 'a\0b' }, 'name'],
    ['for somebody else', { name: 'x', for: 'everyone' }, 'for'],
    ['with a filter that no query accepts', { name: 'x', filter: { $where: '1' } }, '$where'],
    ['with a list as filter', { name: 'x', filter: [] }, 'filter'],
    ['with a sort that no query accepts', { name: 'x', sort: { a: 2 } }, 'sort'],
    ['with fields that no query accepts', { name: 'x', fields: { a: 1, b: 0 } }, 'fields'],
    ['with columns that are not a list', { name: 'x', columns: {} }, 'columns'],
    ['with a number as a column', { name: 'x', columns: [1] }, 'columns'],
    ['with a lone surrogate in a column', { name: 'x', columns: [{ a: '\ud800' }] }, 'columns'],
    ['with too many columns', { name: 'x', columns: Array(501).fill('a') }, 'columns'],
    ['with an unknown property', { name: 'x', color: 'red' }, 'color'],
  ])('%s: 400, and nothing is written', async (_, body, place) => {
    const own = await newCollection(app, home);
    const { id } = (await create({ name: 'kept' }, home.owner, own)).body;
    for (const answer of [await create(body, home.owner, own), await replace(id, body, home.owner, own)]) {
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain(place);
    }
    expect(await seen(home.owner, own)).toEqual(['kept']);
    expect((await eventsOf(app, own)).map(({ type }) => type)).toEqual([
      'collections.created',
      'collections.views.created',
    ]);
  });

  it('with a body of more than 64 kB: 413', async () => {
    const answer = await create({ name: 'x', columns: [{ a: 'x'.repeat(70_000) }] });
    expect(outcome(answer)).toEqual([413, 'PayloadTooLarge']);
  });
});

describe('the number of views', () => {
  it('is at most 100 for all and 100 of each caller, also for concurrent requests', async () => {
    const own = await newCollection(app, home);
    const editor = await bound('editor', own);
    await app.sql(
      `INSERT INTO collection_views (id, collection_id, owner, name, filter, sort)
       SELECT gen_random_uuid(), $1, owner, 'view', '{}', '{}'
       FROM generate_series(1, 97), unnest(ARRAY[NULL, $2]) AS owners(owner)`,
      [own.id, `user:${editor.userId}`],
    );
    for (const audience of ['all', 'me']) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => create({ name: `${n}`, for: audience }, editor, own)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(5).fill(409)]);
      expect(answers.find(({ status }) => status === 409)?.body.error).toBe('Conflict');
    }
    const { body } = await list(editor, own);
    expect(body.total).toBe(200);
    const [shared, mine] = ['all', 'me'].map(audience =>
      body.items.find((view: { for: string }) => view.for === audience),
    );
    expect(outcome(await replace(mine.id, { name: 'x', for: 'all' }, editor, own))).toEqual([
      409,
      'Conflict',
    ]);
    expect(outcome(await replace(shared.id, { name: 'x', for: 'me' }, editor, own))).toEqual([
      409,
      'Conflict',
    ]);
    expect((await replace(mine.id, { name: 'x' }, editor, own)).status).toBe(200);
    expect((await create({ name: 'own' }, home.owner, own)).status).toBe(201);
    await remove(shared.id, editor, own);
    expect((await replace(mine.id, { name: 'x', for: 'all' }, editor, own)).status).toBe(200);
  });
});
