// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of rules look like this

import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { outcome } from '../../harness/collection.js';
import { events, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { invite, newWorkspace, secure, type TestWorkspace } from './workspace.js';

let app: TestApp;
let org: TestOrg;
let source: TestWorkspace;
let target: TestWorkspace;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  org = await newOrg(app);
  source = await newWorkspace(app, org);
  target = await newWorkspace(app, org);
});

const call = (body: object, { caller = org.owner as object, from = source } = {}) =>
  app.request('POST', `${from.path}/calls`, { ...caller, body });
const get = (path = '/', to = target.id) => ({ target: to, method: 'GET', path });
const fromSource = () => ({ 'run.sourceWorkspaceId': source.id });
const allow = (rule: object, of = target, owner = org) => secure(app, owner, of, { rules: [rule] });

describe('a call to another workspace', () => {
  it('may do what the target’s rules let this workspace do, not what its caller may do', async () => {
    expect(outcome(await call(get()))).toEqual([404, 'NotFound']);
    await allow({ action: 'read', subject: 'workspaces', conditions: fromSource() });
    const { status, body } = await call(get());
    expect([status, body.id, body.slug]).toEqual([200, target.id, target.slug]);
    // Its caller owns both workspaces.
    const change = { target: target.id, method: 'PATCH', path: '/', body: { name: 'Taken over' } };
    expect(outcome(await call(change))).toEqual([403, 'Forbidden']);
    expect((await app.request('GET', target.path, org.owner)).body.name).not.toBe('Taken over');
  });

  it('is not allowed by rules for members of the target or for other workspaces', async () => {
    const third = await newWorkspace(app, org);
    const rules = [
      { action: 'manage', subject: 'all' },
      { action: 'manage', subject: 'all', role: 'owner' },
      { action: 'manage', subject: 'all', role: 'editor', conditions: fromSource() },
      { action: 'manage', subject: 'all', conditions: { 'run.sourceWorkspaceId': third.id } },
      { action: 'manage', subject: 'all', conditions: { id: '${run.sourceWorkspaceId}' } },
    ];
    for (const rule of rules.slice(0, 4)) {
      await allow(rule);
      expect(outcome(await call(get())), JSON.stringify(rule)).toEqual([404, 'NotFound']);
    }
    await allow(rules[4]!);
    expect(outcome(await call(get()))).toEqual([403, 'Forbidden']);
  });

  it.each<[string, (id: string) => object, number]>([
    ['one of a list', id => ({ 'run.sourceWorkspaceId': { $in: [id, randomUUID()] } }), 200],
    ['none of a list', id => ({ 'run.sourceWorkspaceId': { $nin: [id] } }), 404],
    ['any workspace', () => ({ 'run.sourceWorkspaceId': { $exists: true } }), 200],
    ['either, within', id => ({ $or: [{ 'run.sourceWorkspaceId': id }, { slug: 'none' }] }), 200],
    ['another, within', () => ({ $and: [{ 'run.sourceWorkspaceId': randomUUID() }] }), 404],
    ['and the slug of the target', id => ({ 'run.sourceWorkspaceId': id, slug: 'none' }), 403],
  ])('is decided by conditions: %s', async (_, conditions, status) => {
    await allow({ action: 'read', subject: 'workspaces', conditions: conditions(source.id) });
    expect((await call(get())).status).toBe(status);
  });

  it.each<[string, (others: object[], own: object) => object]>([
    ['$or', others => ({ $or: others })],
    ['$and', others => ({ $and: [{ $or: others }, { name: { $exists: true } }] })],
    ['$nor', (_, own) => ({ $nor: [own] })],
  ])('is not seen by rules that name other workspaces within %s', async (_, conditions) => {
    const elsewhere = await newOrg(app);
    const theirs = await newWorkspace(app, elsewhere);
    const others = [randomUUID(), randomUUID()].map(id => ({ 'run.sourceWorkspaceId': id }));
    const rule = {
      action: 'read',
      subject: ['pages', 'workspaces'],
      conditions: conditions(others, fromSource()),
    };
    await allow(rule, theirs, elsewhere);
    const question = { action: 'read', subject: 'pages' };
    const check = { target: theirs.id, method: 'POST', path: '/security/check', body: question };
    for (const body of [check, get('/context', theirs.id), get('/', theirs.id)])
      expect(outcome(await call(body)), JSON.stringify(body)).toEqual([404, 'NotFound']);
  });

  it('is forbidden by inverted rules, for this source or for everyone', async () => {
    const read = { action: 'read', subject: 'workspaces', conditions: fromSource() };
    for (const conditions of [fromSource(), {}]) {
      const forbid = { action: 'read', subject: 'workspaces', inverted: true, reason: 'Closed.', conditions };
      await secure(app, org, target, { rules: [read, forbid] });
      const { status, body } = await call(get());
      expect([status, body.message]).toEqual([403, expect.stringContaining('Closed.')]);
    }
    const other = {
      action: 'read',
      subject: 'all',
      inverted: true,
      conditions: { 'run.sourceWorkspaceId': randomUUID() },
    };
    await secure(app, org, target, { rules: [read, other] });
    expect((await call(get())).status).toBe(200);
  });

  it('reaches a workspace of another organization by its id, when a rule allows it', async () => {
    const elsewhere = await newOrg(app);
    const theirs = await newWorkspace(app, elsewhere);
    expect((await call(get('/', theirs.id))).status).toBe(404);
    await allow({ action: 'read', subject: 'workspaces', conditions: fromSource() }, theirs, elsewhere);
    expect((await call(get('/', theirs.id))).body.id).toBe(theirs.id);
    expect((await call(get('/', `slug:${theirs.slug}`))).status).toBe(404);
  });

  it('finds a target of its organization by its slug', async () => {
    await allow({ action: 'read', subject: 'workspaces', conditions: fromSource() });
    const { body } = await call(get(`/v2/workspaces/slug:${target.slug}`, `slug:${target.slug}`));
    expect(body.id).toBe(target.id);
  });

  it('can read, update, check permissions, list roles, read the context and delete', async () => {
    await allow({ action: 'manage', subject: 'all', conditions: fromSource() });
    const ask = (method: string, path: string, body?: object) =>
      call({ target: target.id, method, path, body });
    const changed = await ask('PATCH', '/', { name: 'Changed' });
    expect([changed.status, changed.body.name]).toEqual([200, 'Changed']);
    expect((await ask('GET', `/v2/workspaces/${target.id}`)).body.name).toBe('Changed');
    expect(
      (await ask('GET', '/security/roles')).body.results.map(({ name }: { name: string }) => name),
    ).toEqual(['owner', 'editor']);
    const question = { action: 'read', subject: 'pages' };
    expect((await ask('POST', '/security/check', question)).body.allowed).toBe(true);
    expect((await ask('GET', '/context')).body).toMatchObject({
      session: { id: null },
      user: { id: null, email: null, role: null, orgSlugs: [] },
      run: { permissions: {}, scopes: [], sourceWorkspaceId: source.id },
    });
    expect((await ask('PATCH', '/', { name: 7 })).status).toBe(400);
    expect((await ask('DELETE', '/')).body).toEqual({ success: true });
    expect((await app.request('GET', target.path, org.owner)).status).toBe(404);
  });

  it('replaces the placeholder of the source, and adds the source to the tested resource', async () => {
    await allow({ action: 'read', subject: 'pages', conditions: { sharedWith: '${run.sourceWorkspaceId}' } });
    const check = (resource: object) =>
      call({
        target: target.id,
        method: 'POST',
        path: '/security/check',
        body: { action: 'read', subject: 'pages', resource },
      });
    expect((await check({ sharedWith: source.id })).body.allowed).toBe(true);
    expect((await check({ sharedWith: target.id })).body.allowed).toBe(false);
    await allow({ action: 'read', subject: 'pages', conditions: { $or: [fromSource()] } });
    expect((await check({})).body.allowed).toBe(true);
    expect((await check({ run: { sourceWorkspaceId: 'other' } })).body.allowed).toBe(true);
  });

  it.each([
    ['GET', '/calls'],
    ['POST', '/calls'],
    ['POST', '/security/apikeys'],
    ['GET', '/security'],
    ['POST', '/permissions'],
    ['GET', '/../../orgs'],
    ['GET', '//'],
    ['GET', '/v2/orgs'],
    ['GET', '/v2/me'],
    ['GET', '/v1/collections'],
    ['GET', '/context/'],
    ['GET', 'context'],
    ['GET', '/constructor'],
  ])('refuses %s %s, which is not an operation for calls', async (method, path) => {
    await allow({ action: 'manage', subject: 'all', conditions: fromSource() });
    expect(outcome(await call({ target: target.id, method, path }))).toEqual([400, 'InvalidArguments']);
  });

  it('refuses the path of another workspace than the target', async () => {
    await allow({ action: 'manage', subject: 'all', conditions: fromSource() });
    const third = await newWorkspace(app, org);
    expect((await call(get(`/v2/workspaces/${third.id}`))).status).toBe(400);
    expect((await call(get(`/v2/workspaces/${target.id}x`))).status).toBe(400);
  });

  it('refuses the workspace itself and a target that does not exist as its target', async () => {
    await allow({ action: 'read', subject: 'workspaces', conditions: fromSource() }, source);
    expect(outcome(await call(get('/', source.id)))).toEqual([400, 'InvalidArguments']);
    for (const to of [randomUUID(), 'x', 'slug:none']) {
      expect(outcome(await call(get('/', to)))).toEqual([404, 'NotFound']);
    }
  });

  it('needs the right to execute automations of the workspace', async () => {
    await allow({ action: 'read', subject: 'workspaces', conditions: fromSource() });
    const viewer = await newMember(app, org);
    expect((await call(get(), { caller: viewer })).status).toBe(404);
    await secure(app, org, source, { roles: { viewer: {} }, rules: [] });
    await invite(app, org, source, viewer, 'viewer');
    expect(outcome(await call(get(), { caller: viewer }))).toEqual([403, 'Forbidden']);
    await secure(app, org, source, {
      roles: { viewer: {} },
      rules: [{ action: 'execute', subject: 'automations', role: 'viewer' }],
    });
    expect((await call(get(), { caller: viewer })).status).toBe(200);
    const key = async (action: string) => {
      const body = { name: newSlug(), rules: [{ action, subject: 'automations' }] };
      return (await app.request('POST', `${source.path}/security/apikeys`, { ...org.owner, body })).body
        .apiKey;
    };
    expect((await call(get(), { caller: { key: await key('execute') } })).status).toBe(200);
    expect((await call(get(), { caller: { key: await key('read') } })).status).toBe(403);
  });

  it('records an event on both sides, with the person as actor on one and the workspace on the other', async () => {
    await allow({ action: ['read', 'update'], subject: 'workspaces', conditions: fromSource() });
    await call({ target: target.id, method: 'PATCH', path: '/', body: { name: 'Logged' } });
    const operation = { method: 'PATCH', path: '/', sourceWorkspaceId: source.id };
    const subject = { type: 'workspace', id: target.id, name: target.slug };
    expect(await events(app, org, 'workspaces.calls')).toEqual([
      {
        type: 'workspaces.calls.made',
        actor: { type: 'user', id: org.owner.userId, via: 'rest' },
        target: subject,
        changes: { after: operation },
      },
      {
        type: 'workspaces.calls.received',
        actor: { type: 'workspace', id: source.id, via: 'rest' },
        target: subject,
        changes: { after: operation },
      },
    ]);
    const [updated] = await events(app, org, 'workspaces.updated');
    expect(updated!.actor).toEqual({ type: 'workspace', id: source.id, via: 'rest' });
  });
});

