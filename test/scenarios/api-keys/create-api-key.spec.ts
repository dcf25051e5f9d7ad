import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { events, newKey, newMember, newOrg, newSlug } from '../orgs/org.js';
import { mintKey, newCollection, type TestCollection } from './collection.js';

let app: TestApp;
let collection: TestCollection;
beforeAll(async () => {
  app = await startApp();
  collection = await newCollection(app);
});

const YEAR = 365 * 86_400;

describe('POST /v1/collections/{collection_id}/api-keys', () => {
  it('answers 201 with every field of the key and its secret, which is shown only here', async () => {
    const slug = newSlug();
    const { status, body } = await mintKey(app, collection, { slug });
    expect(status).toBe(201);
    const { slug: orgSlug } = collection.org;
    expect(body).toEqual({
      id: expect.any(String),
      object: 'collection.api_key',
      collection_id: collection.id,
      slug,
      name: 'Dashboard',
      scope: `${app.settings.SERVICE_WORKSPACE_SLUG}:collections:${collection.id}`,
      permissions: ['collections:read'],
      expires_at: expect.any(Number),
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
      prefix: `iak_${orgSlug}_…${body.secret.slice(-4)}`,
      secret: expect.stringMatching(new RegExp(`^iak_${orgSlug}_[0-9a-f-]{36}$`)),
    });
    expect(Math.abs(body.expires_at - (Date.now() / 1000 + YEAR))).toBeLessThan(60);
  });

  it('records one event, without the secret', async () => {
    const { body } = await mintKey(app, collection);
    const logged = await events(app, collection.org, 'collections.apikeys');
    expect(logged.filter(event => event.target.id === body.id)).toMatchObject([
      {
        type: 'collections.apikeys.created',
        target: { type: 'apikey', name: body.slug },
        actor: { type: 'user', id: collection.org.owner.userId, via: 'rest' },
        changes: { after: { collectionId: collection.id, permissions: ['collections:read'] } },
      },
    ]);
    expect(JSON.stringify(logged)).not.toContain(body.secret.slice(-36));
    expect(await events(app, collection.org, 'orgs.apikeys')).toEqual([]);
  });

  it('stores the requested expiry, to the second', async () => {
    const { body } = await mintKey(app, collection, { expires_at: 4_070_908_800 });
    expect(body.expires_at).toBe(4_070_908_800);
  });

  it('requires a slug that is unique among all keys of the organization and its collections', async () => {
    const [slug, ofOrg] = [newSlug(), newSlug()];
    await newKey(app, collection.org, { slug: ofOrg });
    expect((await mintKey(app, collection, { slug })).status).toBe(201);
    const other = await newCollection(app, collection.org);
    for (const taken of [slug, ofOrg]) {
      const { status, body } = await mintKey(app, other, { slug: taken });
      expect([status, body.error]).toEqual([409, 'AlreadyExists']);
    }
    expect((await mintKey(app, await newCollection(app), { slug })).status).toBe(201);
  });

  it.each([
    { name: undefined },
    { name: '' },
    { slug: undefined },
    { slug: 'a b' },
    { permissions: [] },
    { permissions: ['*'] },
    { permissions: ['orgs:manage'] },
    { permissions: ['collections:fly'] },
    { permissions: 'collections:read' },
    { expires_at: 1 },
    { expires_at: '2099-01-01T00:00:00Z' },
    { expires_at: 1e15 },
    { scopes: ['collections:*'] },
    { collection_id: '00000000-0000-7000-8000-000000000000' },
  ])('refuses %j', async key => {
    const { status, body } = await mintKey(app, collection, key);
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
    expect(body.message).toContain(Object.keys(key)[0]);
  });

  it('refuses a key that holds more than its minter', async () => {
    const permissions = ['collections:create', 'collections:read', 'collections:keys'];
    const minter = await newMember(app, collection.org, { permissions });
    const own = await newCollection(app, collection.org, minter.token);
    const mint = async (granted: string[]) =>
      (
        await app.request('POST', `${own.path}/api-keys`, {
          token: minter.token,
          body: { slug: newSlug(), name: 'Key', permissions: granted },
        })
      ).status;
    expect(await mint(['collections:read'])).toBe(201);
    expect(await mint(['collections:write'])).toBe(403);
    expect(await mint(['collections:*'])).toBe(403);
  });

  it('requires the permission collections:keys', async () => {
    const member = await newMember(app, collection.org, {
      permissions: ['collections:create', 'collections:read'],
    });
    const own = await newCollection(app, collection.org, member.token);
    const { status, body } = await app.request('POST', `${own.path}/api-keys`, {
      token: member.token,
      raw: '{',
    });
    expect([status, body.error]).toEqual([403, 'Forbidden']);
  });

  it('refuses a collection key as the caller', async () => {
    const { body } = await mintKey(app, collection, { permissions: ['collections:*'] });
    const { status } = await app.request('POST', `${collection.path}/api-keys`, {
      key: body.secret,
      body: { slug: newSlug(), name: 'Second' },
    });
    expect(status).toBe(403);
    expect((await app.request('GET', `${collection.path}/api-keys`, { key: body.secret })).status).toBe(403);
  });

  it('answers the same 404 to callers without access, to other organizations and for unknown ids', async () => {
    const stranger = await newOrg(app);
    const member = await newMember(app, collection.org);
    const id = '00000000-0000-7000-8000-000000000000';
    const answers = [
      await app.request('POST', `${collection.path}/api-keys`, { token: stranger.owner.token, raw: '{' }),
      await app.request('POST', `${collection.path}/api-keys`, { token: member.token, raw: '{' }),
      await app.request('POST', `/v1/collections/${id}/api-keys`, { token: member.token }),
      await app.request('POST', '/v1/collections/not-a-uuid/api-keys', { token: member.token }),
    ];
    expect(answers.map(answer => answer.status)).toEqual([404, 404, 404, 404]);
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
  });
});
