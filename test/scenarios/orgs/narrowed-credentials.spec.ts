import { beforeAll, describe, expect, it } from 'vitest';
import type { TestRequest } from '../../harness/app.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, outcome, type TestCollection } from '../../harness/collection.js';
import { connect } from '../mcp/client.js';
import { newKey, newMember, newSlug } from './org.js';

let app: TestApp;
let home: Home;
let inside: TestCollection;
let outside: TestCollection;
const narrowed: Record<string, TestRequest> = {};

beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  inside = await newCollection(app, home);
  outside = await newCollection(app, home);
  const scopes = [`collections:${inside.id}`];
  narrowed.key = { key: (await newKey(app, home.org, { permissions: ['*'], scopes })).apiKey };
  const owner = { ownerType: 'user', ownerId: home.org.owner.userId };
  narrowed["a person's key"] = {
    key: (await newKey(app, home.org, { permissions: ['*'], scopes, ...owner })).apiKey,
  };
  const { token } = home.org.owner;
  const account = await app.request('POST', `${home.org.path}/service-accounts`, {
    token,
    body: { slug: newSlug(), name: 'S', permissions: ['*'], scopes },
  });
  const minted = await app.request('POST', `${home.org.path}/service-accounts/${account.body.slug}/token`, {
    body: { clientSecret: account.body.clientSecret },
  });
  narrowed['service account'] = { token: minted.body.accessToken };
});

describe.each(['key', "a person's key", 'service account'])('a %s limited to one collection', kind => {
  const ask = async (method: string, path: string, body?: object) =>
    outcome(await app.request(method, path, { ...narrowed[kind], ...(body && { body }) }));

  it('reads, writes and lists that collection', async () => {
    expect(await ask('GET', inside.path)).toEqual([200, undefined]);
    expect(await ask('POST', inside.data, { records: { n: 1 } })).toEqual([200, undefined]);
    const { body } = await app.request('GET', '/v1/collections', narrowed[kind]);
    expect(body.items.map((item: { collection_id: string }) => item.collection_id)).toEqual([inside.id]);
    expect(await ask('GET', outside.path)).toEqual([404, 'CollectionNotFound']);
  });

  it('cannot create a collection or suggest a schema', async () => {
    const count = async () => (await app.request('GET', '/v1/collections', home.owner)).body.total;
    const before = await count();
    expect(await ask('POST', '/v1/collections', { name: newSlug() })).toEqual([403, 'Forbidden']);
    expect(await ask('POST', '/v1/suggest-schema', { description: 'books' })).toEqual([403, 'Forbidden']);
    const mcp = await connect(app, narrowed[kind] as object);
    const tools = (await mcp.sdk.listTools()).tools.map(({ name }) => name);
    expect(tools).toContain('data_query');
    for (const tool of ['data_create_collection', 'suggest_schema']) {
      expect(tools).not.toContain(tool);
      expect((await mcp.call(tool, { name: newSlug() })).error).toBe('Forbidden');
    }
    expect(await count()).toBe(before);
  });

  it.each([
    ['GET', ''],
    ['PATCH', '', { name: 'Taken over' }],
    ['DELETE', ''],
    ['GET', '/audit'],
    ['GET', '/audit/checkpoints'],
    ['GET', '/members'],
    ['POST', '/members', { users: [{ email: 'a@b.example' }] }],
    ['GET', '/roles'],
    ['POST', '/groups', { slug: 'new', name: 'New' }],
    ['GET', '/groups'],
    ['GET', '/invites'],
    ['GET', '/agents'],
    ['POST', '/agents', { slug: 'new', name: 'New' }],
    ['GET', '/api-keys'],
    ['POST', '/api-keys', { slug: 'new', name: 'New', permissions: [] }],
    ['GET', '/service-accounts'],
    ['GET', '/auth/sso'],
  ] as const)('does not reach the organization: %s %s', async (method, path, body?: object) => {
    expect(await ask(method, `${home.org.path}${path}`, body)).toEqual([403, 'Forbidden']);
  });
});

describe('scopes for the organization', () => {
  it('let a key read the organization’s audit log', async () => {
    for (const scopes of [[], ['*'], ['orgs:*', 'collections:none'], [`orgs:${home.org.slug}`]]) {
      const { apiKey: key } = await newKey(app, home.org, { permissions: ['orgs:audit:read'], scopes });
      const { status } = await app.request('GET', `${home.org.path}/audit`, { key });
      expect([scopes, status]).toEqual([scopes, 200]);
    }
  });
});

describe('a person with a limited role', () => {
  it('sees the organization as members do, but nothing that needs a permission', async () => {
    const scopes = [`collections:${inside.id}`];
    const { token } = await newMember(app, home.org, {
      permissions: ['collections:*', 'orgs:audit:read', 'orgs:manage'],
      scopes,
    });
    const ask = async (method: string, path: string, body?: object) =>
      (await app.request(method, path, { token, ...(body && { body }) })).status;
    expect(await ask('GET', home.org.path)).toBe(200);
    expect(await ask('GET', `${home.org.path}/members`)).toBe(200);
    expect(await ask('GET', `${home.org.path}/audit`)).toBe(403);
    expect(await ask('PATCH', home.org.path, { name: 'Taken over' })).toBe(403);
    expect(await ask('POST', '/v1/collections', { name: newSlug() })).toBe(403);
  });
});
