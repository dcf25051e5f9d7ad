// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of rules look like this

import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import type { Person } from '../auth/person.js';
import { newKey, newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { invite, newWorkspace, secure, type TestWorkspace } from './workspace.js';

let app: TestApp;
let org: TestOrg;
let workspace: TestWorkspace;
let viewer: Person;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  workspace = await newWorkspace(app, org);
  viewer = await newMember(app, org);
  await secure(app, org, workspace, {
    roles: { viewer: {} },
    rules: [
      { action: 'read', subject: 'pages', role: 'viewer', conditions: { public: true } },
      { action: 'manage', subject: 'files', role: 'viewer', conditions: { authorId: '${user.id}' } },
      { action: 'delete', subject: 'all', inverted: true, priority: 9, reason: 'Nothing is deleted here.' },
      { action: 'read', subject: 'events', conditions: { sessionId: '${session.id}' } },
      { action: 'execute', subject: 'automations', conditions: { from: '${run.sourceWorkspaceId}' } },
      { action: 'read', subject: 'apps', conditions: { parts: { $elemMatch: { size: { $gt: 1 } } } } },
    ],
  });
  await invite(app, org, workspace, viewer, 'viewer');
});

const check = (caller: object, action: string, subject: string, resource?: unknown) =>
  app.request('POST', `${workspace.path}/security/check`, { ...caller, body: { action, subject, resource } });

const allowed = async (...question: Parameters<typeof check>) => {
  const { status, body } = await check(...question);
  expect([status, Object.keys(body)]).toEqual([200, ['allowed', 'reason']]);
  return body.allowed;
};