describe('a refused call', () => {
  const refused = (of: TestOrg) => events(app, of, 'workspaces.calls');
  const sent = (method: string) => ({ after: { method, path: '/', sourceWorkspaceId: source.id } });

  it('is recorded in the caller’s log, and in the target’s log when the target grants the workspace anything', async () => {
    const elsewhere = await newOrg(app);
    const theirs = await newWorkspace(app, elsewhere);
    await allow({ action: 'read', subject: 'workspaces', conditions: fromSource() }, theirs, elsewhere);
    const change = { target: theirs.id, method: 'PATCH', path: '/', body: { name: 'a secret name' } };
    expect(outcome(await call(change))).toEqual([403, 'Forbidden']);
    const event = {
      type: 'workspaces.calls.refused',
      target: { type: 'workspace', id: theirs.id, name: theirs.slug },
      changes: sent('PATCH'),
    };
    const user = { type: 'user', id: org.owner.userId, via: 'rest' };
    expect(await refused(org)).toEqual([{ ...event, actor: user }]);
    const workspace = { type: 'workspace', id: source.id, via: 'rest' };
    expect(await refused(elsewhere)).toEqual([{ ...event, actor: workspace }]);
  });

  it('is not recorded by a target that grants the workspace nothing, and reads at home as if there were no target', async () => {
    const elsewhere = await newOrg(app);
    const theirs = await newWorkspace(app, elsewhere);
    const nobody = randomUUID();
    for (const to of [theirs.id, nobody]) expect((await call(get('/', to))).status).toBe(404);
    expect(await refused(elsewhere)).toEqual([]);
    const actor = { type: 'user', id: org.owner.userId, via: 'rest' };
    expect(await refused(org)).toEqual(
      [theirs.id, nobody].map(id => ({
        type: 'workspaces.calls.refused',
        target: { type: 'workspace', id },
        actor,
        changes: sent('GET'),
      })),
    );
  });

  it('is recorded when the caller may not execute automations, and not for an invalid operation', async () => {
    const viewer = await newMember(app, org);
    await secure(app, org, source, { roles: { viewer: {} }, rules: [] });
    await invite(app, org, source, viewer, 'viewer');
    await allow({ action: 'read', subject: 'workspaces', conditions: fromSource() });
    expect((await call(get(), { caller: viewer })).status).toBe(403);
    expect((await call(get('/security/apikeys'), { caller: viewer })).status).toBe(400);
    expect(await refused(org)).toEqual([
      {
        type: 'workspaces.calls.refused',
        target: { type: 'workspace', id: target.id },
        actor: { type: 'user', id: viewer.userId, via: 'rest' },
        changes: sent('GET'),
      },
    ]);
  });
});

