import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { COLLECTION_RIGHTS } from '../../../src/base/kernel/permission.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, outcome, type TestCollection } from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { grant, guest, newAgent, newGroup, reach, withGroup, withOrg, withUser } from './sharing.js';

describe('GET /v1/collections/{collection_id}/access/explain', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newCollection(app, home);
  });

  const explain = async (type: string, id: string, caller = home.owner, { path } = books) =>
    app.request(
      'GET',
      `${path}/access/explain?principal_type=${type}&principal_id=${encodeURIComponent(id)}`,
      caller,
    );
  const allowed = (body: { rights: { right: string; allowed: boolean }[] }) =>
    body.rights.filter(each => each.allowed).map(({ right }) => right);

  it('shows which path grants which role, and the resulting role', async () => {
    const collection = await newCollection(app, home);
    const ada = await newMember(app, home.org);
    const [one, other] = [await newGroup(app, home.org, ada), await newGroup(app, home.org, ada)].sort();
    await grant(app, collection, withGroup(home.org, one as string), 'editor');
    await grant(app, collection, withOrg(home.org), 'reader');
    const { status, body } = await explain('user', ada.userId, home.owner, collection);
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'collection.access_explanation',
      collection_id: collection.id,
      principal_type: 'user',
      principal_id: ada.userId,
      role: 'editor',
      permissions: ['collections:*'],
      rights: Object.entries(COLLECTION_RIGHTS).map(([right, { role, permission }]) => ({
        right,
        allowed: ['reader', 'editor'].includes(role),
        needs_role: role,
        needs_permission: permission,
        ...(!['reader', 'editor'].includes(role) && { missing: 'role' }),
      })),
      paths: [
        { path: 'owner', outcome: 'none' },
        { path: 'org', outcome: 'grants', role: 'reader' },
        { path: 'user', outcome: 'none' },
        { path: 'group', principal_id: `${home.org.slug}:${one}`, outcome: 'grants', role: 'editor' },
        { path: 'group', principal_id: `${home.org.slug}:${other}`, outcome: 'none' },
        { path: 'org_role', outcome: 'none' },
      ],
    });
  });

  it('shows that a permission is missing when the role is sufficient', async () => {
    const ada = await newMember(app, home.org, { permissions: ['collections:read'] });
    await grant(app, books, withUser(ada), 'editor');
    const { body } = await explain('user', ada.userId);
    expect([body.role, body.permissions, allowed(body)]).toEqual(['editor', ['collections:read'], ['read']]);
    const write = body.rights.find(({ right }: { right: string }) => right === 'write');
    expect(write).toMatchObject({ allowed: false, missing: 'permission' });
    expect(await reach(app, books, ada)).toEqual([200, 403, 403]);
  });

  it('shows that scopes deny what a binding grants', async () => {
    const role = { permissions: ['collections:*'], scopes: [`collections:${randomUUID()}`] };
    const ada = await newMember(app, home.org, role);
    await grant(app, books, withUser(ada), 'admin');
    const { body } = await explain('user', ada.userId);
    expect([body.role, allowed(body)]).toEqual([null, []]);
    expect(body.paths).toContainEqual({ path: 'scopes', outcome: 'denies' });
    expect(body.paths).toContainEqual({ path: 'user', outcome: 'grants', role: 'admin' });
  });

  it.each([
    ['owner', 'owner', ['read', 'write', 'manage', 'audit', 'share', 'keys', 'webhooks', 'rename', 'delete']],
    ['admin', 'admin', ['read', 'write', 'manage', 'audit', 'share', 'keys', 'webhooks']],
  ])('explains the role %s in the organization', async (role, path, rights) => {
    const { userId } = await newMember(app, home.org, role);
    const { body } = await explain('user', userId);
    expect(body.paths).toContainEqual({ path: 'org_role', outcome: 'grants', role: path });
    expect(allowed(body)).toEqual(rights);
  });

  it('answers the same for users who are elsewhere, disabled or do not exist', async () => {
    const disabled = await newMember(app, home.org);
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [disabled.userId]);
    const ids = [(await newHome(app)).org.owner.userId, disabled.userId, randomUUID(), 'ada'];
    for (const id of ids) {
      const { status, body } = await explain('user', id);
      expect(status).toBe(200);
      expect(body).toMatchObject({ role: null, permissions: null, principal_id: id });
      expect(body.paths).toEqual([{ path: 'membership', outcome: 'denies' }]);
      expect(allowed(body)).toEqual([]);
    }
  });

  it('explains agents, groups and the organization, without permissions of their own', async () => {
    const agent = await newAgent(app, home.org);
    const stranger = await newAgent(app, home.org);
    const group = await newGroup(app, home.org);
    const collection = await newCollection(app, home, { agent_ids: [agent.id] });
    await grant(app, collection, withGroup(home.org, group), 'admin');
    const roles = async (type: string, id: string) => {
      const { body } = await explain(type, id, home.owner, collection);
      expect(body.permissions).toBeNull();
      return body.role;
    };
    expect(await roles('agent', agent.id)).toBe('editor');
    expect(await roles('agent', stranger.id)).toBeNull();
    expect(await roles('agent', home.org.owner.userId)).toBeNull();
    expect(await roles('group', `${home.org.slug}:${group}`)).toBe('admin');
    expect(await roles('group', `${home.org.slug}:nobody`)).toBeNull();
    expect(await roles('org', home.org.slug)).toBeNull();
    await grant(app, collection, withOrg(home.org), 'reader');
    expect(await roles('org', home.org.slug)).toBe('reader');
    expect(await roles('agent', stranger.id)).toBe('reader');
    expect(await roles('group', `${home.org.slug}:nobody`)).toBeNull();
    expect(await roles('org', (await newHome(app)).org.slug)).toBeNull();
  });

  it('explains exactly what requests are then allowed to do', async () => {
    const people = [
      await guest(app, home.org, books, 'reader'),
      await guest(app, home.org, books, 'admin'),
      await newMember(app, home.org),
      await newMember(app, home.org, 'admin'),
    ];
    for (const person of people) {
      const { body } = await explain('user', person.userId);
      const [read, write, share] = await reach(app, books, person);
      expect([read, write, share].map(status => status === 200)).toEqual(
        ['read', 'write', 'share'].map(right => allowed(body).includes(right)),
      );
      expect(read === 404).toBe(body.role === null);
    }
  });

  it('is for admins and the owner only', async () => {
    const [editor, admin] = [
      await guest(app, home.org, books, 'editor'),
      await guest(app, home.org, books, 'admin'),
    ];
    expect(outcome(await explain('org', home.org.slug, editor))).toEqual([403, 'Forbidden']);
    expect((await explain('org', home.org.slug, admin)).status).toBe(200);
    expect((await explain('org', home.org.slug, await newMember(app, home.org))).status).toBe(404);
  });

  it.each([
    '',
    'principal_type=user',
    'principal_id=x',
    'principal_type=key&principal_id=x',
    'principal_type=user&principal_id=',
  ])('refuses ?%s', async query => {
    const answer = await app.request('GET', `${books.path}/access/explain?${query}`, home.owner);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
  });
});
