import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { MovedClock } from '../auth/person.js';
import { events, newMember } from '../orgs/org.js';
import { mintKey, newCollection, type TestCollection } from './collection.js';

let app: TestApp;
let collection: TestCollection;
beforeAll(async () => {
  app = await startApp();
  collection = await newCollection(app);
});

const statusOf = async (key: string) => (await app.request('GET', collection.path, { key })).status;
const rotate = (id: string, body?: object) =>
  app.request('POST', `${collection.path}/api-keys/${id}/rotate`, { ...collection.org.owner, body });

describe('POST /v1/collections/{collection_id}/api-keys/{key_id}/rotate', () => {
  it('gives the key a new secret; the old one is invalid at once', async () => {
    const { body: before } = await mintKey(app, collection);
    expect(await statusOf(before.secret)).toBe(200);
    const { status, body } = await rotate(before.id);
    expect(status).toBe(200);
    expect(body.secret).not.toBe(before.secret);
    const { secret, prefix, last_used_at, ...same } = body;
    expect(before).toMatchObject(same);
    expect(prefix.slice(-4)).toBe(secret.slice(-4));
    expect([await statusOf(secret), await statusOf(before.secret)]).toEqual([200, 401]);
    const logged = await events(app, collection.org, 'collections.apikeys.rotated');
    expect(logged.at(-1)?.target.id).toBe(before.id);
    expect(JSON.stringify(logged)).not.toContain(secret.slice(-36));
  });

  it('accepts the old secret for grace_seconds', async () => {
    const clock = new MovedClock();
    const own = await startOwnApp({ database: 'own', clock });
    try {
      const { org, path } = await newCollection(own);
      const made = await own.request('POST', `${path}/api-keys`, {
        token: org.owner.token,
        body: { slug: 'reader', name: 'Reader' },
      });
      const rotated = await own.request('POST', `${path}/api-keys/${made.body.id}/rotate`, {
        token: org.owner.token,
        body: { grace_seconds: 60 },
      });
      const good = async (key: string) => (await own.request('GET', path, { key })).status === 200;
      expect([await good(made.body.secret), await good(rotated.body.secret)]).toEqual([true, true]);
      clock.move(61);
      expect([await good(made.body.secret), await good(rotated.body.secret)]).toEqual([false, true]);
    } finally {
      await own.close();
    }
  });

  it.each([
    { grace_seconds: 86_401 },
    { grace_seconds: -1 },
    { grace_seconds: '60' },
    { expires_at: 4_070_908_800 },
  ])('refuses %j', async body => {
    const { body: key } = await mintKey(app, collection);
    expect((await rotate(key.id, body)).status).toBe(400);
    expect(await statusOf(key.secret)).toBe(200);
  });

  it('is refused for a key with permissions that the caller lacks', async () => {
    const permissions = ['collections:create', 'collections:*'];
    const owner = await newMember(app, collection.org, { permissions });
    const own = await newCollection(app, collection.org, owner.token);
    const { body: key } = await mintKey(app, own, { permissions: ['collections:write'] });
    const members = await app.request(
      'GET',
      `${collection.org.path}/members?limit=100`,
      collection.org.owner,
    );
    const { roleSlug } = members.body.results.find(
      (each: { userId: string }) => each.userId === owner.userId,
    );
    await app.request('PATCH', `${collection.org.path}/roles/${roleSlug}`, {
      ...collection.org.owner,
      body: { permissions: ['collections:keys', 'collections:read'] },
    });
    const path = `${own.path}/api-keys/${key.id}/rotate`;
    expect((await app.request('POST', path, { token: owner.token })).status).toBe(403);
  });
});

describe('GET and DELETE /v1/collections/{collection_id}/api-keys/{key_id}', () => {
  it('read the key without its secret, and revoke it at once', async () => {
    const { body } = await mintKey(app, collection);
    const { secret, ...key } = body;
    const path = `${collection.path}/api-keys/${body.id}`;
    expect((await app.request('GET', path, collection.org.owner)).body).toEqual(key);
    expect(await statusOf(secret)).toBe(200);
    const deleted = await app.request('DELETE', path, collection.org.owner);
    expect([deleted.status, deleted.body]).toEqual([200, { deleted: true }]);
    expect(await statusOf(secret)).toBe(401);
    expect((await app.request('GET', path, collection.org.owner)).status).toBe(404);
    expect((await events(app, collection.org, 'collections.apikeys.revoked')).at(-1)?.target.id).toBe(
      body.id,
    );
  });

  it('answer 404 for a key of another collection, an unknown id and a malformed id', async () => {
    const other = await newCollection(app, collection.org);
    const { body } = await mintKey(app, other);
    for (const id of [body.id, '00000000-0000-7000-8000-000000000000', 'nothing']) {
      for (const [method, rest] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/rotate'],
      ] as const) {
        const path = `${collection.path}/api-keys/${id}${rest}`;
        const answer = await app.request(method, path, collection.org.owner);
        expect([answer.status, answer.body.error]).toEqual([404, 'NotFound']);
      }
    }
    expect((await app.request('GET', other.path, { key: body.secret })).status).toBe(200);
  });
});
