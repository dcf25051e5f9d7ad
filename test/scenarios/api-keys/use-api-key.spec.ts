import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { mintKey, newCollection, type TestCollection } from './collection.js';

let app: TestApp;
let collection: TestCollection;
beforeAll(async () => {
  app = await startApp();
  collection = await newCollection(app);
});

const secretWith = async (...permissions: string[]): Promise<string> =>
  (await mintKey(app, collection, { permissions })).body.secret;

describe('a call with a collection key', () => {
  it('reads but does not write with collections:read', async () => {
    const key = await secretWith('collections:read');
    expect((await app.request('GET', collection.path, { key })).status).toBe(200);
    const read = await app.request('GET', `${collection.path}/data`, { key });
    expect(read.body).toMatchObject({ count: 1, records: [{ title: 'first' }] });
    const write = await app.request('POST', `${collection.path}/data`, {
      key,
      body: { records: { title: 'x' } },
    });
    expect([write.status, write.body.error]).toEqual([403, 'Forbidden']);
    expect((await app.request('GET', `${collection.path}/data/count`, { key })).body.count).toBe(1);
  });

  it('writes with collections:write', async () => {
    const own = await newCollection(app, collection.org);
    const { body } = await mintKey(app, own, { permissions: ['collections:read', 'collections:write'] });
    const records = { records: [{ title: 'second' }] };
    const { status } = await app.request('POST', `${own.path}/data`, { key: body.secret, body: records });
    expect(status).toBe(200);
    const change = { description: 'x' };
    expect((await app.request('PATCH', own.path, { key: body.secret, body: change })).status).toBe(403);
  });

  it('never renames or deletes the collection, lists others or accesses the organization', async () => {
    const key = await secretWith('collections:*');
    const statuses = [
      await app.request('PATCH', collection.path, { key, body: { name: 'other' } }),
      await app.request('DELETE', collection.path, { key }),
      await app.request('GET', '/v1/collections', { key }),
      await app.request('POST', '/v1/collections', { key, body: { name: 'more' } }),
      await app.request('GET', collection.org.path, { key }),
      await app.request('GET', `${collection.org.path}/members`, { key }),
      await app.request('GET', '/v2/orgs', { key }),
    ].map(answer => answer.status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 403]);
    expect((await app.request('GET', collection.path, { key })).status).toBe(200);
  });

  it('sees no other collection, even of the same owner', async () => {
    const key = await secretWith('collections:*');
    const other = await newCollection(app, collection.org);
    for (const path of [other.path, `${other.path}/data`]) {
      const { status, body } = await app.request('GET', path, { key });
      expect([status, body.error]).toEqual([404, 'CollectionNotFound']);
    }
  });

  it('updates last_used_at of the key', async () => {
    const { body } = await mintKey(app, collection);
    await app.request('GET', collection.path, { key: body.secret });
    const lastUse = async () =>
      (await app.request('GET', `${collection.path}/api-keys/${body.id}`, collection.org.owner)).body
        .last_used_at;
    await expect.poll(lastUse).toMatch(/Z$/);
  });

  it('is refused when the collection is deleted', async () => {
    const own = await newCollection(app, collection.org);
    const { body } = await mintKey(app, own);
    expect((await app.request('GET', own.path, { key: body.secret })).status).toBe(200);
    await app.request('DELETE', own.path, collection.org.owner);
    await expect
      .poll(async () => (await app.request('GET', own.path, { key: body.secret })).status, { timeout: 5_000 })
      .toBe(401);
    expect(await app.sql('SELECT 1 FROM org_api_keys WHERE id = $1', [body.id])).toEqual([]);
  });
});