describe('checking a permission in a workspace', () => {
  it('answers with the reason', async () => {
    expect((await check(org.owner, 'delete', 'workspaces')).body).toEqual({
      allowed: true,
      reason: 'The role owner allows it.',
    });
    expect((await check(viewer, 'delete', 'files', { authorId: viewer.userId })).body).toEqual({
      allowed: false,
      reason: 'Nothing is deleted here.',
    });
    expect((await check(viewer, 'create', 'apps')).body).toEqual({
      allowed: false,
      reason: 'No rule allows it.',
    });
  });

  it('applies the conditions of rules', async () => {
    expect(await allowed(viewer, 'read', 'pages', { public: true })).toBe(true);
    expect(await allowed(viewer, 'read', 'pages', { public: false })).toBe(false);
    expect(await allowed(viewer, 'read', 'pages', {})).toBe(false);
    expect(await allowed(viewer, 'read', 'pages')).toBe(true);
    expect(await allowed(viewer, 'update', 'pages', { public: true })).toBe(false);
  });

  it('replaces placeholders by the caller’s values', async () => {
    expect(await allowed(viewer, 'update', 'files', { authorId: viewer.userId })).toBe(true);
    expect(await allowed(viewer, 'update', 'files', { authorId: org.owner.userId })).toBe(false);
    expect(await allowed(viewer, 'read', 'events', { sessionId: viewer.sessionId })).toBe(true);
    expect(await allowed(viewer, 'read', 'events', { sessionId: org.owner.sessionId })).toBe(false);
  });

  it('never allows by a rule whose placeholder has no value for the caller', async () => {
    for (const from of ['', '${run.sourceWorkspaceId}', workspace.id, undefined, null]) {
      expect(await allowed(viewer, 'execute', 'automations', { from })).toBe(false);
    }
    expect(await allowed(viewer, 'execute', 'automations')).toBe(false);
    const { apiKey: key } = await newKey(app, org, { permissions: ['workspaces:read'] });
    expect(await allowed({ key }, 'read', 'events', { sessionId: '' })).toBe(false);
    expect(await allowed({ key }, 'read', 'events')).toBe(false);
  });

  it('never allows anything in another workspace or by a source that the client sends', async () => {
    const other = await newWorkspace(app, org);
    expect(await allowed(org.owner, 'read', 'files', { workspaceId: other.id })).toBe(false);
    expect(await allowed(org.owner, 'read', 'workspaces', { id: other.id })).toBe(false);
    const claimed = await app.request('POST', `${workspace.path}/security/check`, {
      token: viewer.token,
      headers: { 'x-platform-source-workspace-id': other.id },
      body: { action: 'execute', subject: 'automations', resource: { from: other.id } },
    });
    expect(claimed.body.allowed).toBe(false);
  });

  it('answers an API key of the workspace by the rules of the key alone', async () => {
    const { body } = await app.request('POST', `${workspace.path}/security/apikeys`, {
      ...org.owner,
      body: { name: 'Files', rules: [{ action: ['read', 'delete'], subject: 'files' }] },
    });
    const caller = { key: body.apiKey };
    expect(await allowed(caller, 'read', 'files', {})).toBe(true);
    expect(await allowed(caller, 'delete', 'files')).toBe(true);
    expect(await allowed(caller, 'update', 'files')).toBe(false);
    expect(await allowed(caller, 'read', 'pages', { public: true })).toBe(false);
    expect(await allowed(caller, 'read', 'workspaces')).toBe(false);
    expect(await allowed(caller, 'read', 'files', { workspaceId: 'other' })).toBe(false);
  });

  it('answers without a server error for resources of any shape', async () => {
    for (const resource of [
      { parts: [null] },
      { parts: [1, [[]]] },
      { parts: [{ size: { valueOf: 1, toString: 1 } }] },
      { __caslSubjectType__: 'workspaces' },
      { constructor: { name: 'x' }, prototype: 1 },
    ]) {
      expect(await allowed(viewer, 'read', 'apps', resource)).toBe(false);
    }
  });

  it('refuses callers who cannot see the workspace, and malformed questions', async () => {
    const stranger = await newMember(app, org);
    expect((await check(stranger, 'read', 'pages')).status).toBe(404);
    for (const [action, subject, resource] of [
      ['all', 'pages'],
      ['read', 'all'],
      ['read', 'collections'],
      ['read', 'pages', 'x'],
      ['read', 'pages', []],
    ] as [string, string, unknown?][]) {
      expect((await check(viewer, action, subject, resource)).status).toBe(400);
    }
  });
});

describe('checking what another person may do', () => {
  const ask = (caller: object, userId: string, question: object) =>
    app.request('POST', `${workspace.path}/security/check`, { ...caller, body: { ...question, userId } });
  const own = () => ({ action: 'update', subject: 'files', resource: { authorId: viewer.userId } });

  it('answers those who administer the workspace as it would answer that person', async () => {
    expect((await ask(org.owner, viewer.userId, own())).body).toEqual(
      (await check(viewer, 'update', 'files', own().resource)).body,
    );
    expect((await ask(org.owner, viewer.userId, own())).body.allowed).toBe(true);
    const others = { ...own(), resource: { authorId: org.owner.userId } };
    expect((await ask(org.owner, viewer.userId, others)).body.allowed).toBe(false);
    expect((await ask(org.owner, org.owner.userId, others)).body.allowed).toBe(true);
  });

  it('is refused to everybody else, also about themselves', async () => {
    for (const userId of [viewer.userId, org.owner.userId]) {
      expect((await ask(viewer, userId, own())).status).toBe(403);
    }
  });

  it('answers that somebody without access, of another organization or unknown does not see it', async () => {
    const stranger = await newMember(app, org);
    const foreign = (await newOrg(app)).owner;
    const nobody = '0192f0c1-2f7a-7c5e-9a1b-3d4e5f607182';
    for (const userId of [stranger.userId, foreign.userId, nobody]) {
      expect((await ask(org.owner, userId, own())).body).toEqual({
        ...{ allowed: false, reason: 'This person does not see the workspace.' },
      });
    }
  });
});
