import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { events, newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { newWorkspace, type TestWorkspace } from './workspace.js';

let app: TestApp;
let org: TestOrg;
let workspace: TestWorkspace;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  workspace = await newWorkspace(app, org);
});

const keysOf = ({ path }: TestWorkspace) => `${path}/security/apikeys`;

const mint = (rules: unknown, to = workspace, name = 'Website') =>
  app.request('POST', keysOf(to), { ...org.owner, body: { name, rules } });

const keyFor = async (action: unknown, subject: string, to = workspace): Promise<string> =>
  (await mint([{ action, subject }], to)).body.apiKey;

const statusOf = async (key: string, path: string, method = 'GET', body?: object) =>
  (await app.request(method, path, { key, body })).status;

describe('an API key of a workspace', () => {
  it('is minted with its rules restricted to the workspace, and shown once', async () => {
    const { status, body } = await mint([
      { action: 'read', subject: 'workspaces' },
      { action: ['create', 'read'], subject: 'files' },
    ]);
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Website', subjectId: workspace.id, subjectType: 'workspaces' });
    expect(body.apiKey).toMatch(/^wak_[A-Za-z0-9_-]{43}$/);
    expect(body.rules).toEqual([
      { action: ['read'], subject: 'workspaces', conditions: { id: workspace.id } },
      { action: ['create', 'read'], subject: 'files', conditions: { workspaceId: workspace.id } },
    ]);
    const list = await app.request('GET', keysOf(workspace), org.owner);
    const { apiKey, ...shown } = body;
    expect(list.body.results).toContainEqual(shown);
    expect(list.body.total).toBe(list.body.results.length);
    expect(shown).toMatchObject({ prefix: apiKey.slice(0, 8), lastUsedAt: null });
    expect(list.text).not.toContain(apiKey);
  });

  it('is stored as a hash, and no event contains it', async () => {
    const { body } = await mint([{ action: 'read', subject: 'files' }]);
    const [row] = await app.sql('SELECT * FROM workspace_api_keys WHERE id = $1', [body.id]);
    expect(JSON.stringify(row)).not.toContain(body.apiKey.slice(8));
    const logged = await events(app, org, 'workspaces.apikeys.');
    expect(logged.at(-1)).toMatchObject({
      type: 'workspaces.apikeys.minted',
      target: { id: body.id, name: 'Website' },
      changes: { after: { rules: body.rules } },
    });
    expect(JSON.stringify(logged)).not.toContain(body.apiKey.slice(8));
    expect(JSON.stringify(logged)).not.toContain(row.secret_hash);
  });

  it('is restricted to its workspace, whatever conditions are sent', async () => {
    const conditions = { workspaceId: 'other', id: 'other', public: true };
    const { body } = await mint([
      { action: 'read', subject: 'files', conditions },
      { action: 'read', subject: 'workspaces', conditions: { id: 'other' } },
    ]);
    expect(body.rules).toEqual([
      { action: ['read'], subject: 'files', conditions: { ...conditions, workspaceId: workspace.id } },
      { action: ['read'], subject: 'workspaces', conditions: { id: workspace.id } },
    ]);
  });

  it.each<{ rules: unknown }>(
    [
      [],
      'read',
      [{ action: 'read' }],
      [{ subject: 'files' }],
      [{ action: 'publish', subject: 'files' }],
      [{ action: [], subject: 'files' }],
      [{ action: ['read', 'all'], subject: 'files' }],
      [{ action: 'read', subject: 'all' }],
      [{ action: 'read', subject: ['files'] }],
      [{ action: 'read', subject: 'collections' }],
      [{ action: 'read', subject: 'files', conditions: { $where: '1' } }],
      [{ action: 'read', subject: 'files', inverted: true }],
      Array.from({ length: 21 }, () => ({ action: 'read', subject: 'files' })),
    ].map(rules => ({ rules })),
  )('is not minted with %j', async ({ rules }) => {
    const { status, body } = await mint(rules);
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
  });

  it('is managed by administrators of the workspace, but not by its keys', async () => {
    const { body } = await mint([{ action: 'manage', subject: 'workspaces' }]);
    const reader = await newMember(app, org, { permissions: ['workspaces:read'] });
    const stranger = await newMember(app, org);
    for (const [caller, status] of [
      [{ key: body.apiKey }, 403],
      [reader, 403],
      [stranger, 404],
    ] as const) {
      const rules = [{ action: 'manage', subject: 'files' }];
      const path = keysOf(workspace);
      const sent = [
        await app.request('GET', path, caller),
        await app.request('POST', path, { ...caller, body: { name: 'More', rules } }),
        await app.request('PUT', `${path}/${body.id}`, { ...caller, body: { rules } }),
        await app.request('DELETE', `${path}/${body.id}`, caller),
      ];
      expect(sent.map(answer => answer.status)).toEqual([status, status, status, status]);
    }
  });

  it('is changed and revoked, at once and with an event each', async () => {
    const { body } = await mint([{ action: 'read', subject: 'workspaces' }]);
    const path = `${keysOf(workspace)}/${body.id}`;
    expect(await statusOf(body.apiKey, workspace.path)).toBe(200);
    const rules = [{ action: 'read', subject: 'files' }];
    const changed = await app.request('PUT', path, { ...org.owner, body: { name: 'Files', rules } });
    expect(changed.body).toMatchObject({ id: body.id, name: 'Files' });
    expect(changed.text).not.toContain('apiKey');
    expect(await statusOf(body.apiKey, workspace.path)).toBe(403);
    expect((await app.request('DELETE', path, org.owner)).body).toEqual({ success: true });
    expect(await statusOf(body.apiKey, workspace.path)).toBe(401);
    expect((await app.request('DELETE', path, org.owner)).status).toBe(404);
    const logged = await events(app, org, 'workspaces.apikeys.');
    expect(logged.filter(({ target }) => target.id === body.id).map(({ type }) => type)).toEqual([
      'workspaces.apikeys.minted',
      'workspaces.apikeys.updated',
      'workspaces.apikeys.revoked',
    ]);
  });

  it('is not found in another workspace', async () => {
    const other = await newWorkspace(app, org);
    const { body } = await mint([{ action: 'read', subject: 'files' }]);
    const path = `${keysOf(other)}/${body.id}`;
    expect((await app.request('DELETE', path, org.owner)).status).toBe(404);
    expect((await app.request('PUT', path, { ...org.owner, body: { name: 'x' } })).status).toBe(404);
    expect((await app.request('GET', keysOf(other), org.owner)).body).toEqual({ results: [], total: 0 });
  });
});

