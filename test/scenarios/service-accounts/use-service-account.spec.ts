import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { cookie, person } from '../auth/person.js';
import { events, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { askToken, me, newAccount, tokenOf } from './account.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

describe('POST /v2/orgs/{orgSlug}/service-accounts/{slug}/token', () => {
  it('answers with a JWT and a new session', async () => {
    const account = await newAccount(app, org, {
      permissions: ['collections:read'],
      scopes: ['collections:*'],
    });
    const asked = Date.now();
    const { status, body } = await askToken(app, account, { expiresIn: 120 });
    expect(status).toBe(201);
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^eyJ/),
      expiresAt: expect.any(String),
      tokenType: 'Bearer',
      permissions: ['collections:read'],
      scopes: ['collections:*'],
    });
    expect(Math.abs(Date.parse(body.expiresAt) - asked - 120_000)).toBeLessThan(10_000);
    const claims = decodeJwt(body.accessToken);
    expect(claims).toMatchObject({ sub: `sa:${org.slug}:${account.slug}`, client_id: 'platform' });
    expect(claims.exp).toBe(Date.parse(body.expiresAt) / 1000);
    expect(decodeJwt(await tokenOf(app, account)).platformSessionId).not.toBe(claims.platformSessionId);
    const [event] = (await events(app, org, 'orgs.serviceaccounts.tokens.minted')).slice(-2);
    expect(event).toMatchObject({
      actor: { type: 'service-account', id: account.id, via: 'rest' },
      target: { type: 'service-account', id: account.id, name: account.slug },
      changes: { after: { sessionId: claims.platformSessionId } },
    });
    expect(JSON.stringify(event)).not.toMatch(/eyJ|sas_/);
    const list = await app.request('GET', `${org.path}/service-accounts`, { token: org.owner.token });
    expect(list.body.results.at(-1).lastUsedAt).not.toBeNull();
  });

  it('answers the same 401 to every invalid secret', async () => {
    const [account, other] = [await newAccount(app, org), await newAccount(app, org)];
    const elsewhere = await newAccount(app, await newOrg(app), { slug: account.slug });
    const disabled = await newAccount(app, org);
    await app.request('PATCH', disabled.path, { token: org.owner.token, body: { disabled: true } });
    const { path, clientSecret } = account;
    const tries = [
      { path, clientSecret: 'secret' },
      { path, clientSecret: other.clientSecret },
      { path, clientSecret: elsewhere.clientSecret },
      { path, clientSecret: clientSecret.replace('sas_', 'iak_') },
      { path, clientSecret: clientSecret.toUpperCase() },
      { path, clientSecret: ` ${clientSecret}` },
      { path: elsewhere.path, clientSecret },
      { path: `/v2/orgs/${newSlug()}/service-accounts/${account.slug}`, clientSecret },
      { path: `${org.path}/service-accounts/${newSlug()}`, clientSecret },
      disabled,
    ];
    const texts = new Set<string>();
    for (const each of tries) {
      const { status, text, body } = await askToken(app, each);
      expect([each.path, status, body.error]).toEqual([each.path, 401, 'Unauthorized']);
      texts.add(text);
    }
    expect(texts.size).toBe(1);
    expect((await askToken(app, account)).status).toBe(201);
  });

  it.each([
    { expiresIn: 59 },
    { expiresIn: 2_592_001 },
    { expiresIn: 1.5 },
    { clientSecret: null },
    { more: 1 },
  ])('refuses %j', async more => {
    expect((await askToken(app, await newAccount(app, org), more)).status).toBe(400);
  });

  it('issues no token that stays valid after a concurrent rotation', async () => {
    const account = await newAccount(app, org);
    const { token } = org.owner;
    const asking = Array.from({ length: 20 }, () => askToken(app, account));
    const rotation = app.request('POST', `${account.path}/rotate`, { token });
    const answers = await Promise.all(asking);
    expect((await rotation).status).toBe(200);
    for (const { status, body } of answers) {
      expect([201, 401]).toContain(status);
      if (status === 201) expect((await me(app, body.accessToken)).status).toBe(401);
    }
  });
});

