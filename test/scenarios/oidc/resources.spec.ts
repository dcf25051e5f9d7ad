import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { type Person, signIn } from '../auth/person.js';
import { newMember, newOrg } from '../orgs/org.js';
import { Browser } from './browser.js';
import { connect, register, relyingParty, startOidcApp } from './client.js';

const REDIRECT = 'https://tool.example.com/cb';

let app: TestApp;
let home: Home;
let collection: TestCollection;
let tool: oauth.Configuration;
let config: oauth.Configuration;
beforeAll(async () => {
  app = await startOidcApp();
  home = await newHome(app);
  collection = await newCollection(app, home);
  await insert(app, collection, { title: 'Emma' });
  tool = await register(app, [REDIRECT]);
  config = await relyingParty(app);
});

/** An access token of a third party for a person. */
async function thirdParty(of: Pick<Person, 'token'>, scope: string, resource?: string): Promise<string> {
  const parameters = { redirect_uri: REDIRECT, scope, ...(resource && { resource }) };
  return (await connect(tool, Browser.of(app, of), parameters)).access_token;
}

const statusOf = async (method: string, path: string, token: string, body?: unknown) =>
  (await app.request(method, path, { token, ...(body !== undefined && { body }) })).status;

describe('a token requested for one resource', () => {
  const mcp = () => `/v1/collections/${collection.id}/mcp`;

  it('has it as audience, and is accepted at that path only', async () => {
    const { token } = home.org.owner;
    for (const path of ['/v1/mcp', mcp()]) {
      const bound = await thirdParty({ token }, 'collections:read', `${app.url}${path}`);
      const claims = JSON.parse(Buffer.from(bound.split('.')[1] as string, 'base64url').toString());
      expect(claims.aud).toBe(`${app.url}${path}`);
      for (const elsewhere of ['/v2/me', '/v1/collections', collection.path]) {
        const { status, body, headers } = await app.request('GET', elsewhere, { token: bound });
        expect([elsewhere, status, body.error]).toEqual([elsewhere, 401, 'Unauthorized']);
        expect(headers.get('www-authenticate')).toContain('resource_metadata=');
      }
      expect(await statusOf('POST', path, bound, {})).not.toBe(401);
      expect(await statusOf('POST', path === '/v1/mcp' ? mcp() : '/v1/mcp', bound, {})).toBe(401);
    }
  });

  it('is refused elsewhere, even right after it was accepted at its own path', async () => {
    const { token } = home.org.owner;
    const bound = await thirdParty({ token }, 'collections:read', `${app.url}/v1/mcp`);
    for (let n = 0; n < 3; n++) {
      expect(await statusOf('POST', '/v1/mcp', bound, {})).not.toBe(401);
      expect(await statusOf('GET', '/v1/collections', bound)).toBe(401);
    }
  });

  it('is refreshed for the same resource and for no other', async () => {
    const resource = `${app.url}/v1/mcp`;
    const tokens = await connect(tool, Browser.of(app, home.org.owner), {
      ...{ redirect_uri: REDIRECT, scope: 'collections:read', resource },
    });
    const next = await oauth.refreshTokenGrant(tool, tokens.refresh_token as string);
    expect(JSON.parse(atob(next.access_token.split('.')[1] as string)).aud).toBe(resource);
    await expect(
      oauth.refreshTokenGrant(tool, next.refresh_token as string, { resource: app.url }),
    ).rejects.toEqual(expect.objectContaining({ error: 'invalid_target' }));
  });
});

