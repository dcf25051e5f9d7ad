import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  EVERY_TYPE,
  eventsOf,
  type Home,
  newCollection,
  newHome,
  newName,
  newTypedCollection,
  type TestCollection,
} from '../../harness/collection.js';
import { emailOf, newKey, newMember } from '../orgs/org.js';

describe('GET /v1/collections/{collection_id}', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  it('returns exactly the documented fields of a collection, with the defaults of its creation', async () => {
    const { path, id, name } = await newCollection(app, home);
    const { status, body } = await app.request('GET', path, home.owner);
    expect(status).toBe(200);
    expect(body).toEqual({
      collection_id: id,
      name,
      description: null,
      owner_id: home.org.owner.userId,
      owner_type: 'user',
      owner_name: await emailOf(app, home.org.owner),
      my_role: 'owner',
      my_rights: ['read', 'write', 'manage', 'share', 'keys', 'webhooks', 'delete'],
      my_access: { restricted: false, read_fields: null, write_fields: null },
      agent_ids: [],
      orgSlug: home.org.slug,
      settings: { ttl_days: 0, max_records: 10_000, history_days: 7 },
      schema: {},
      indexes: [],
      uniques: [],
      charts: [],
      row_count: null,
      history_bytes: 0,
      status: 'ready',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.created_at,
    });
  });

  it('returns every type of column under the name with which it was declared', async () => {
    const { path } = await newTypedCollection(app, home);
    const { body } = await app.request('GET', path, home.owner);
    expect(body.schema).toEqual(
      Object.fromEntries(
        Object.entries(EVERY_TYPE).map(([name, { type }]) => [name, { type, nullable: true }]),
      ),
    );
  });

  it('finds the collection by its id in capital letters', async () => {
    const { id } = await newCollection(app, home);
    const { body } = await app.request('GET', `/v1/collections/${id.toUpperCase()}`, home.owner);
    expect(body.collection_id).toBe(id);
  });

  describe('shows the role and the rights of the caller', () => {
    let shared: TestCollection;
    beforeAll(async () => {
      shared = await newCollection(app, home);
    });
    const seen = async (caller: Caller) => {
      const { status, body } = await app.request('GET', shared.path, caller);
      return { status, role: body.my_role, rights: body.my_rights, owner: body.owner_name };
    };
    const bound = async (role: string) => {
      const member = await newMember(app, home.org);
      const grant = { principal_type: 'user', principal_id: member.userId, role };
      await app.request('POST', `${shared.path}/access`, { ...home.owner, body: grant });
      return { token: member.token };
    };
    const ALL = ['read', 'write', 'manage', 'share', 'keys', 'webhooks', 'delete'];

    it.each([
      ['reader', ['read']],
      ['editor', ['read', 'write']],
      ['admin', ['read', 'write', 'manage', 'share', 'keys', 'webhooks']],
    ])('of a %s', async (role, rights) => {
      const owner = await emailOf(app, home.org.owner);
      expect(await seen(await bound(role))).toEqual({ status: 200, role, rights, owner });
    });

    it('of an admin of the organization', async () => {
      const { token } = await newMember(app, home.org, 'admin');
      expect(await seen({ token })).toMatchObject({ role: 'admin', rights: ALL.slice(0, -1) });
    });

    it('of an API key, whose permissions narrow its rights', async () => {
      const permissions = ['collections:read', 'collections:delete'];
      const { apiKey } = await newKey(app, home.org, { permissions });
      expect(await seen({ key: apiKey })).toMatchObject({ role: 'owner', rights: ['read', 'delete'] });
    });

    it('of a key of the collection, which does not see the name of the owner', async () => {
      const body = { name: 'Own', slug: newName(), permissions: ['collections:*'] };
      const { secret } = (await app.request('POST', `${shared.path}/api-keys`, { ...home.owner, body })).body;
      expect(await seen({ key: secret })).toEqual({
        status: 200,
        role: 'admin',
        rights: ['read', 'write', 'manage'],
        owner: null,
      });
    });

    it('with an entity tag that changes with them and with the name of the owner', async () => {
      const member = await newMember(app, home.org, 'admin');
      const tagOf = async () =>
        (await app.request('GET', shared.path, { token: member.token })).headers.get('etag') as string;
      const tags = [await tagOf()];
      await app.sql('UPDATE users SET first_name = $2 WHERE id = $1', [home.org.owner.userId, 'Ada']);
      tags.push(await tagOf());
      await app.request('POST', `${shared.path}/access`, {
        ...home.owner,
        body: { principal_type: 'user', principal_id: member.userId, role: 'reader' },
      });
      await app.sql('UPDATE org_memberships SET role_slug = $2 WHERE user_id = $1', [
        member.userId,
        'member',
      ]);
      await expect.poll(tagOf).not.toBe(tags[1]);
      tags.push(await tagOf());
      expect(new Set(tags).size).toBe(3);
    });
  });

  it('shows the first and last name of the owner, the name of an agent, and null for an owner who is gone', async () => {
    const own = await newHome(app);
    const { path, id } = await newCollection(app, own);
    const nameOf = async () => (await app.request('GET', path, own.owner)).body.owner_name;
    await app.sql('UPDATE users SET first_name = $2, last_name = $3 WHERE id = $1', [
      own.org.owner.userId,
      'Ada',
      'Lovelace',
    ]);
    expect(await nameOf()).toBe('Ada Lovelace');
    const agent = await app.request('POST', `${own.org.path}/agents`, {
      ...own.owner,
      body: { slug: 'robot', name: 'The robot' },
    });
    await app.sql("UPDATE collections SET owner_type = 'agent', owner_id = $2 WHERE id = $1", [
      id,
      agent.body.id,
    ]);
    expect(await nameOf()).toBe('The robot');
    await app.sql('UPDATE collections SET owner_id = gen_random_uuid() WHERE id = $1', [id]);
    expect(await nameOf()).toBeNull();
  });

  it('writes no event', async () => {
    const collection = await newCollection(app, home);
    await app.request('GET', collection.path, home.owner);
    expect((await eventsOf(app, collection)).map(event => event.type)).toEqual(['collections.created']);
  });
});
