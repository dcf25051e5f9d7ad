import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { mintKey, newCollection } from '../api-keys/collection.js';
import { person } from '../auth/person.js';
import { enter, events, newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { newWorkspace, secure } from './workspace.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

const create = (token: string, body: object = {}) =>
  app.request('POST', '/v2/workspaces', { token, body: { name: newSlug(), ...body } });

const listed = async (credential: object) =>
  (await app.request('GET', '/v2/workspaces', credential)).body.map(({ id }: { id: string }) => id);

describe('a workspace', () => {
  it('is created, read by id and slug, listed, changed and deleted, with an event each', async () => {
    const { token } = org.owner;
    const slug = newSlug();
    const { status, body } = await create(token, { name: 'Support', slug, description: 'Answers.' });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual([
      'id',
      'name',
      'slug',
      'description',
      'orgSlug',
      'createdAt',
      'updatedAt',
    ]);
    expect(body).toMatchObject({ name: 'Support', slug, description: 'Answers.', orgSlug: org.slug });
    const path = `/v2/workspaces/${body.id}`;
    expect((await app.request('GET', path, { token })).body).toEqual(body);
    expect((await app.request('GET', `/v2/workspaces/slug:${slug}`, { token })).body).toEqual(body);
    expect((await app.request('GET', '/v2/workspaces', { token })).body).toContainEqual(body);
    const renamed = await app.request('PATCH', path, { token, body: { name: 'Help', description: null } });
    expect(renamed.body).toMatchObject({ id: body.id, name: 'Help', description: null, slug });
    expect((await app.request('DELETE', path, { token })).body).toEqual({ success: true });
    expect((await app.request('GET', path, { token })).status).toBe(404);
    expect(await listed({ token })).not.toContain(body.id);
    const logged = await events(app, org, 'workspaces.');
    expect(logged.filter(({ target }) => target.id === body.id)).toMatchObject([
      { type: 'workspaces.created', actor: { type: 'user', id: org.owner.userId } },
      { type: 'workspaces.updated', changes: { before: { name: 'Support' }, after: { name: 'Help' } } },
      { type: 'workspaces.deleted' },
    ]);
  });

  it('does not shorten a page of the list when its rules hide it', async () => {
    const own = await newOrg(app);
    const first = await newWorkspace(app, own);
    const hidden = await newWorkspace(app, own);
    const last = await newWorkspace(app, own);
    const rules = [{ action: 'read', subject: 'workspaces', inverted: true }];
    expect((await secure(app, own, hidden, { roles: {}, rules })).status).toBe(200);
    const { token } = await newMember(app, own, { permissions: ['workspaces:read'] });
    const pageOf = async (query: string) =>
      (await app.request('GET', `/v2/workspaces?${query}`, { token })).body.map(
        ({ id }: { id: string }) => id,
      );
    expect(await pageOf('limit=2')).toEqual([last.id, first.id]);
    expect(await pageOf('limit=1&page=2')).toEqual([first.id]);
    expect(await pageOf('limit=1&page=3')).toEqual([]);
  });

  it('gets a slug made of its name, with a suffix when that is taken', async () => {
    const { token } = org.owner;
    const name = `Größe ${newSlug()}!`;
    const first = await create(token, { name });
    const second = await create(token, { name });
    expect(first.body.slug).toMatch(/^gro-e-t-[0-9a-f]{12}$/);
    expect(second.body.slug).toMatch(new RegExp(`^${first.body.slug}-[0-9a-f]{8}$`));
    expect((await create(token, { name: '工作' })).body.slug).toMatch(/^workspace-[0-9a-f]{8}$/);
  });

  it('has a slug that is unique only in its organization', async () => {
    const { slug, id } = await newWorkspace(app, org, { slug: newSlug() });
    expect((await create(org.owner.token, { slug })).body.error).toBe('AlreadyExists');
    const { path } = await newWorkspace(app, org);
    const moved = await app.request('PATCH', path, { token: org.owner.token, body: { slug } });
    expect([moved.status, moved.body.error]).toEqual([409, 'AlreadyExists']);
    const other = await newOrg(app);
    expect((await create(other.owner.token, { slug })).status).toBe(201);
    const found = await app.request('GET', `/v2/workspaces/slug:${slug}`, { token: other.owner.token });
    expect(found.body.id).not.toBe(id);
  });

  it('belongs to the named organization, or else to the active one', async () => {
    const other = await newOrg(app);
    const { token } = org.owner;
    await enter(app, other, org.owner, 'admin');
    expect((await create(token)).body.orgSlug).toBe(org.slug);
    expect((await create(token, { orgSlug: other.slug })).body.orgSlug).toBe(other.slug);
    const foreign = await newOrg(app);
    for (const orgSlug of [foreign.slug, newSlug()]) {
      const { status, body } = await create(token, { orgSlug });
      expect([status, body.error]).toEqual([403, 'OrganizationMembershipRequired']);
    }
  });

  it.each([
    {},
    { name: '' },
    { name: 'a', slug: 'Capital' },
    { name: 'a', slug: '' },
    { name: 'a', description: 1 },
    { name: 'a\0' },
    { name: 'a', orgId: 'x' },
  ])('is not created from %j', async body => {
    const { status, body: refusal } = await app.request('POST', '/v2/workspaces', { ...org.owner, body });
    expect([status, refusal.error]).toEqual([400, 'InvalidArguments']);
  });

  it('is created once when many requests for the same slug arrive at once', async () => {
    const slug = newSlug();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(org.owner.token, { slug })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('is deleted with its organization', async () => {
    const company = await newOrg(app);
    const { id } = await newWorkspace(app, company);
    await app.request('DELETE', company.path, company.owner);
    expect(await app.sql('SELECT 1 FROM workspaces WHERE id = $1', [id])).toEqual([]);
  });
});

describe('who may do what with a workspace', () => {
  it('workspaces:create lets a member create one, and then own it', async () => {
    const member = await newMember(app, org);
    expect((await create(member.token)).status).toBe(403);
    const creator = await newMember(app, org, { permissions: ['workspaces:create'] });
    const { body } = await create(creator.token);
    const path = `/v2/workspaces/${body.id}`;
    expect((await app.request('PATCH', path, { ...creator, body: { name: 'Mine' } })).status).toBe(200);
    expect(await listed(creator)).toEqual([body.id]);
    expect((await app.request('DELETE', path, creator)).status).toBe(200);
  });

  it('workspaces:read lets a member read all, workspaces:manage change all', async () => {
    const { id, path } = await newWorkspace(app, org);
    const reader = await newMember(app, org, { permissions: ['workspaces:read'] });
    expect((await app.request('GET', path, reader)).status).toBe(200);
    expect(await listed(reader)).toContain(id);
    expect((await app.request('PATCH', path, { ...reader, body: { name: 'x' } })).status).toBe(403);
    expect((await app.request('DELETE', path, reader)).status).toBe(403);
    const manager = await newMember(app, org, { permissions: ['workspaces:manage'] });
    expect((await app.request('PATCH', path, { ...manager, body: { name: 'x' } })).body.name).toBe('x');
    expect((await app.request('DELETE', path, manager)).status).toBe(200);
  });

  it('a member without permissions and an anonymous caller see none', async () => {
    const { path } = await newWorkspace(app, org);
    for (const caller of [await newMember(app, org), await person(app)]) {
      expect(await listed(caller)).toEqual([]);
      expect((await app.request('GET', path, caller)).status).toBe(404);
      expect((await app.request('PATCH', path, { ...caller, body: { bad: 1 } })).status).toBe(404);
    }
    expect((await app.request('GET', path)).status).toBe(401);
    expect((await app.request('GET', '/v2/workspaces')).status).toBe(401);
  });

  it('an organization key is limited to its permissions and scopes', async () => {
    const [inside, outside] = [await newWorkspace(app, org), await newWorkspace(app, org)];
    const scopes = [`workspaces:${inside.id}`];
    const { apiKey: key } = await newKey(app, org, { permissions: ['workspaces:*'], scopes });
    expect(await listed({ key })).toEqual([inside.id]);
    expect((await app.request('GET', inside.path, { key })).status).toBe(200);
    expect((await app.request('GET', outside.path, { key })).status).toBe(404);
    expect((await app.request('POST', '/v2/workspaces', { key, body: { name: 'x' } })).status).toBe(403);
    const { apiKey: other } = await newKey(app, org, { permissions: ['collections:*'] });
    expect(await listed({ key: other })).toEqual([]);
    expect((await app.request('GET', inside.path, { key: other })).status).toBe(404);
  });

  it('a collection key cannot access a workspace', async () => {
    const { path } = await newWorkspace(app, org);
    const { body } = await mintKey(app, await newCollection(app, org), {
      permissions: ['collections:read'],
    });
    const caller = { key: body.secret };
    const answers = [
      await app.request('GET', '/v2/workspaces', caller),
      await app.request('POST', '/v2/workspaces', { ...caller, body: { name: 'x' } }),
      await app.request('GET', path, caller),
      await app.request('GET', '/v2/workspaces/slug:nothing', caller),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it('a person’s key limits the person to its permissions', async () => {
    const { path } = await newWorkspace(app, org);
    const owned = { ownerType: 'user', ownerId: org.owner.userId };
    const { apiKey: reader } = await newKey(app, org, { ...owned, permissions: ['workspaces:read'] });
    const { apiKey: stranger } = await newKey(app, org, { ...owned, permissions: ['collections:read'] });
    expect((await app.request('GET', path, { key: reader })).status).toBe(200);
    expect((await app.request('PATCH', path, { key: reader, body: { name: 'x' } })).status).toBe(403);
    expect((await app.request('GET', path, { key: stranger })).status).toBe(404);
    expect(await listed({ key: stranger })).toEqual([]);
  });
});
