import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { newKey, newMember, newOrg } from '../orgs/org.js';
import { mintKey, newCollection } from './collection.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

describe('GET /v1/collections/{collection_id}/api-keys', () => {
  it('lists only the keys of this collection, oldest first, without their secrets', async () => {
    const collection = await newCollection(app);
    const [first, second] = [await mintKey(app, collection), await mintKey(app, collection)];
    await mintKey(app, await newCollection(app, collection.org));
    await newKey(app, collection.org);
    const { status, body, text } = await app.request(
      'GET',
      `${collection.path}/api-keys`,
      collection.org.owner,
    );
    expect(status).toBe(200);
    const items = [first, second].map(({ body: { secret, ...key } }) => key);
    expect(body).toEqual({ object: 'list', items, total: 2 });
    for (const { secret } of [first.body, second.body]) expect(text).not.toContain(secret.slice(-36));
    expect(text).not.toMatch(/secret|hash/i);
  });

  it('returns one page of the keys, and the number of all', async () => {
    const collection = await newCollection(app);
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await mintKey(app, collection)).body.id);
    const page = async (query: string) =>
      (await app.request('GET', `${collection.path}/api-keys?${query}`, collection.org.owner)).body;
    expect(await page('limit=2')).toMatchObject({ items: [{ id: ids[0] }, { id: ids[1] }], total: 3 });
    expect((await page('limit=2')).items).toHaveLength(2);
    expect(await page('limit=2&page=2')).toMatchObject({ items: [{ id: ids[2] }], total: 3 });
    expect(await page('limit=101')).toMatchObject({ error: 'InvalidArguments' });
  });

  it('returns an empty list for a collection without keys', async () => {
    const { path, org } = await newCollection(app);
    const { body } = await app.request('GET', `${path}/api-keys`, org.owner);
    expect(body).toEqual({ object: 'list', items: [], total: 0 });
  });

  it('shows null for a key without expiry', async () => {
    const collection = await newCollection(app);
    const { body: key } = await mintKey(app, collection);
    await app.request('PATCH', `${collection.org.path}/api-keys/${key.id}`, {
      ...collection.org.owner,
      body: { expiresAt: null },
    });
    const { body } = await app.request('GET', `${collection.path}/api-keys`, collection.org.owner);
    expect(body.items[0].expires_at).toBeNull();
  });

  it('is for the owner, and for admins and keys of the organization; others get 404', async () => {
    const { org, path } = await newCollection(app);
    const admin = await newMember(app, org, 'admin');
    const member = await newMember(app, org);
    const stranger = await newOrg(app);
    const { apiKey } = await newKey(app, org);
    const { apiKey: reader } = await newKey(app, org, { permissions: ['collections:read'] });
    const status = async (caller: object) => (await app.request('GET', `${path}/api-keys`, caller)).status;
    expect(await status(org.owner)).toBe(200);
    expect(await status(admin)).toBe(200);
    expect(await status({ key: apiKey })).toBe(200);
    expect(await status({ key: reader })).toBe(403);
    expect(await status(member)).toBe(404);
    expect(await status(stranger.owner)).toBe(404);
    expect(await status({})).toBe(401);
  });

  it('lists the same keys as the organization’s list, where they can be disabled', async () => {
    const collection = await newCollection(app);
    const { body: key } = await mintKey(app, collection);
    const { org } = collection;
    const list = await app.request('GET', `${org.path}/api-keys`, org.owner);
    expect(list.body.results).toMatchObject([{ id: key.id, collectionId: collection.id }]);
    const path = `${org.path}/api-keys/${key.id}`;
    const widen = { permissions: ['*'], scopes: [] };
    expect((await app.request('PATCH', path, { ...org.owner, body: widen })).status).toBe(400);
    await app.request('PATCH', path, { ...org.owner, body: { disabled: true } });
    expect((await app.request('GET', collection.path, { key: key.secret })).status).toBe(401);
  });
});
