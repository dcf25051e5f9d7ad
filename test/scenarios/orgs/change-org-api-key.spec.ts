import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { MovedClock } from '../auth/person.js';
import { events, newKey, newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

const pathOf = ({ id }: { id: string }) => `${org.path}/api-keys/${id}`;
const statusOf = async (key: string) => (await app.request('GET', org.path, { key })).status;

describe('PATCH /v2/orgs/{orgSlug}/api-keys/{keyId}', () => {
  it('changes only the sent fields, at once and with an audit event', async () => {
    const key = await newKey(app, org);
    expect((await app.request('GET', `${org.path}/api-keys`, { key: key.apiKey })).status).toBe(200);
    const change = { name: 'Weaker', permissions: ['collections:read'], expiresAt: null };
    const { status, body } = await app.request('PATCH', pathOf(key), { ...org.owner, body: change });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: key.id, ...change });
    expect(body).not.toHaveProperty('apiKey');
    expect((await app.request('GET', `${org.path}/api-keys`, { key: key.apiKey })).status).toBe(403);
    const [event] = (await events(app, org, 'orgs.apikeys.updated')).slice(-1);
    expect(event?.changes.before.permissions).toEqual(['*']);
    expect(event?.changes.after.permissions).toEqual(['collections:read']);
  });

  it('refuses to give a key more than the caller holds, and to enable a key that holds more', async () => {
    const manager = await newMember(app, org, { permissions: ['orgs:apikeys:manage', 'workspaces:read'] });
    const strong = await newKey(app, org);
    const weak = await newKey(app, org, { permissions: ['workspaces:read'] });
    const patch = async (key: { id: string }, body: object) =>
      (await app.request('PATCH', pathOf(key), { ...manager, body })).status;
    expect(await patch(weak, { permissions: ['collections:write'] })).toBe(403);
    expect(await patch(weak, { expiresAt: '2099-01-01T00:00:00Z' })).toBe(200);
    expect(await patch(strong, { expiresAt: '2099-01-01T00:00:00Z' })).toBe(403);
    expect(await patch(strong, { ipAllowList: [] })).toBe(403);
    expect(await patch(strong, { disabled: true })).toBe(200);
    expect(await patch(strong, { disabled: false })).toBe(403);
    expect(await statusOf(strong.apiKey)).toBe(401);
  });

  it.each([
    {},
    { slug: 'other' },
    { ownerType: 'user' },
    { expiresAt: '2020-01-01T00:00:00Z' },
    { disabled: 1 },
  ])('refuses %j', async body => {
    const answer = await app.request('PATCH', pathOf(await newKey(app, org)), { ...org.owner, body });
    expect([answer.status, answer.body.error]).toEqual([400, 'InvalidArguments']);
  });
});

