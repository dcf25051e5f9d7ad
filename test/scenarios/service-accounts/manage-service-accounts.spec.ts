import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { events, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { askToken, me, newAccount, tokenOf } from './account.js';

const MANAGE = 'orgs:service-accounts:manage';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

const asOwner = (method: string, path: string, body?: object) =>
  app.request(method, path, { token: org.owner.token, body });

describe('POST /v2/orgs/{orgSlug}/service-accounts', () => {
  it('shows the secret only in this response, and stores only its hash', async () => {
    const slug = newSlug();
    const body = { slug, name: 'Import', permissions: ['collections:read'], scopes: ['collections:*'] };
    const created = await asOwner('POST', `${org.path}/service-accounts`, body);
    expect(created.status).toBe(201);
    const { clientSecret, ...shown } = created.body;
    expect(clientSecret).toMatch(new RegExp(`^sas_${org.slug}_[0-9a-f-]{36}$`));
    const uuid = clientSecret.slice(-36);
    expect(shown).toEqual({
      ...body,
      id: expect.any(String),
      prefix: `sas_${org.slug}_…${uuid.slice(-4)}`,
      disabled: false,
      createdBy: org.owner.userId,
      createdAt: expect.any(String),
      lastUsedAt: null,
    });
    const list = await asOwner('GET', `${org.path}/service-accounts`);
    expect(list.body.results).toContainEqual(shown);
    const [row] = await app.sql('SELECT * FROM service_accounts WHERE id = $1', [shown.id]);
    const [event] = (await events(app, org, 'orgs.serviceaccounts.created')).slice(-1);
    expect(event).toMatchObject({
      target: { type: 'service-account', id: shown.id, name: slug },
      changes: { after: { name: 'Import', permissions: ['collections:read'] } },
    });
    for (const place of [list.body, row, event]) expect(JSON.stringify(place)).not.toContain(uuid);
    expect(JSON.stringify(event)).not.toContain(row.secret_hash);
  });

  it('refuses a slug that is taken', async () => {
    const { slug } = await newAccount(app, org);
    const again = { slug, name: 'Again', permissions: [] };
    const { status, body } = await asOwner('POST', `${org.path}/service-accounts`, again);
    expect([status, body.error]).toEqual([409, 'AlreadyExists']);
  });

  it.each([
    { slug: 'Upper', name: 'x', permissions: [] },
    { slug: 'a:b', name: 'x', permissions: [] },
    { slug: 'fine', name: 'x' },
    { slug: 'fine', name: 'x', permissions: ['everything'] },
    { slug: 'fine', name: 'x', permissions: [], scopes: ['everything'] },
    { slug: 'fine', name: 'x', permissions: [], clientSecret: 'mine' },
  ])('refuses %j', async body => {
    expect((await asOwner('POST', `${org.path}/service-accounts`, body)).status).toBe(400);
  });
});

describe('a manager of service accounts', () => {
  it('needs the permission', async () => {
    const { token } = await newMember(app, org, { permissions: ['orgs:members:manage', 'collections:*'] });
    const { path } = await newAccount(app, org);
    for (const [method, where] of [
      ['GET', `${org.path}/service-accounts`],
      ['POST', `${org.path}/service-accounts`],
      ['PATCH', path],
      ['DELETE', path],
      ['POST', `${path}/rotate`],
    ] as const) {
      const { status, body } = await app.request(method, where, { token });
      expect([method, status, body.error]).toEqual([method, 403, 'Forbidden']);
    }
  });

  it('can create, widen, enable and rotate only accounts within their own rights, and weaken any', async () => {
    const { token } = await newMember(app, org, {
      permissions: [MANAGE, 'collections:read', 'workspaces:read'],
    });
    const strong = await newAccount(app, org, { permissions: ['collections:write'] });
    const send = async (method: string, path: string, body?: object) =>
      (await app.request(method, path, { token, body })).status;
    const account = { slug: newSlug(), name: 'Mine' };
    const all = `${org.path}/service-accounts`;
    expect(await send('POST', all, { ...account, permissions: ['collections:write'] })).toBe(403);
    expect(await send('POST', all, { ...account, permissions: ['*'] })).toBe(403);
    // An account with permissions for collections is owner of all of them.
    expect(await send('POST', all, { ...account, permissions: ['collections:read'] })).toBe(403);
    expect(await send('POST', all, { ...account, permissions: ['workspaces:read'] })).toBe(201);
    const mine = `${all}/${account.slug}`;
    expect(await send('PATCH', mine, { permissions: ['collections:*'] })).toBe(403);
    expect(await send('POST', `${mine}/rotate`)).toBe(200);
    expect(await send('POST', `${strong.path}/rotate`)).toBe(403);
    expect(await send('PATCH', strong.path, { name: 'Renamed' })).toBe(200);
    expect(await send('PATCH', strong.path, { disabled: true })).toBe(200);
    expect(await send('PATCH', strong.path, { disabled: false })).toBe(403);
    expect(await send('DELETE', strong.path)).toBe(200);
  });

  it('cannot be an anonymous user', async () => {
    const auth = { anonymous: { enabled: true, role: newSlug() } };
    const role = { slug: auth.anonymous.role, name: 'Guest', permissions: [MANAGE] };
    await asOwner('POST', `${org.path}/roles`, role);
    await asOwner('PATCH', org.path, { auth });
    const guest = await app.request('POST', '/v2/login/anonymous', { body: { orgSlug: org.slug } });
    const body = { slug: newSlug(), name: 'x', permissions: [] };
    const { token } = guest.body;
    expect((await app.request('POST', `${org.path}/service-accounts`, { token, body })).status).toBe(403);
  });
});

describe('PATCH, DELETE and rotate of /v2/orgs/{orgSlug}/service-accounts/{slug}', () => {
  it('changes only the sent fields', async () => {
    const { path, id } = await newAccount(app, org);
    const { status, body } = await asOwner('PATCH', path, { permissions: ['collections:read'] });
    expect([status, body.id, body.name]).toEqual([200, id, 'Import']);
    expect(body.permissions).toEqual(['collections:read']);
    expect(body).not.toHaveProperty('clientSecret');
    const [event] = (await events(app, org, 'orgs.serviceaccounts.updated')).slice(-1);
    expect(event?.changes.before.permissions).toEqual(['collections:*']);
    expect(event?.changes.after.permissions).toEqual(['collections:read']);
    for (const change of [{}, { slug: 'other' }, { name: '' }]) {
      expect((await asOwner('PATCH', path, change)).status).toBe(400);
    }
  });

  it('rotates the secret: the old one and its tokens are invalid at once', async () => {
    const account = await newAccount(app, org);
    const token = await tokenOf(app, account);
    expect((await me(app, token)).status).toBe(200);
    const { status, body } = await asOwner('POST', `${account.path}/rotate`);
    expect([status, body.slug]).toEqual([200, account.slug]);
    expect(body.clientSecret).not.toBe(account.clientSecret);
    expect((await me(app, token)).status).toBe(401);
    expect((await askToken(app, account)).status).toBe(401);
    expect((await me(app, await tokenOf(app, { ...account, ...body }))).status).toBe(200);
    const rotated = await events(app, org, 'orgs.serviceaccounts.rotated');
    expect(rotated.at(-1)?.target.id).toBe(account.id);
    expect(JSON.stringify(rotated)).not.toContain('sas_');
  });

  it('disables and deletes the account, which revokes its tokens at once', async () => {
    const account = await newAccount(app, org);
    const before = await tokenOf(app, account);
    await asOwner('PATCH', account.path, { disabled: true });
    expect((await me(app, before)).status).toBe(401);
    expect((await askToken(app, account)).status).toBe(401);
    await asOwner('PATCH', account.path, { disabled: false });
    expect((await me(app, before)).status).toBe(401);
    const after = await tokenOf(app, account);
    expect((await me(app, after)).status).toBe(200);
    expect((await asOwner('DELETE', account.path)).body).toEqual({ success: true });
    expect((await me(app, after)).status).toBe(401);
    expect((await askToken(app, account)).status).toBe(401);
    expect((await asOwner('DELETE', account.path)).status).toBe(404);
    expect(await app.sql('SELECT 1 FROM sessions WHERE service_account_id = $1', [account.id])).toEqual([]);
    // A new account with the same slug does not make the old one's tokens valid.
    await newAccount(app, org, { slug: account.slug });
    expect((await me(app, after)).status).toBe(401);
  });

  it('finds only accounts of the organization', async () => {
    const { slug } = await newAccount(app, org);
    const other = await newOrg(app);
    const path = `${other.path}/service-accounts/${slug}`;
    const { token } = other.owner;
    expect((await app.request('PATCH', path, { token, body: { name: 'x' } })).status).toBe(404);
    expect((await app.request('POST', `${path}/rotate`, { token })).status).toBe(404);
    expect((await app.request('DELETE', path, { token })).status).toBe(404);
  });
});

it('is deleted with the organization', async () => {
  const doomed = await newOrg(app);
  const account = await newAccount(app, doomed);
  const token = await tokenOf(app, account);
  await app.request('DELETE', doomed.path, { token: doomed.owner.token });
  expect((await me(app, token)).status).toBe(401);
  expect((await askToken(app, account)).status).toBe(401);
  expect(await app.sql('SELECT 1 FROM service_accounts WHERE id = $1', [account.id])).toEqual([]);
});