describe('a source that a client sends', () => {
  it('is ignored in headers, resources and queries of reads, and refused in bodies and queries of writes', async () => {
    await allow({ action: 'manage', subject: 'all', conditions: fromSource() });
    const viewer = await newMember(app, org);
    const third = await newWorkspace(app, org);
    const claims = {
      'x-platform-source-workspace-id': source.id,
      'x-source-workspace-id': source.id,
      'x-platform-workspace-id': source.id,
    };
    const query = `?sourceWorkspaceId=${source.id}&run.sourceWorkspaceId=${source.id}`;
    const read = await app.request('GET', `${target.path}${query}`, { ...viewer, headers: claims });
    expect(read.status).toBe(404);
    const send = { ...org.owner, headers: claims, body: get() };
    expect((await app.request('POST', `${third.path}/calls`, send)).status).toBe(404);
    expect((await app.request('POST', `${third.path}/calls${query}`, send)).status).toBe(400);
    expect((await call({ ...get(), sourceWorkspaceId: source.id }, { from: third })).status).toBe(400);
    await invite(app, org, target, viewer, 'editor');
    await allow({ action: 'execute', subject: 'workspaces', conditions: { $or: [fromSource()] } });
    const body = {
      action: 'execute',
      subject: 'workspaces',
      resource: { run: { sourceWorkspaceId: source.id }, 'run.sourceWorkspaceId': source.id },
    };
    const checked = await app.request('POST', `${target.path}/security/check`, {
      ...viewer,
      headers: claims,
      body,
    });
    expect([checked.status, checked.body.allowed]).toEqual([200, false]);
  });
});
