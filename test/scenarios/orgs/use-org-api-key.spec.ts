import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { MovedClock } from '../auth/person.js';
import { newKey, newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

const statusOf = async (key: string, path = '/v1/collections') =>
  (await app.request('GET', path, { key })).status;

describe('a call with an organization key', () => {
  it('acts within the permissions of the key, and in its organization only', async () => {
    const { apiKey } = await newKey(app, org, { permissions: ['collections:read'] });
    const other = await newOrg(app);
    expect(await statusOf(apiKey)).toBe(200);
    expect(await statusOf(apiKey, org.path)).toBe(200);
    expect(await statusOf(apiKey, other.path)).toBe(403);
    const created = await app.request('POST', '/v1/collections', { key: apiKey, body: { name: 'notes' } });
    expect(created.status).toBe(403);
  });

  it('can access only the collections of its scopes', async () => {
    const { apiKey: all } = await newKey(app, org);
    const make = async () =>
      (await app.request('POST', '/v1/collections', { key: all, body: { name: newSlug() } })).body
        .collection_id;
    const [inside, outside] = [await make(), await make()];
    const { apiKey } = await newKey(app, org, { scopes: [`collections:${inside}`] });
    expect(await statusOf(apiKey, `/v1/collections/${inside}`)).toBe(200);
    expect(await statusOf(apiKey, `/v1/collections/${outside}`)).toBe(404);
  });

  it('creates collections that belong to the person who minted it', async () => {
    const { apiKey } = await newKey(app, org);
    const { body } = await app.request('POST', '/v1/collections', { key: apiKey, body: { name: newSlug() } });
    expect(body).toMatchObject({ owner_type: 'user', owner_id: org.owner.userId });
  });

  it.each([
    ['another uuid', (key: string) => key.slice(0, -36) + randomUUID()],
    ['capitals', (key: string) => key.slice(0, -36) + key.slice(-36).toUpperCase()],
    ['another organization in its text', (key: string) => key.replace('iak_t-', 'iak_u-')],
    ['no organization in its text', (key: string) => `iak_${key.slice(-36)}`],
    ['a character appended', (key: string) => `${key}0`],
    ['the displayed prefix', (key: string) => `${key.slice(0, -36)}…${key.slice(-4)}`],
  ])('is refused with %s', async (_, change) => {
    const { apiKey } = await newKey(app, org);
    const headers = { 'x-platform-api-key': encodeURI(change(apiKey)) };
    const { status, body } = await app.request('GET', '/v1/collections', { headers });
    expect([status, body.error]).toEqual([401, 'Unauthorized']);
    expect(JSON.stringify(body)).not.toContain('iak_');
  });

  it('is refused when the slug in its text is changed to another organization', async () => {
    const other = await newOrg(app);
    const { apiKey } = await newKey(app, org);
    expect(await statusOf(apiKey.replace(org.slug, other.slug))).toBe(401);
  });

  it('is refused from an address outside the allow-list', async () => {
    const inside = await newKey(app, org, { ipAllowList: ['127.0.0.0/8', '::1'] });
    const outside = await newKey(app, org, { ipAllowList: ['10.0.0.0/8', '2001:db8::/32'] });
    expect(await statusOf(inside.apiKey)).toBe(200);
    expect(await statusOf(outside.apiKey)).toBe(401);
  });

  it('is refused as a cookie, even when the key has just been verified', async () => {
    const { apiKey } = await newKey(app, org);
    expect(await statusOf(apiKey)).toBe(200);
    for (const value of [apiKey, `${apiKey} 127.0.0.1`, `${apiKey} ::ffff:127.0.0.1`]) {
      const headers = { cookie: `access-token=${value}` };
      expect((await app.request('GET', '/v1/collections', { headers })).status).toBe(401);
    }
  });

  it('is refused while the key is disabled', async () => {
    const { id, apiKey } = await newKey(app, org);
    const disable = (disabled: boolean) =>
      app.request('PATCH', `${org.path}/api-keys/${id}`, { ...org.owner, body: { disabled } });
    expect(await statusOf(apiKey)).toBe(200);
    await disable(true);
    expect(await statusOf(apiKey)).toBe(401);
    await disable(false);
    expect(await statusOf(apiKey)).toBe(200);
  });

  it('is refused at once when its row is deleted in the database', async () => {
    const { id, apiKey } = await newKey(app, org);
    expect(await statusOf(apiKey)).toBe(200);
    await app.sql('DELETE FROM org_api_keys WHERE id = $1', [id]);
    await expect.poll(() => statusOf(apiKey), { timeout: 5_000 }).toBe(401);
  });

  it('updates lastUsedAt without delaying the call', async () => {
    const { id, apiKey } = await newKey(app, org);
    expect(await statusOf(apiKey)).toBe(200);
    const read = async () =>
      (await app.request('GET', `${org.path}/api-keys/${id}`, org.owner)).body.lastUsedAt;
    await expect.poll(read).toMatch(/Z$/);
  });

  it('is refused when the key has expired', async () => {
    const clock = new MovedClock();
    const own = await startOwnApp({ database: 'own', clock });
    try {
      const company = await newOrg(own);
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const { apiKey } = await newKey(own, company, { expiresAt });
      expect((await own.request('GET', company.path, { key: apiKey })).status).toBe(200);
      clock.move(61);
      expect((await own.request('GET', company.path, { key: apiKey })).status).toBe(401);
    } finally {
      await own.close();
    }
  });
});

describe("a call with a person's key", () => {
  it('acts as the person, with only the permissions that both the key and the person hold', async () => {
    const member = await newMember(app, org);
    const { body } = await app.request('POST', '/v1/collections', { ...member, body: { name: newSlug() } });
    const asMember = { ownerType: 'user', ownerId: member.userId };
    const { apiKey } = await newKey(app, org, { ...asMember, permissions: ['*'] });
    const reader = await newKey(app, org, { ...asMember, permissions: ['collections:read'] });
    const path = `/v1/collections/${body.collection_id}`;
    expect(await statusOf(apiKey, path)).toBe(200);
    expect(await statusOf(reader.apiKey, path)).toBe(200);
    expect((await app.request('DELETE', path, { key: reader.apiKey })).status).toBe(403);
    expect(await statusOf(apiKey, `${org.path}/api-keys`)).toBe(403);
    const foreign = await app.request('POST', '/v1/collections', { ...org.owner, body: { name: newSlug() } });
    expect(await statusOf(apiKey, `/v1/collections/${foreign.body.collection_id}`)).toBe(404);
  });

  it('is refused when the person has left or is disabled', async () => {
    for (const leave of [
      (userId: string) => app.request('DELETE', `${org.path}/members/${userId}`, org.owner),
      (userId: string) => app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]),
    ]) {
      const { userId } = await newMember(app, org);
      const { apiKey } = await newKey(app, org, { ownerType: 'user', ownerId: userId });
      expect(await statusOf(apiKey)).toBe(200);
      await leave(userId);
      await expect.poll(() => statusOf(apiKey), { timeout: 5_000 }).toBe(401);
    }
  });
});
