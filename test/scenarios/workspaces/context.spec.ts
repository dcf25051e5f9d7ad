import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { invite, newWorkspace, secure, type TestWorkspace } from './workspace.js';

let app: TestApp;
let org: TestOrg;
let workspace: TestWorkspace;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  workspace = await newWorkspace(app, org);
});

const context = (caller: object, more: object = {}) =>
  app.request('GET', `${workspace.path}/context`, { ...caller, ...more });

describe('the context of automations', () => {
  it('contains every variable with the caller’s values', async () => {
    const settings = { theme: { dark: true } };
    const subscription = { plan: 'team' };
    const { token } = org.owner;
    await app.request('PATCH', org.path, { token, body: { settings, subscription } });
    const permissions = ['orgs:apikeys:manage', 'collections:read', 'workspaces:*'];
    const member = await newMember(app, org, { permissions, scopes: [`workspaces:${workspace.id}`] });
    await app.request('POST', `${org.path}/groups`, { token, body: { slug: 'readers', name: 'Readers' } });
    const group = { userId: member.userId };
    await app.request('POST', `${org.path}/groups/readers/members`, { token, body: group });
    await invite(app, org, workspace, member, 'editor');
    const me = (await app.request('GET', '/v2/me', member)).body;
    const { status, body } = await context(member, { headers: { 'x-correlation-id': 'run-1' } });
    expect(status).toBe(200);
    const { role } = body.session.org;
    expect(body).toEqual({
      session: {
        id: member.sessionId,
        org: {
          slug: org.slug,
          name: 'Acme',
          role: { slug: role.slug, permissions, scopes: [`workspaces:${workspace.id}`] },
          groups: body.session.org.groups,
          settings,
          subscription,
        },
      },
      user: { id: member.userId, email: me.user?.email ?? me.email, role: 'editor', orgSlugs: [org.slug] },
      run: {
        permissions: {
          orgs: { apikeys: { manage: true } },
          collections: { '*': { read: true } },
          workspaces: { '*': { '*': true } },
        },
        scopes: [`workspaces:${workspace.id}`],
        correlationId: 'run-1',
        sourceWorkspaceId: null,
      },
    });
  });

  it('describes the active organization, even when the workspace belongs to another one', async () => {
    const slug = newSlug();
    const { token } = org.owner;
    await app.request('POST', '/v2/orgs', { token, body: { slug, name: 'Second' } });
    const before = (await context(org.owner)).body;
    expect([before.session.org.slug, before.run.permissions]).toEqual([
      org.slug,
      { '*': { '*': { '*': true } } },
    ]);
    await app.request('PUT', '/v2/user/active-org', { token, body: { orgSlug: slug } });
    const after = (await context(org.owner)).body;
    expect([after.session.org.slug, after.user.orgSlugs]).toEqual([slug, [org.slug, slug]]);
    await app.request('PUT', '/v2/user/active-org', { token, body: { orgSlug: org.slug } });
  });

  it('has no person and no session for a key, and only the key’s permissions', async () => {
    const { apiKey: key } = await newKey(app, org, { permissions: ['workspaces:read', 'files:read'] });
    const { body } = await context({ key });
    expect([body.session.id, body.user, body.run.permissions]).toEqual([
      null,
      { id: null, email: null, role: null, orgSlugs: [] },
      { workspaces: { '*': { read: true } }, files: { '*': { read: true } } },
    ]);
    expect(body.session.org.role).toEqual({
      slug: null,
      permissions: ['workspaces:read', 'files:read'],
      scopes: [],
    });
  });

  it('has only the permissions that both a person and their key hold', async () => {
    const owner = { ownerType: 'user', ownerId: org.owner.userId };
    const { apiKey: key } = await newKey(app, org, { permissions: ['workspaces:read'], ...owner });
    const { body } = await context({ key });
    expect(body.user.id).toBe(org.owner.userId);
    expect([body.session.org.role.permissions, body.run.permissions]).toEqual([
      ['workspaces:read'],
      { workspaces: { '*': { read: true } } },
    ]);
  });

  it('has no organization for a key of the workspace', async () => {
    const rules = [{ action: 'read', subject: 'files' }];
    const made = await app.request('POST', `${workspace.path}/security/apikeys`, {
      ...org.owner,
      body: { name: 'Files', rules },
    });
    const { body } = await context({ key: made.body.apiKey });
    expect([body.session, body.run.permissions, body.run.scopes]).toEqual([{ id: null, org: null }, {}, []]);
  });

  it('ignores a source that a client sends, and is hidden from callers who cannot see the workspace', async () => {
    await secure(app, org, workspace, { rules: [] });
    const claim = { 'x-platform-source-workspace-id': workspace.id, 'run.sourceworkspaceid': workspace.id };
    const path = `${workspace.path}/context?sourceWorkspaceId=${workspace.id}&run.sourceWorkspaceId=${workspace.id}`;
    const { status, body } = await app.request('GET', path, { ...org.owner, headers: claim });
    expect([status, body.run.sourceWorkspaceId]).toEqual([200, null]);
    expect((await context(await newMember(app, org))).status).toBe(404);
    expect((await context({})).status).toBe(401);
  });
});