describe('POST /v2/orgs/{orgSlug}/api-keys/{keyId}/rotate', () => {
  it('gives the key a new secret; without grace the old one is invalid at once', async () => {
    const key = await newKey(app, org);
    expect(await statusOf(key.apiKey)).toBe(200);
    const { status, body } = await app.request('POST', `${pathOf(key)}/rotate`, org.owner);
    expect(status).toBe(200);
    expect(body.id).toBe(key.id);
    expect(body.apiKey).not.toBe(key.apiKey);
    expect(body.prefix.slice(-4)).toBe(body.apiKey.slice(-4));
    expect(await statusOf(body.apiKey)).toBe(200);
    expect(await statusOf(key.apiKey)).toBe(401);
    const logged = await events(app, org, 'orgs.apikeys.rotated');
    expect(logged.at(-1)?.target.id).toBe(key.id);
    expect(JSON.stringify(logged)).not.toContain(body.apiKey.slice(-36));
  });

  it('accepts the old secret during the grace, but no older one', async () => {
    const clock = new MovedClock();
    const own = await startOwnApp({ database: 'own', clock });
    try {
      const company = await newOrg(own);
      const first = await newKey(own, company);
      const path = `${company.path}/api-keys/${first.id}/rotate`;
      const rotate = async () =>
        (await own.request('POST', path, { ...company.owner, body: { graceSeconds: 60 } })).body.apiKey;
      const good = async (key: string) => (await own.request('GET', company.path, { key })).status === 200;
      const second = await rotate();
      expect([await good(first.apiKey), await good(second)]).toEqual([true, true]);
      const third = await rotate();
      expect([await good(first.apiKey), await good(second), await good(third)]).toEqual([false, true, true]);
      clock.move(61);
      expect([await good(second), await good(third)]).toEqual([false, true]);
    } finally {
      await own.close();
    }
  });

  it('never extends the life of an old secret', async () => {
    const clock = new MovedClock();
    const own = await startOwnApp({ database: 'own', clock });
    try {
      const company = await newOrg(own);
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const key = await newKey(own, company, { expiresAt });
      const path = `${company.path}/api-keys/${key.id}/rotate`;
      const body = { graceSeconds: 3600, expiresAt: '2099-01-01T00:00:00Z' };
      const rotated = await own.request('POST', path, { ...company.owner, body });
      clock.move(61);
      expect((await own.request('GET', company.path, { key: key.apiKey })).status).toBe(401);
      expect((await own.request('GET', company.path, { key: rotated.body.apiKey })).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  it('refuses a key that holds more than the caller', async () => {
    const manager = await newMember(app, org, { permissions: ['orgs:apikeys:manage', 'collections:read'] });
    const strong = await newKey(app, org, { permissions: ['collections:write'] });
    expect((await app.request('POST', `${pathOf(strong)}/rotate`, manager)).status).toBe(403);
    expect(await statusOf(strong.apiKey)).toBe(200);
  });

  it("refuses somebody else's key that owns collections, or is of a collection, to callers who could not create it", async () => {
    const manager = await newMember(app, org, { permissions: ['orgs:apikeys:manage', 'collections:*'] });
    const owns = await newKey(app, org, { permissions: ['collections:read'] });
    const created = await app.request('POST', '/v1/collections', { ...org.owner, body: { name: newSlug() } });
    const body = { slug: newSlug(), name: 'Key' };
    const keys = `/v1/collections/${created.body.collection_id}/api-keys`;
    const ofCollection = (await app.request('POST', keys, { ...org.owner, body })).body;
    for (const { id } of [owns, ofCollection]) {
      const rotate = (caller: { token: string }) => app.request('POST', `${pathOf({ id })}/rotate`, caller);
      expect((await rotate(manager)).body.error).toBe('Forbidden');
      expect((await rotate(await newMember(app, org, 'admin'))).status).toBe(200);
    }
    const longer = { ...manager, body: { expiresAt: '2099-01-01T00:00:00Z' } };
    expect((await app.request('PATCH', pathOf(owns), longer)).status).toBe(403);
  });

  it('lets the maker of a key from before keep, rotate and prolong it, and not widen it', async () => {
    const maker = await newMember(app, org, { permissions: ['orgs:apikeys:manage', 'collections:*'] });
    const key = await newKey(app, org, { permissions: ['collections:read'] });
    await app.sql('UPDATE org_api_keys SET created_by = $2 WHERE id = $1', [key.id, maker.userId]);
    const patch = async (body: object) =>
      (await app.request('PATCH', pathOf(key), { ...maker, body })).status;
    expect(await patch({ expiresAt: '2099-01-01T00:00:00Z' })).toBe(200);
    expect(await patch({ permissions: ['collections:*'] })).toBe(403);
    expect((await app.request('POST', `${pathOf(key)}/rotate`, maker)).status).toBe(200);
  });

  it.each([{ graceSeconds: 86_401 }, { graceSeconds: -1 }, { expiresAt: '2020-01-01T00:00:00Z' }])(
    'refuses %j',
    async body => {
      const key = await newKey(app, org);
      expect((await app.request('POST', `${pathOf(key)}/rotate`, { ...org.owner, body })).status).toBe(400);
      expect(await statusOf(key.apiKey)).toBe(200);
    },
  );
});

describe('DELETE /v2/orgs/{orgSlug}/api-keys/{keyId}', () => {
  it('revokes the key at once', async () => {
    const key = await newKey(app, org);
    expect(await statusOf(key.apiKey)).toBe(200);
    const { status, body } = await app.request('DELETE', pathOf(key), org.owner);
    expect([status, body]).toEqual([200, { success: true }]);
    expect(await statusOf(key.apiKey)).toBe(401);
    expect((await app.request('GET', pathOf(key), org.owner)).status).toBe(404);
    expect((await events(app, org, 'orgs.apikeys.revoked')).at(-1)?.target.id).toBe(key.id);
  });

  it('answers 404 for a key of another organization', async () => {
    const key = await newKey(app, await newOrg(app));
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      expect((await app.request(method, `${pathOf(key)}${rest}`, org.owner)).status).toBe(404);
    }
  });
});

describe('POST /v2/orgs/{orgSlug}/api-keys/validate', () => {
  it('answers with the metadata of a valid key, sent in the body or the header', async () => {
    const { apiKey, ...metadata } = await newKey(app, org);
    const path = `${org.path}/api-keys/validate`;
    for (const request of [{ body: { apiKey } }, { key: apiKey }]) {
      const { status, body } = await app.request('POST', path, request);
      expect(status).toBe(200);
      expect(body).toEqual(metadata);
    }
  });

  it('answers the same 401 to everything else', async () => {
    const other = await newOrg(app);
    const disabled = await newKey(app, org);
    await app.request('PATCH', pathOf(disabled), { ...org.owner, body: { disabled: true } });
    const path = `${org.path}/api-keys/validate`;
    const answers = [
      await app.request('POST', path),
      await app.request('POST', path, { body: { apiKey: 'iak_nothing' } }),
      await app.request('POST', path, { body: { apiKey: disabled.apiKey } }),
      await app.request('POST', path, { body: { apiKey: (await newKey(app, other)).apiKey } }),
      await app.request('POST', '/v2/orgs/no-such-org/api-keys/validate'),
    ];
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
    expect(answers.map(answer => answer.status)).toEqual([401, 401, 401, 401, 401]);
  });
});