describe('a token of a third party', () => {
  let token: string;
  beforeAll(async () => {
    token = await thirdParty(home.org.owner, 'openid collections:read collections:write platform');
  });

  it('never gives full access, whatever the request', async () => {
    const { scope } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
    expect(scope).toBe('openid collections:read collections:write');
  });

  it('reads and writes within its scope', async () => {
    expect(await statusOf('GET', '/v2/me', token)).toBe(200);
    expect(await statusOf('GET', `${collection.data}?limit=1`, token)).toBe(200);
    expect(await statusOf('POST', collection.data, token, { records: { title: 'Persuasion' } })).toBe(200);
    expect(await statusOf('PATCH', collection.path, token, { description: 'x' })).toBe(403);
    expect(await statusOf('DELETE', collection.path, token)).toBe(403);
    expect(await statusOf('POST', '/v1/collections', token, { name: 'mine' })).toBe(403);
  });

  it('with the scope to read only reads; with the scope for it changes columns and settings', async () => {
    const reader = await thirdParty(home.org.owner, 'collections:read');
    expect(await statusOf('GET', `${collection.data}?limit=1`, reader)).toBe(200);
    expect(await statusOf('POST', collection.data, reader, { records: { title: 'x' } })).toBe(403);
    const manager = await thirdParty(home.org.owner, 'collections:manage');
    expect(await statusOf('PATCH', collection.path, manager, { description: 'x' })).toBe(200);
    expect(await statusOf('GET', `${collection.data}?limit=1`, manager)).toBe(403);
    const webhooks = `${collection.path}/webhooks`;
    // The messages of a webhook would continue after the access ends, and contain records that this scope
    // excludes.
    expect(await statusOf('POST', webhooks, manager, { url: 'https://tool.example.com/hook' })).toBe(403);
    expect(await statusOf('GET', webhooks, manager)).toBe(403);
    // An agent would keep its access in the same way.
    expect(await statusOf('PATCH', collection.path, manager, { agent_ids: [collection.id] })).toBe(403);
    const nothing = await thirdParty(home.org.owner, 'openid');
    expect(await statusOf('GET', `${collection.data}?limit=1`, nothing)).toBe(403);
  });

  it('never gives more rights than its person has', async () => {
    const reader = await newMember(app, home.org, { permissions: ['collections:read'] });
    await app.request('POST', `${collection.path}/access`, {
      token: home.org.owner.token,
      body: { principal_type: 'user', principal_id: reader.userId, role: 'editor' },
    });
    const theirs = await thirdParty(reader, 'collections:read collections:write');
    expect(await statusOf('GET', `${collection.data}?limit=1`, theirs)).toBe(200);
    expect(await statusOf('POST', collection.data, theirs, { records: { title: 'x' } })).toBe(403);
    const stranger = await thirdParty((await newOrg(app)).owner, 'collections:read');
    expect(await statusOf('GET', `${collection.data}?limit=1`, stranger)).toBe(404);
  });

  it.each<[string, string, unknown?]>([
    ['POST', '/v2/user/accessTokens', { name: 'x', expiresAt: '2027-01-01T00:00:00Z' }],
    ['GET', '/v2/user/accessTokens'],
    ['POST', '/v2/user/webSessionTicket', { redirect: '/' }],
    ['POST', '/v2/logout'],
    ['GET', '/v2/user/sessions'],
    ['DELETE', '/v2/user/sessions'],
    ['PUT', '/v2/user/active-org', { orgSlug: 'default' }],
    ['POST', '/v2/orgs', { slug: 'mine', name: 'Mine' }],
    ['GET', '/v2/orgs'],
    ['POST', '/v2/orgs/{org}/api-keys', { slug: 'k', name: 'k', permissions: ['collections:read'] }],
    ['POST', '/v2/orgs/{org}/service-accounts', { slug: 's', name: 's' }],
    ['POST', '/v2/orgs/{org}/invites', { roleSlug: 'owner' }],
    ['GET', '/v2/orgs/{org}/members'],
    ['GET', '/v2/workspaces'],
    ['POST', '/v2/workspaces', { name: 'w' }],
    ['POST', '/v1/collections/{collection}/api-keys', { name: 'k', slug: 'k' }],
    [
      'POST',
      '/v1/collections/{collection}/access',
      { principal_type: 'org', principal_id: 'x', role: 'admin' },
    ],
  ])('is refused at %s %s with 403', async (method, path, body) => {
    const at = path.replace('{org}', home.org.slug).replace('{collection}', collection.id);
    const { status, text } = await app.request(method, at, { token, ...(body !== undefined && { body }) });
    expect(status).toBe(403);
    expect(text).not.toMatch(/secret|apiKey|ticket":|"token/i);
  });

  it('ends no session, of its person or of anyone else', async () => {
    const { sessionId } = home.org.owner;
    expect(await statusOf('DELETE', `/v2/user/sessions/${sessionId}`, token)).toBe(403);
    expect(await statusOf('GET', '/v2/me', home.org.owner.token)).toBe(200);
  });
});

describe('a token of the platform’s own client', () => {
  it('without the scope for full access is limited like any other', async () => {
    const { access_token } = await connect(config, Browser.of(app, home.org.owner), {
      scope: 'collections:read',
    });
    expect(await statusOf('GET', `${collection.data}?limit=1`, access_token)).toBe(200);
    expect(await statusOf('POST', collection.data, access_token, { records: { title: 'x' } })).toBe(403);
    expect(await statusOf('GET', '/v2/user/sessions', access_token)).toBe(403);
  });

  it('with that scope may do what its person may, including signing in a browser', async () => {
    const owner = await signIn(app, home.org.owner.userId);
    const { access_token } = await connect(config, Browser.of(app, owner), { scope: 'openid platform' });
    const ticket = { redirect: '/docs' };
    expect(await statusOf('POST', '/v2/user/webSessionTicket', access_token, ticket)).toBe(201);
    expect(await statusOf('POST', '/v2/logout', access_token)).toBe(204);
    expect(await statusOf('GET', '/v2/me', access_token)).toBe(401);
    expect(await statusOf('GET', '/v2/me', owner.token)).toBe(200);
  });
});
