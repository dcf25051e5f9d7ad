import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DeclaredRoute, routesOf } from '../../architecture/routes.js';
import { startApp, type TestApp, type TestRequest } from '../../harness/app.js';
import { cookie } from '../auth/person.js';
import { newKey, newOrg, type TestOrg } from '../orgs/org.js';
import { newAccount, tokenOf } from '../service-accounts/account.js';
import { newWorkspace, type TestWorkspace } from './workspace.js';

type Credential = Pick<TestRequest, 'token' | 'key' | 'headers'>;

/** The permissions of every credential of the matrix in its own organization. */
const PERMISSIONS = ['workspaces:*'];
const KINDS = [
  'session',
  'cookie',
  'access token',
  'organization key',
  "person's key",
  'service account',
  'workspace key',
] as const;

let app: TestApp;
let own: TestWorkspace;
let foreign: TestWorkspace;
let routes: DeclaredRoute[];
let credentials: Record<(typeof KINDS)[number], Credential>;

beforeAll(async () => {
  app = await startApp();
  const [org, other] = [await newOrg(app), await newOrg(app)];
  [own, foreign] = [await newWorkspace(app, org), await newWorkspace(app, other)];
  credentials = await everyCredential(org, own);
  routes = routesOf(app.nest).filter(({ path }) => path.includes(':workspaceId'));
});

async function everyCredential(org: TestOrg, workspace: TestWorkspace): Promise<typeof credentials> {
  const { token, userId } = org.owner;
  const made = await app.request('POST', '/v2/user/accessTokens', {
    token,
    body: { name: 'matrix', expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
  });
  const rules = [{ action: 'manage', subject: 'workspaces' }];
  const minted = await app.request('POST', `${workspace.path}/security/apikeys`, {
    token,
    body: { name: 'matrix', rules },
  });
  const owned = { ownerType: 'user', ownerId: userId, permissions: PERMISSIONS };
  return {
    session: { token },
    cookie: { headers: { ...cookie(token), 'sec-fetch-site': 'same-origin' } },
    'access token': { token: made.body.token },
    'organization key': { key: (await newKey(app, org, { permissions: PERMISSIONS })).apiKey },
    "person's key": { key: (await newKey(app, org, owned)).apiKey },
    'service account': {
      token: await tokenOf(app, await newAccount(app, org, { permissions: PERMISSIONS })),
    },
    'workspace key': { key: minted.body.apiKey },
  };
}

/** The route with the workspace in its path. Its other parameters name nothing that exists. */
function send({ name, path }: DeclaredRoute, reference: string, credential: Credential) {
  const [method] = name.split(' ') as [string];
  const filled = path.replace(':workspaceId', reference).replace(/:\w+/g, randomUUID());
  return app.request(method, filled, { ...credential, ...(method !== 'GET' && { body: { unknown: 1 } }) });
}

describe.each(KINDS)('with a %s, every route of a workspace', kind => {
  it('finds the workspace of its own organization', async () => {
    const answer = await app.request('GET', own.path, credentials[kind]);
    expect([answer.status, answer.body.id]).toEqual([200, own.id]);
    const list = await app.request('GET', '/v2/workspaces', credentials[kind]);
    expect(list.body.map(({ id }: TestWorkspace) => id)).toEqual([own.id]);
    expect(list.text).not.toContain(foreign.id);
    for (const route of routes.filter(({ name }) => /^(POST|PUT|PATCH)/.test(name))) {
      const { status } = await send(route, own.id, credentials[kind]);
      expect([route.name, status]).not.toEqual([route.name, 404]);
      expect([400, 403]).toContain(status);
    }
  });

  it('answers a foreign, a random and a malformed id the same, byte for byte', async () => {
    expect(routes.length).toBeGreaterThan(10);
    const references = [
      foreign.id,
      foreign.id.toUpperCase(),
      `slug:${foreign.slug}`,
      randomUUID(),
      'slug:nothing',
      'slug:',
      'malformed',
      `${own.id}0`,
      '%00',
      "slug:'--",
      'slug:%00',
    ];
    const absent =
      '{"error":"NotFound","message":"There is no workspace with this id or slug that you can see."}';
    for (const route of routes) {
      for (const reference of references) {
        const { status, text } = await send(route, reference, credentials[kind]);
        expect([route.name, reference, status, text]).toEqual([route.name, reference, 404, absent]);
      }
    }
  });
});

it('leaves the foreign workspace unchanged', async () => {
  const [row] = await app.sql('SELECT name, rules, roles FROM workspaces WHERE id = $1', [foreign.id]);
  expect(row).toMatchObject({ rules: [], roles: {} });
  const keys = await app.sql('SELECT 1 FROM workspace_api_keys WHERE workspace_id = $1', [foreign.id]);
  expect(keys).toEqual([]);
});

describe('without a valid credential, every route of a workspace', () => {
  it('answers every id the same, and shows nothing of any workspace', async () => {
    for (const route of routes) {
      for (const credential of [{}, { key: `wak_${'A'.repeat(43)}` }, { token: 'at:nothing' }]) {
        const answers = [
          await send(route, own.id, credential),
          await send(route, foreign.id, credential),
          await send(route, randomUUID(), credential),
          await send(route, 'malformed', credential),
        ];
        expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      }
    }
  });
});
