import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { bindingPath, grant, guest, newAgent, newGroup, withGroup, withOrg, withUser } from './sharing.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const ownerOf = (collection: TestCollection) => ({
  object: 'collection.access',
  collection_id: collection.id,
  principal_type: 'user',
  principal_id: home.org.owner.userId,
  role: 'owner',
});

describe('GET /v1/collections/{collection_id}/access', () => {
  it('lists the owner first, then the bindings as they were granted', async () => {
    const books = await newCollection(app, home);
    const group = withGroup(home.org, await newGroup(app, home.org));
    const ada = await guest(app, home.org, books, 'admin');
    await grant(app, books, group, 'editor');
    await grant(app, books, withOrg(home.org), 'reader');
    const { status, body } = await app.request('GET', `${books.path}/access`, home.owner);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['object', 'items', 'total']);
    expect(body).toMatchObject({ object: 'list', total: 4 });
    expect(body.items).toMatchObject([
      { ...ownerOf(books), email: expect.stringContaining('@') },
      { principal_type: 'user', principal_id: ada.userId, role: 'admin' },
      { ...group, role: 'editor' },
      { ...withOrg(home.org), role: 'reader' },
    ]);
    for (const item of body.items.slice(2)) expect(item).not.toHaveProperty('email');
  });

  it('returns pages, with the owner on the first one', async () => {
    const books = await newCollection(app, home);
    for (let i = 0; i < 4; i++) await guest(app, home.org, books, 'reader');
    const pages = [1, 2, 3, 4].map(page =>
      app.request('GET', `${books.path}/access?limit=2&page=${page}`, home.owner),
    );
    const bodies = (await Promise.all(pages)).map(({ body }) => body);
    expect(bodies.map(({ items, total }) => [items.length, total])).toEqual([
      [2, 5],
      [2, 5],
      [1, 5],
      [0, 5],
    ]);
    const roles = bodies.flatMap(({ items }) => items.map(({ role }: { role: string }) => role));
    expect(roles).toEqual(['owner', 'reader', 'reader', 'reader', 'reader']);
    const ids = bodies.flatMap(({ items }) =>
      items.map((item: { principal_id: string }) => item.principal_id),
    );
    expect(new Set(ids).size).toBe(5);
  });

  it.each(['limit=0', 'limit=101', 'page=0', 'cursor=x'])('refuses ?%s', async query => {
    const books = await newCollection(app, home);
    const answer = await app.request('GET', `${books.path}/access?${query}`, home.owner);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
  });

  it('shows an agent that owns the collection', async () => {
    const agent = await newAgent(app, home.org);
    const notes = await newCollection(app, { org: home.org, owner: { key: agent.key } });
    const { body } = await app.request('GET', `${notes.path}/access`, { key: agent.key });
    expect(body.items).toEqual([
      {
        object: 'collection.access',
        collection_id: notes.id,
        principal_type: 'agent',
        principal_id: agent.id,
        role: 'owner',
      },
    ]);
  });
});

describe('one binding', () => {
  it('can be read, changed and revoked, with an event each', async () => {
    const books = await newCollection(app, home);
    for (const bound of [
      withUser(await newMember(app, home.org)),
      withGroup(home.org, await newGroup(app, home.org)),
      withOrg(home.org),
    ]) {
      const granted = await grant(app, books, bound, 'reader');
      const path = bindingPath(books, bound);
      expect((await app.request('GET', path, home.owner)).body).toEqual(granted.body);
      const changed = await app.request('PATCH', path, { ...home.owner, body: { role: 'admin' } });
      expect([changed.status, changed.body]).toEqual([200, { ...granted.body, role: 'admin' }]);
      const revoked = await app.request('DELETE', path, home.owner);
      expect([revoked.status, revoked.body]).toEqual([200, { deleted: true }]);
      for (const [method, body] of [['GET'], ['PATCH', { role: 'reader' }], ['DELETE']] as const) {
        const gone = await app.request(method, path, { ...home.owner, ...(body && { body }) });
        expect(outcome(gone)).toEqual([404, 'NotFound']);
      }
      expect((await eventsOf(app, books)).slice(-3)).toMatchObject([
        { type: 'collections.access.granted', changes: { after: { ...bound, role: 'reader' } } },
        {
          type: 'collections.access.updated',
          changes: { before: { ...bound, role: 'reader' }, after: { ...bound, role: 'admin' } },
        },
        { type: 'collections.access.revoked', changes: { before: { ...bound, role: 'admin' } } },
      ]);
    }
    expect((await app.request('GET', `${books.path}/access`, home.owner)).body.total).toBe(1);
  });

  it("cannot change the owner's access, which is only shown", async () => {
    const books = await newCollection(app, home);
    const path = bindingPath(books, withUser(home.org.owner));
    const before = await eventsOf(app, books);
    expect((await app.request('GET', path, home.owner)).body).toMatchObject(ownerOf(books));
    for (const [method, body] of [['PATCH', { role: 'reader' }], ['DELETE']] as const) {
      const answer = await app.request(method, path, { ...home.owner, ...(body && { body }) });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    }
    expect((await app.request('GET', path, home.owner)).body).toMatchObject({ role: 'owner' });
    expect(await eventsOf(app, books)).toEqual(before);
  });

  it.each([
    `user/${randomUUID()}`,
    'user/ada',
    'group/nobody',
    'org/another',
    'agent/7',
    'key/7',
    'constructor/x',
    'group/%00',
    'group/{org}:%00',
    'group/{org}:',
    'group/{org}',
  ])('%s is not found', async rest => {
    const books = await newCollection(app, home);
    await grant(app, books, withOrg(home.org), 'reader');
    for (const [method, body] of [['GET'], ['PATCH', { role: 'reader' }], ['DELETE']] as const) {
      const path = `${books.path}/access/${rest.replace('{org}', home.org.slug)}`;
      expect(outcome(await app.request(method, path, { ...home.owner, ...(body && { body }) }))[0]).toBe(404);
    }
    expect((await app.request('GET', `${books.path}/access`, home.owner)).body.total).toBe(2);
  });

  it('accepts only the roles reader, editor and admin', async () => {
    const books = await newCollection(app, home);
    const bound = withOrg(home.org);
    await grant(app, books, bound, 'reader');
    for (const body of [{ role: 'owner' }, { role: null }, {}, { role: 'admin', email: 'x' }]) {
      const answer = await app.request('PATCH', bindingPath(books, bound), { ...home.owner, body });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    }
    expect((await app.request('GET', bindingPath(books, bound), home.owner)).body.role).toBe('reader');
  });

  it('is deleted with the collection, for good', async () => {
    const books = await newCollection(app, home);
    await guest(app, home.org, books, 'reader');
    const deleted = await app.request('DELETE', `${books.path}?permanent=true`, home.owner);
    expect(deleted.status).toBe(200);
    expect(await app.sql('SELECT 1 FROM collection_bindings WHERE collection_id = $1', [books.id])).toEqual(
      [],
    );
  });

  it('is deleted with the organization', async () => {
    const own = await newHome(app);
    const books = await newCollection(app, own);
    await guest(app, own.org, books, 'reader');
    await grant(app, books, withGroup(own.org, await newGroup(app, own.org)), 'editor');
    await grant(app, books, withOrg(own.org), 'reader');
    expect((await app.request('DELETE', own.org.path, own.owner)).status).toBe(200);
    expect(await app.sql('SELECT 1 FROM collection_bindings WHERE org_id = $1', [own.org.id])).toEqual([]);
  });
});
