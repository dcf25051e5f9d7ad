import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { events, newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

const create = (token: string, role: object) =>
  app.request('POST', `${org.path}/roles`, { token, body: { slug: newSlug(), name: 'Role', ...role } });

describe('the roles of an organization', () => {
  it('are initially the three built-in ones', async () => {
    const { body } = await app.request('GET', `${org.path}/roles?limit=3`, { token: org.owner.token });
    expect(body.results).toEqual([
      { slug: 'owner', name: 'Owner', permissions: ['*'], scopes: [], builtIn: true },
      { slug: 'admin', name: 'Admin', permissions: ['*'], scopes: [], builtIn: true },
      { slug: 'member', name: 'Member', permissions: ['collections:*'], scopes: [], builtIn: true },
    ]);
  });

  it('are created and listed, with events', async () => {
    const { status, body } = await create(org.owner.token, { permissions: ['collections:read'] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ permissions: ['collections:read'], scopes: [], builtIn: false });
    const list = await app.request('GET', `${org.path}/roles?limit=100`, { token: org.owner.token });
    expect(list.body.results).toContainEqual(body);
    expect(list.body.total).toBe(list.body.results.length);
    expect((await events(app, org, 'orgs.roles.created')).at(-1)).toMatchObject({
      target: { type: 'role', id: body.slug },
      changes: { after: body },
    });
  });

  it.each(['owner', 'admin', 'member'])('do not change the built-in role %s', async slug => {
    const { token } = org.owner;
    expect((await create(token, { slug, permissions: [] })).body.error).toBe('AlreadyExists');
    const path = `${org.path}/roles/${slug}`;
    expect((await app.request('PATCH', path, { token, body: { permissions: [] } })).status).toBe(409);
    expect((await app.request('DELETE', path, { token })).status).toBe(409);
  });

  it('have unique slugs', async () => {
    const slug = newSlug();
    expect((await create(org.owner.token, { slug, permissions: [] })).status).toBe(201);
    expect((await create(org.owner.token, { slug, permissions: [] })).status).toBe(409);
  });

  it.each([
    { permissions: ['collections'] },
    { permissions: ['*:read'] },
    { permissions: ['collections:*:read'] },
    { permissions: 'collections:read' },
    { permissions: [1] },
    { permissions: [], scopes: ['collections'] },
    { permissions: [], slug: 'Capital' },
    { name: 'No permissions' },
  ])('refuse %j', async role => {
    const { status, body } = await create(org.owner.token, role);
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
  });

  it('hold no more than the caller who creates or changes them', async () => {
    const held = ['orgs:roles:manage', 'collections:read'];
    const { token } = await newMember(app, org, { permissions: held });
    expect((await create(token, { permissions: ['collections:write'] })).status).toBe(403);
    expect((await create(token, { permissions: ['collections:*'] })).status).toBe(403);
    expect((await create(token, { permissions: ['*'] })).status).toBe(403);
    const { body } = await create(token, { permissions: ['collections:read'] });
    const path = `${org.path}/roles/${body.slug}`;
    expect((await app.request('PATCH', path, { token, body: { permissions: ['orgs:manage'] } })).status).toBe(
      403,
    );
    expect(
      (await app.request('PATCH', path, { token, body: { permissions: held } })).body.permissions,
    ).toEqual(held);
    const strong = await create(org.owner.token, { permissions: ['orgs:manage'] });
    const weaken = { token, body: { permissions: [] } };
    expect((await app.request('PATCH', `${org.path}/roles/${strong.body.slug}`, weaken)).status).toBe(403);
  });

  it('reach no further than the scopes of the caller who creates them', async () => {
    const scopes = ['collections:a', 'files:*'];
    const { token } = await newMember(app, org, { permissions: ['orgs:roles:manage'], scopes });
    const permissions = ['orgs:roles:manage'];
    expect((await create(token, { permissions })).status).toBe(403);
    expect((await create(token, { permissions, scopes: ['collections:*'] })).status).toBe(403);
    expect((await create(token, { permissions, scopes: ['collections:a', 'files:b'] })).status).toBe(201);
  });

  it('take effect at once for members who have them', async () => {
    const member = await newMember(app, org, { permissions: ['collections:read'] });
    const list = await app.request('GET', `${org.path}/members?limit=100`, { token: org.owner.token });
    const { roleSlug } = list.body.results.find((each: { userId: string }) => each.userId === member.userId);
    expect((await app.request('GET', `${org.path}/api-keys`, { token: member.token })).status).toBe(403);
    await app.request('PATCH', `${org.path}/roles/${roleSlug}`, {
      token: org.owner.token,
      body: { permissions: ['orgs:apikeys:manage'] },
    });
    expect((await app.request('GET', `${org.path}/api-keys`, { token: member.token })).status).toBe(200);
    const deleted = await app.request('DELETE', `${org.path}/roles/${roleSlug}`, { token: org.owner.token });
    expect([deleted.status, deleted.body.error]).toEqual([409, 'Conflict']);
  });

  it('cannot be deleted while a join rule uses them', async () => {
    const { body } = await create(org.owner.token, { permissions: ['collections:read'] });
    const { token } = org.owner;
    const path = `${org.path}/roles/${body.slug}`;
    await app.request('PATCH', org.path, { token, body: { defaultRole: body.slug } });
    expect((await app.request('DELETE', path, { token })).status).toBe(409);
    await app.request('PATCH', org.path, { token, body: { defaultRole: 'member' } });
    expect((await app.request('DELETE', path, { token })).body).toEqual({ success: true });
    expect((await app.request('DELETE', path, { token })).status).toBe(404);
  });
});