describe('a call with an API key of a workspace', () => {
  it('sees only its own workspace', async () => {
    const own = await newWorkspace(app, org);
    const other = await newWorkspace(app, org);
    const key = await keyFor('manage', 'workspaces', own);
    const { status, body } = await app.request('GET', '/v2/workspaces', { key });
    expect([status, body.map(({ id }: TestWorkspace) => id)]).toEqual([200, [own.id]]);
    expect(await statusOf(key, own.path)).toBe(200);
    expect(await statusOf(key, `/v2/workspaces/slug:${own.slug}`)).toBe(200);
    expect(await statusOf(key, other.path)).toBe(404);
    expect(await statusOf(key, `/v2/workspaces/slug:${other.slug}`)).toBe(404);
  });

  it('may do only what its rules allow', async () => {
    const own = await newWorkspace(app, org);
    const files = await keyFor('manage', 'files', own);
    expect((await app.request('GET', '/v2/workspaces', { key: files })).body).toEqual([]);
    expect(await statusOf(files, own.path)).toBe(403);
    const reader = await keyFor('read', 'workspaces', own);
    expect(await statusOf(reader, own.path, 'PATCH', { name: 'x' })).toBe(403);
    expect(await statusOf(reader, own.path, 'DELETE')).toBe(403);
    const editor = await keyFor(['read', 'update'], 'workspaces', own);
    expect(await statusOf(editor, own.path, 'PATCH', { name: 'x' })).toBe(200);
    expect(await statusOf(editor, '/v2/workspaces', 'POST', { name: 'x' })).toBe(403);
  });

  it('reaches neither collections nor the organization', async () => {
    const key = await keyFor('manage', 'workspaces');
    const id = '0192f0c1-2f7a-7c5e-9a1b-3d4e5f607182';
    for (const [method, path] of [
      ['GET', '/v1/collections'],
      ['POST', '/v1/collections'],
      ['GET', `/v1/collections/${id}`],
      ['GET', `/v1/collections/${id}/api-keys`],
      ['GET', org.path],
      ['GET', `${org.path}/api-keys`],
      ['GET', '/v2/user/accessTokens'],
    ] as const) {
      expect([path, await statusOf(key, path, method)]).toEqual([path, 403]);
    }
    const me = await app.request('GET', '/v2/me', { key });
    expect(me.body).toMatchObject({ principal: { type: 'key' }, orgSlugs: [], org: null, permissions: [] });
  });

  it.each([
    ['one character less', (key: string) => key.slice(0, -1)],
    ['something behind it', (key: string) => `${key}A`],
    [
      'another character',
      (key: string) => `${key.slice(0, 10)}${key[10] === 'A' ? 'B' : 'A'}${key.slice(11)}`,
    ],
    ['capitals', (key: string) => key.replace('wak_', 'WAK_')],
    ['the prefix that is shown', (key: string) => key.slice(0, 8)],
  ])('is refused with %s', async (_, change) => {
    const answer = await app.request('GET', workspace.path, {
      key: change(await keyFor('read', 'workspaces')),
    });
    expect([answer.status, answer.body.error]).toEqual([401, 'Unauthorized']);
    expect(answer.text).not.toMatch(/wak_/i);
  });

  it('is refused as a bearer token, and together with another credential', async () => {
    const key = await keyFor('read', 'workspaces');
    expect((await app.request('GET', workspace.path, { token: key })).status).toBe(401);
    expect((await app.request('GET', workspace.path, { key, token: org.owner.token })).status).toBe(400);
  });

  it('is refused at once when its row or its workspace is deleted in the database', async () => {
    const own = await newWorkspace(app, org);
    const [first, second] = [
      await mint([{ action: 'read', subject: 'workspaces' }], own),
      await keyFor('read', 'workspaces', own),
    ];
    expect(await statusOf(first.body.apiKey, own.path)).toBe(200);
    expect(await statusOf(second, own.path)).toBe(200);
    await app.sql('DELETE FROM workspace_api_keys WHERE id = $1', [first.body.id]);
    await expect.poll(() => statusOf(first.body.apiKey, own.path), { timeout: 5_000 }).toBe(401);
    await app.request('DELETE', own.path, org.owner);
    expect(await statusOf(second, own.path)).toBe(401);
  });

  it('is refused when the organization is deleted', async () => {
    const company = await newOrg(app);
    const own = await newWorkspace(app, company);
    const rules = [{ action: 'read', subject: 'workspaces' }];
    const { body } = await app.request('POST', keysOf(own), { ...company.owner, body: { name: 'k', rules } });
    expect(await statusOf(body.apiKey, own.path)).toBe(200);
    await app.request('DELETE', company.path, company.owner);
    expect(await statusOf(body.apiKey, own.path)).toBe(401);
  });

  it('updates lastUsedAt without delaying the call', async () => {
    const { body } = await mint([{ action: 'read', subject: 'workspaces' }]);
    await statusOf(body.apiKey, workspace.path);
    const lastUse = async () =>
      (await app.request('GET', `${keysOf(workspace)}?limit=100`, org.owner)).body.results.find(
        ({ id }: { id: string }) => id === body.id,
      ).lastUsedAt;
    await expect.poll(lastUse).toMatch(/Z$/);
  });
});
