// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of rules look like this

import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { events, newKey, newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { newWorkspace, secure, type TestWorkspace } from './workspace.js';

let app: TestApp;
let org: TestOrg;
let workspace: TestWorkspace;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  workspace = await newWorkspace(app, org);
});

describe('the roles and rules of a workspace', () => {
  it('begin with the built-in roles and no rules, and are replaced by a PUT', async () => {
    const { path, id } = await newWorkspace(app, org);
    const empty = await app.request('GET', `${path}/security`, org.owner);
    expect(Object.keys(empty.body.authorizations.roles)).toEqual(['owner', 'editor']);
    expect(empty.body.authorizations.rules).toEqual([]);
    const rules = [
      { action: 'read', subject: 'pages', role: 'viewer' },
      {
        action: ['update', 'delete'],
        subject: ['pages', 'files'],
        role: 'viewer',
        conditions: { authorId: '${user.id}', size: { $lt: 5 } },
        fields: ['title'],
        priority: 3,
        reason: 'Their own.',
      },
      { action: 'delete', subject: 'all', inverted: true },
    ];
    const { status, body } = await secure(app, org, { id, path, slug: '' }, { roles: { viewer: {} }, rules });
    expect(status).toBe(200);
    expect(body.authorizations.rules).toEqual(rules);
    expect(Object.keys(body.authorizations.roles).sort()).toEqual(['editor', 'owner', 'viewer']);
    expect((await app.request('GET', `${path}/security`, org.owner)).body).toEqual(body);
    const again = await app.request('PUT', `${path}/security`, { ...org.owner, body });
    expect(again.body).toEqual(body);
    expect((await events(app, org, 'workspaces.security.')).at(-1)).toMatchObject({
      type: 'workspaces.security.updated',
      target: { id },
      changes: { after: { roles: { viewer: {} }, rules } },
    });
  });

  it('are listed, the built-in roles first', async () => {
    const { path } = await newWorkspace(app, org);
    await secure(app, org, { ...workspace, path }, { roles: { viewer: { description: 'Looks.' } } });
    const { body } = await app.request('GET', `${path}/security/roles`, org.owner);
    expect(body.total).toBe(3);
    expect(body.results.at(-1)).toEqual({ name: 'viewer', description: 'Looks.', builtIn: false });
  });

  it.each([
    { rules: [{ action: 'publish', subject: 'pages' }] },
    { rules: [{ action: 'read', subject: 'collections' }] },
    { rules: [{ action: [], subject: 'pages' }] },
    { rules: [{ subject: 'pages' }] },
    { rules: [{ action: 'read' }] },
    { rules: [{ action: 'read', subject: 'pages', role: 'nobody' }] },
    { rules: [{ action: 'read', subject: 'pages', conditions: { $where: '1' } }] },
    { rules: [{ action: 'read', subject: 'pages', conditions: { a: { $regex: 'a' } } }] },
    { rules: [{ action: 'read', subject: 'pages', conditions: { a: '${user.password}' } }] },
    { rules: [{ action: 'read', subject: 'pages', conditions: 'a' }] },
    { rules: [{ action: 'read', subject: 'pages', fields: [] }] },
    { rules: [{ action: 'read', subject: 'pages', fields: ['*a*b'] }] },
    { rules: [{ action: 'read', subject: 'pages', priority: 'high' }] },
    { rules: [{ action: 'read', subject: 'pages', unknown: 1 }] },
    { rules: Array.from({ length: 101 }, () => ({ action: 'read', subject: 'pages' })) },
    { roles: { 'a b': {} } },
    { roles: { viewer: { permissions: ['*'] } } },
    { roles: [] },
    { unknown: 1 },
  ])('refuse %j and stay unchanged', async authorizations => {
    const { status, body } = await secure(app, org, workspace, authorizations);
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
    const kept = await app.request('GET', `${workspace.path}/security`, org.owner);
    expect(kept.body.authorizations.rules).toEqual([]);
  });

  it('are managed by administrators of the workspace only', async () => {
    const reader = await newMember(app, org, { permissions: ['workspaces:read'] });
    const { apiKey: key } = await newKey(app, org, { permissions: ['workspaces:read'] });
    const put = { body: { authorizations: { rules: [{ action: 'manage', subject: 'all' }] } } };
    for (const caller of [reader, { key }]) {
      expect((await app.request('GET', `${workspace.path}/security`, caller)).status).toBe(403);
      expect((await app.request('PUT', `${workspace.path}/security`, { ...caller, ...put })).status).toBe(
        403,
      );
    }
    const plain = await newMember(app, org);
    expect((await app.request('PUT', `${workspace.path}/security`, { ...plain, ...put })).status).toBe(404);
    const manager = await newMember(app, org, { permissions: ['workspaces:manage'] });
    expect((await app.request('GET', `${workspace.path}/security`, manager)).status).toBe(200);
  });
});

describe('a rule about the workspace itself', () => {
  it('lets members who only see the workspace change the fields that it names', async () => {
    const own = await newWorkspace(app, org);
    const reader = await newMember(app, org, { permissions: ['workspaces:read'] });
    const patch = (body: object) => app.request('PATCH', own.path, { ...reader, body });
    expect((await patch({ description: 'x' })).status).toBe(403);
    await secure(app, org, own, {
      rules: [{ action: 'update', subject: 'workspaces', fields: ['description'] }],
    });
    expect((await patch({ description: 'x' })).body.description).toBe('x');
    expect((await patch({ description: 'y', name: 'z' })).status).toBe(403);
    expect((await app.request('GET', own.path, reader)).body).toMatchObject({ description: 'x' });
  });

  it('hides the workspace from everyone but administrators when it forbids reading', async () => {
    const own = await newWorkspace(app, org);
    const [one, other] = [
      await newMember(app, org, { permissions: ['workspaces:read'] }),
      await newMember(app, org, { permissions: ['workspaces:read'] }),
    ];
    await secure(app, org, own, {
      rules: [{ action: 'read', subject: 'workspaces', inverted: true, conditions: { slug: own.slug } }],
    });
    for (const caller of [one, other]) {
      expect((await app.request('GET', own.path, caller)).status).toBe(403);
      const list = await app.request('GET', '/v2/workspaces', caller);
      expect(list.body.map(({ id }: { id: string }) => id)).not.toContain(own.id);
    }
    expect((await app.request('GET', own.path, org.owner)).status).toBe(200);
  });

  it('never lets anybody administer the workspace', async () => {
    const own = await newWorkspace(app, org);
    const reader = await newMember(app, org, { permissions: ['workspaces:read'] });
    await secure(app, org, own, { rules: [{ action: 'manage', subject: 'all' }] });
    const body = { authorizations: {} };
    expect((await app.request('PUT', `${own.path}/security`, { ...reader, body })).status).toBe(403);
    expect((await app.request('DELETE', own.path, reader)).status).toBe(200);
  });
});