describe('the JWT of a service account', () => {
  it('acts with the permissions of the account, in its organization only', async () => {
    const account = await newAccount(app, org, { permissions: ['collections:*', 'orgs:audit:read'] });
    const token = await tokenOf(app, account);
    const { body } = await me(app, token);
    expect(body.principal).toEqual({ type: 'service-account', id: account.id, slug: account.slug });
    expect(body).not.toHaveProperty('email');
    expect([body.orgSlugs, body.permissions]).toEqual([[org.slug], ['collections:*', 'orgs:audit:read']]);
    expect((await app.request('GET', `${org.path}/audit`, { token })).status).toBe(200);
    expect((await app.request('GET', `${org.path}/api-keys`, { token })).body.error).toBe('Forbidden');
    const other = await newOrg(app);
    expect((await app.request('GET', other.path, { token })).body.error).toBe(
      'OrganizationMembershipRequired',
    );
    const created = await app.request('POST', '/v1/collections', { token, body: { name: newSlug() } });
    expect(created.status).toBe(200);
    const path = `/v1/collections/${created.body.collection_id}`;
    expect((await app.request('GET', path, { token: org.owner.token })).body.owner_id).toBe(org.owner.userId);
    const [event] = (await events(app, org, 'collections.created')).slice(-1);
    expect(event?.actor).toEqual({ type: 'service-account', id: account.id, via: 'rest' });
  });

  it('has the changed permissions of the account at once', async () => {
    const account = await newAccount(app, org);
    const token = await tokenOf(app, account);
    expect((await app.request('GET', '/v1/collections', { token })).status).toBe(200);
    const body = { permissions: [] };
    await app.request('PATCH', account.path, { token: org.owner.token, body });
    expect((await me(app, token)).body.permissions).toEqual([]);
    expect((await app.request('GET', '/v1/collections', { token })).status).toBe(403);
  });

  it('stays within its scopes', async () => {
    const { token: owner } = org.owner;
    const [one, two] = await Promise.all(
      [1, 2].map(async () => {
        const made = await app.request('POST', '/v1/collections', {
          token: owner,
          body: { name: newSlug() },
        });
        return made.body.collection_id as string;
      }),
    );
    const token = await tokenOf(app, await newAccount(app, org, { scopes: [`collections:${one}`] }));
    expect((await app.request('GET', `/v1/collections/${one}`, { token })).status).toBe(200);
    expect((await app.request('GET', `/v1/collections/${two}`, { token })).status).not.toBe(200);
  });

  it('cannot get an access token, a ticket or a person’s session, or join an organization', async () => {
    const token = await tokenOf(app, await newAccount(app, org, { permissions: ['*'] }));
    for (const [method, path, body] of [
      [
        'POST',
        '/v2/user/accessTokens',
        { name: 'x', expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
      ],
      ['POST', '/v2/user/webSessionTicket', { redirect: '/docs' }],
      ['GET', '/v2/user/sessions', undefined],
      ['DELETE', '/v2/user/sessions', undefined],
      ['POST', '/v2/logout', undefined],
      ['PUT', '/v2/user/active-org', { orgSlug: org.slug }],
      ['POST', '/v2/orgs', { slug: newSlug(), name: 'x' }],
      ['POST', '/v2/orgs/join', { code: 'inv_x' }],
    ] as const) {
      const answer = await app.request(method, path, { token, body });
      expect([path, answer.status, answer.body.error]).toEqual([path, 403, 'Forbidden']);
    }
  });

  it('cannot grant more than the account holds', async () => {
    const permissions = ['orgs:apikeys:manage', 'orgs:service-accounts:manage', 'orgs:members:read'];
    const token = await tokenOf(app, await newAccount(app, org, { permissions }));
    const mint = async (what: string, held: string[]) => {
      const body = { slug: newSlug(), name: 'x', permissions: held };
      return (await app.request('POST', `${org.path}/${what}`, { token, body })).status;
    };
    expect([
      await mint('api-keys', ['orgs:roles:read']),
      await mint('api-keys', ['orgs:members:read']),
    ]).toEqual([403, 201]);
    expect([
      await mint('service-accounts', ['*']),
      await mint('service-accounts', ['orgs:members:read']),
    ]).toEqual([403, 201]);
  });

  it('is not valid with another subject, and a person’s session is not valid with its subject', async () => {
    const account = await newAccount(app, org);
    const { platformSessionId } = decodeJwt(await tokenOf(app, account));
    const [session] = await app.sql('SELECT user_id, service_account_id FROM sessions WHERE id = $1', [
      platformSessionId,
    ]);
    expect(session).toEqual({ user_id: null, service_account_id: account.id });
    const insert = (userId: string | null, accountId: string | null) =>
      app.sql(
        `INSERT INTO sessions (id, user_id, service_account_id, client_id, expires_at)
         VALUES (gen_random_uuid(), $1, $2, 'platform', now())`,
        [userId, accountId],
      );
    const { userId } = await person(app);
    await expect(insert(null, null)).rejects.toThrow(/check constraint/);
    await expect(insert(userId, account.id)).rejects.toThrow(/check constraint/);
  });

  it('is accepted in the cookie, too', async () => {
    const token = await tokenOf(app, await newAccount(app, org));
    expect((await app.request('GET', '/v2/me', { headers: cookie(token) })).status).toBe(200);
  });

  it('is revoked on every instance when its row is changed in the database', async () => {
    const second = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { PUBLIC_URL: app.url },
    });
    try {
      const account = await newAccount(app, org);
      const token = await tokenOf(app, account);
      const statuses = async () => [(await me(app, token)).status, await statusAt(second, token)];
      expect(await statuses()).toEqual([200, 200]);
      await app.sql('UPDATE service_accounts SET disabled = true WHERE id = $1', [account.id]);
      await expect.poll(statuses, { timeout: 5_000 }).toEqual([401, 401]);
    } finally {
      await second.close();
    }
  });
});

/** Sends the request to this instance's own address, because PUBLIC_URL, which the JWT names, is that of the other one. */
async function statusAt({ settings }: TestApp, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`http://127.0.0.1:${settings.PORT}/v2/me`, { headers })).status;
}
