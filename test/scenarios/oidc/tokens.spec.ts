import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { platformCall } from '../../../src/base/kernel/call.js';
import { KeyRing } from '../../../src/features/auth/keys/key-ring.js';
import { KeyRotation } from '../../../src/features/auth/keys/key-rotation.service.js';
import { Reencryption } from '../../../src/features/auth/keys/master-keys.service.js';
import { OidcPayloads } from '../../../src/features/auth/oidc/oidc-payloads.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { events, MovedClock, type Person, person, signIn } from '../auth/person.js';
import { Browser } from './browser.js';
import {
  attempt,
  clientSettings,
  connect,
  exchange,
  register,
  relyingParty,
  startOidcApp,
} from './client.js';

let app: TestApp;
let somebody: Person;
let config: oauth.Configuration;
beforeAll(async () => {
  app = await startOidcApp();
  somebody = await person(app);
  config = await relyingParty(app);
});

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString());
const me = (token: string, of = app) => of.request('GET', '/v2/me', { token });
const refresh = (token: string | undefined, of = config) => oauth.refreshTokenGrant(of, token as string);
const failsWith = (error: string) => expect.objectContaining({ error });
const isEnded = async (sessionId: string) =>
  (await app.sql('SELECT revoked_at FROM sessions WHERE id = $1', [sessionId]))[0].revoked_at !== null;

describe('an access token', () => {
  it('is a JWT of this platform with exactly the documented header and claims', async () => {
    const { access_token, expires_in } = await connect(config, Browser.of(app, somebody));
    const keys = createRemoteJWKSet(new URL(`${app.url}/oidc/jwks`));
    const { payload, protectedHeader } = await jwtVerify(access_token, keys, {
      ...{ issuer: `${app.url}/oidc`, audience: app.url, typ: 'at+jwt' },
    });
    expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'kid', 'typ']);
    expect(payload).toEqual({
      ...{ platformSessionId: expect.any(String), jti: expect.any(String), sub: somebody.userId },
      ...{ iat: expect.any(Number), exp: (payload.iat as number) + (expires_in as number) },
      ...{ scope: 'openid email collections:read', client_id: 'console' },
      ...{ iss: `${app.url}/oidc`, aud: app.url },
    });
    expect(headerOf(access_token).kid).toBe((await app.nest.get(KeyRing).signingKey()).kid);
  });

  it("of the platform's own client with full access works wherever the JWT of a session does", async () => {
    const { access_token } = await connect(config, Browser.of(app, somebody), { scope: 'openid platform' });
    expect((await me(access_token)).body).toMatchObject({ id: somebody.userId });
    expect((await app.request('GET', '/v2/user/sessions', { token: access_token })).status).toBe(200);
  });

  it('cannot be replaced by an id_token', async () => {
    const { id_token } = await connect(config, Browser.of(app, somebody));
    const answer = await me(id_token as string);
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain(somebody.userId);
  });

  it('belongs to a session that starts in the organization in which the person was active', async () => {
    const owner = await signIn(app, app.bootstrap.userId);
    const { access_token } = await connect(config, Browser.of(app, owner));
    expect((await me(access_token)).body.org).toMatchObject({ slug: app.bootstrap.orgSlug });
  });
});

describe('a code', () => {
  it('is used once: a second use ends everything issued for it', async () => {
    const browser = Browser.of(app, somebody);
    const { url, checks } = await attempt(config);
    const { url: callback } = await browser.press(await browser.get(url), 'Allow');
    const { access_token, refresh_token } = await exchange(config, callback, checks);
    await expect(exchange(config, callback, checks)).rejects.toEqual(failsWith('invalid_grant'));
    await expect(refresh(refresh_token)).rejects.toEqual(failsWith('invalid_grant'));
    expect((await me(access_token)).status).toBe(401);
  });

  it.each([
    [
      'another verifier',
      (checks: { pkceCodeVerifier: string }) => ({ ...checks, pkceCodeVerifier: 'x'.repeat(43) }),
    ],
    ['none', ({ pkceCodeVerifier: _, ...checks }: { pkceCodeVerifier: string }) => checks],
  ])('is refused with %s', async (_, change) => {
    const browser = Browser.of(app, await person(app));
    const { url, checks } = await attempt(config);
    const { url: callback } = await browser.press(await browser.get(url), 'Allow');
    await expect(exchange(config, callback, change(checks) as typeof checks)).rejects.toEqual(
      failsWith('invalid_grant'),
    );
  });

  it('is refused to another client, and a client with a secret must send it', async () => {
    const browser = Browser.of(app, await person(app));
    const { url, checks } = await attempt(config);
    const { url: callback } = await browser.press(await browser.get(url), 'Allow');
    const backend = await relyingParty(app, 'backend', 'a-secret-of-the-tests');
    await expect(exchange(backend, callback, checks)).rejects.toEqual(failsWith('invalid_grant'));
    const impostor = await relyingParty(app, 'backend', 'a-guess');
    await expect(exchange(impostor, callback, checks)).rejects.toMatchObject({ status: 401 });
  });

  it('ends with the session that it belongs to', async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    const { url, checks } = await attempt(config);
    const { url: callback } = await browser.press(await browser.get(url), 'Allow');
    await app.request('DELETE', '/v2/user/sessions', { token: other.token });
    await expect(exchange(config, callback, checks)).rejects.toEqual(failsWith('invalid_grant'));
  });
});

describe('a refresh token', () => {
  it('is exchanged for another one and a new access token of the same session', async () => {
    const first = await connect(config, Browser.of(app, somebody));
    const second = await refresh(first.refresh_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(claimsOf(second.access_token)).toMatchObject({
      platformSessionId: claimsOf(first.access_token).platformSessionId,
      scope: 'openid email collections:read',
    });
    expect(claimsOf(second.access_token).jti).not.toBe(claimsOf(first.access_token).jti);
    expect((await me(second.access_token)).status).toBe(200);
  });

  it('that is used twice was stolen: session, tokens and successors end', async () => {
    const other = await person(app);
    const first = await connect(config, Browser.of(app, other));
    const second = await refresh(first.refresh_token);
    await expect(refresh(first.refresh_token)).rejects.toEqual(failsWith('invalid_grant'));
    await expect(refresh(second.refresh_token)).rejects.toEqual(failsWith('invalid_grant'));
    expect((await me(second.access_token)).status).toBe(401);
    const { platformSessionId } = claimsOf(first.access_token);
    expect(await events(app, platformSessionId)).toEqual(['sessions.created', 'sessions.revoked']);
    expect((await me(other.token)).status).toBe(200);
  });

  it('that is used many times at once yields at most one successor, which ends too', async () => {
    const first = await connect(config, Browser.of(app, await person(app)));
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => refresh(first.refresh_token)));
    const given = answers.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []));
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { refresh_token } of given)
      await expect(refresh(refresh_token)).rejects.toEqual(failsWith('invalid_grant'));
    expect(await isEnded(claimsOf(first.access_token).platformSessionId)).toBe(true);
  });

  it('yields fewer scopes on request, and never more', async () => {
    const { refresh_token } = await connect(config, Browser.of(app, somebody));
    const less = await oauth.refreshTokenGrant(config, refresh_token as string, { scope: 'openid' });
    expect(claimsOf(less.access_token).scope).toBe('openid');
    await expect(
      oauth.refreshTokenGrant(config, less.refresh_token as string, { scope: 'collections:write' }),
    ).rejects.toEqual(failsWith('invalid_scope'));
  });

  it.each<[string, (other: Person, sessionId: string) => Promise<unknown>]>([
    [
      'its session is revoked by its owner',
      (other, id) => app.request('DELETE', `/v2/user/sessions/${id}`, { token: other.token }),
    ],
    ['its session is deleted by hand', (_, id) => app.sql('DELETE FROM sessions WHERE id = $1', [id])],
    [
      'its user is disabled',
      ({ userId }) => app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]),
    ],
  ])('is refused after %s', async (_, end) => {
    const other = await person(app);
    const { refresh_token, access_token } = await connect(config, Browser.of(app, other));
    await end(other, claimsOf(access_token).platformSessionId);
    await expect(refresh(refresh_token)).rejects.toEqual(failsWith('invalid_grant'));
    await expect.poll(async () => (await me(access_token)).status).toBe(401);
  });

  it('is not stored, nor is anything that could be used in its place', async () => {
    const browser = Browser.of(app, somebody);
    const { url, checks } = await attempt(config);
    const { url: callback } = await browser.press(await browser.get(url), 'Allow');
    const code = new URL(callback).searchParams.get('code') as string;
    const { refresh_token } = await exchange(config, callback, checks);
    const [{ dump }] = await app.sql('SELECT string_agg(p::text, chr(10)) AS dump FROM oidc_payloads p');
    expect(dump).toContain('RefreshToken');
    for (const secret of [code, refresh_token as string, checks.expectedState, somebody.userId])
      expect(dump).not.toContain(secret);
  });

  it('ends with its session, however often it was exchanged', async () => {
    const clock = new MovedClock();
    const own = await startOwnApp({
      ...{ database: 'own', clock },
      environment: { ...clientSettings(), ACCESS_TOKENS_MAX_AGE: '7200' },
    });
    const ownConfig = await relyingParty(own);
    const tokens = await connect(ownConfig, Browser.of(own, await person(own)));
    clock.move(5400);
    const later = await refresh(tokens.refresh_token, ownConfig);
    expect(claimsOf(later.access_token).exp - claimsOf(tokens.access_token).iat).toBeLessThanOrEqual(7201);
    clock.move(1900);
    await expect(refresh(later.refresh_token, ownConfig)).rejects.toEqual(failsWith('invalid_grant'));
    const payloads = own.nest.get(OidcPayloads);
    await payloads.removeExpired();
    expect(await own.sql(`SELECT kind FROM oidc_payloads WHERE kind = 'RefreshToken'`)).toEqual([]);
    await own.close();
  });
});

describe('revocation', () => {
  it.each(['refresh_token', 'access_token'] as const)('of the %s ends its session', async kind => {
    const tokens = await connect(config, Browser.of(app, await person(app)));
    await oauth.tokenRevocation(config, tokens[kind] as string);
    await expect(refresh(tokens.refresh_token)).rejects.toEqual(failsWith('invalid_grant'));
    expect((await me(tokens.access_token)).status).toBe(401);
  });

  it('by another client, or of anything else, changes nothing and reveals nothing', async () => {
    const other = await person(app);
    const tokens = await connect(config, Browser.of(app, other));
    const tool = await register(app, ['https://tool.example.com/cb']);
    await oauth.tokenRevocation(tool, tokens.access_token);
    await oauth.tokenRevocation(tool, tokens.refresh_token as string);
    await oauth.tokenRevocation(config, other.token);
    await oauth.tokenRevocation(config, 'nothing');
    expect((await me(tokens.access_token)).status).toBe(200);
    expect((await me(other.token)).status).toBe(200);
  });
});

describe('introspection', () => {
  it('describes to a client its own tokens while they are valid', async () => {
    const tokens = await connect(config, Browser.of(app, somebody));
    const { exp, iat } = claimsOf(tokens.access_token);
    expect(await oauth.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      ...{ active: true, client_id: 'console', sub: somebody.userId, aud: app.url, exp, iat },
      ...{ scope: 'openid email collections:read', token_type: 'Bearer', iss: `${app.url}/oidc` },
    });
    expect(await oauth.tokenIntrospection(config, tokens.refresh_token as string)).toMatchObject({
      active: true,
    });
    await oauth.tokenRevocation(config, tokens.access_token);
    for (const token of [tokens.access_token, tokens.refresh_token as string])
      expect(await oauth.tokenIntrospection(config, token)).toEqual({ active: false });
  });

  it("describes every client's tokens to the platform's own servers, and only their own to third parties", async () => {
    const { access_token } = await connect(config, Browser.of(app, somebody));
    const backend = await relyingParty(app, 'backend', 'a-secret-of-the-tests');
    expect(await oauth.tokenIntrospection(backend, access_token)).toMatchObject({ active: true });
    const tool = await register(app, ['https://tool.example.com/cb']);
    expect(await oauth.tokenIntrospection(tool, access_token)).toEqual({ active: false });
    const confidential = await app.request('POST', '/oidc/reg', {
      body: { redirect_uris: ['https://tool.example.com/cb'] },
    });
    const { client_id, client_secret } = confidential.body;
    const asked = await relyingParty(app, client_id, client_secret);
    expect(await oauth.tokenIntrospection(asked, access_token)).toEqual({ active: false });
  });

  it('reports tokens of a disabled account as inactive', async () => {
    const { userId, token } = await person(app);
    const { access_token, refresh_token } = await connect(config, Browser.of(app, { token }));
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]);
    for (const each of [access_token, refresh_token as string])
      expect(await oauth.tokenIntrospection(config, each)).toEqual({ active: false });
  });

  it('reports JWTs of sessions, forged ones and other texts as inactive', async () => {
    const { access_token } = await connect(config, Browser.of(app, somebody));
    for (const token of [somebody.token, `${access_token.slice(0, -4)}AAAA`, 'a.b.c', 'x'])
      expect(await oauth.tokenIntrospection(config, token)).toEqual({ active: false });
  });
});

describe('sign-out at the authorization server', () => {
  const signOutUrl = (idToken: string | undefined) =>
    oauth.buildEndSessionUrl(config, {
      id_token_hint: idToken as string,
      post_logout_redirect_uri: 'https://console.example.com/bye',
      state: 'x1',
    });

  it('asks, then ends the sessions of the applications and of the browser, and redirects back', async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    const tokens = await connect(config, browser);
    const page = await browser.get(signOutUrl(tokens.id_token));
    expect(page.html).toContain('<h1>Sign out?</h1>');
    expect((await me(tokens.access_token)).status).toBe(200);
    const { url } = await browser.press(page, 'Sign out everywhere in this browser');
    expect(url).toBe('https://console.example.com/bye?state=x1');
    expect((await me(tokens.access_token)).status).toBe(401);
    await expect(refresh(tokens.refresh_token)).rejects.toEqual(failsWith('invalid_grant'));
    expect((await me(other.token)).status).toBe(401);
    expect(browser.has('access-token')).toBe(false);
  });

  it("ends only this application's session if the person stays signed in", async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    const tokens = await connect(config, browser);
    await browser.press(await browser.get(signOutUrl(tokens.id_token)), 'Stay signed in');
    expect((await me(tokens.access_token)).status).toBe(401);
    expect((await me(other.token)).status).toBe(200);
    expect(browser.has('access-token')).toBe(true);
  });

  it("keeps access that was granted for the time of the person's absence", async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    const scope = 'openid offline_access collections:read';
    const tokens = await connect(config, browser, { scope, prompt: 'consent' });
    await browser.press(
      await browser.get(signOutUrl(tokens.id_token)),
      'Sign out everywhere in this browser',
    );
    expect((await me(other.token)).status).toBe(401);
    expect(claimsOf((await refresh(tokens.refresh_token)).access_token).sub).toBe(other.userId);
  });

  it('is refused for a form of another site, and never redirects to an unregistered address', async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    const tokens = await connect(config, browser);
    const page = await browser.get(signOutUrl(tokens.id_token));
    const forged = await browser.press(page, 'Sign out everywhere in this browser', { xsrf: 'x' });
    expect(forged.status).toBe(400);
    expect((await me(other.token)).status).toBe(200);
    const elsewhere = signOutUrl(tokens.id_token);
    elsewhere.searchParams.set('post_logout_redirect_uri', 'https://evil.example/');
    expect((await browser.get(elsewhere)).status).toBe(400);
  });

  it("from a browser without connected applications keeps the platform's session", async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    const page = await browser.get('/oidc/session/end');
    await browser.press(page, 'Continue');
    expect((await me(other.token)).status).toBe(200);
  });

  it('can be requested with a form', async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    const { id_token } = await connect(config, browser);
    const { status, headers } = await app.request('POST', '/oidc/session/end', {
      raw: new URLSearchParams({ id_token_hint: id_token as string }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(status).toBe(303);
    expect((await browser.get(headers.get('location') as string)).html).toContain('Sign out?');
  });
});

describe('tokens while keys change and instances restart', () => {
  it('stay valid when signing keys are rotated during the flow', async () => {
    const own = await startOwnApp({ database: 'own', environment: clientSettings() });
    const ownConfig = await relyingParty(own);
    const browser = Browser.of(own, await person(own));
    const before = await connect(ownConfig, browser);
    const { url, checks } = await attempt(ownConfig, { prompt: 'consent' });
    const page = await browser.get(url);
    await rotate(own);
    const { url: callback } = await browser.press(page, 'Allow');
    const after = await exchange(ownConfig, callback, checks);
    expect(headerOf(after.access_token).kid).not.toBe(headerOf(before.access_token).kid);
    expect((await own.request('GET', '/v2/me', { token: before.access_token })).status).toBe(200);
    expect((await own.request('GET', '/v2/me', { token: after.access_token })).status).toBe(200);
    const { body } = await own.request('GET', '/oidc/jwks');
    const keys = createLocalJWKSet(body);
    for (const token of [before.id_token, after.id_token])
      await jwtVerify(token as string, keys, { issuer: `${own.url}/oidc`, audience: 'console' });
    const hint = new URLSearchParams({ id_token_hint: before.id_token as string });
    expect((await browser.get(`/oidc/session/end?${hint}`)).html).toContain('Sign out?');
    await own.close();
  });

  it.each([
    ['EC', 'ES512'],
    ['OKP', 'EdDSA'],
    ['RSA', 'PS384'],
  ])('can be signed with every kind of key: %s with %s', async (kty, alg) => {
    const own = await startOwnApp({
      database: 'own',
      environment: { ...clientSettings(), JWKS_KTY: kty, JWKS_ALG: alg },
    });
    const ownConfig = await relyingParty(own);
    const { access_token, id_token } = await connect(ownConfig, Browser.of(own, await person(own)));
    const keys = createRemoteJWKSet(new URL(`${own.url}/oidc/jwks`));
    for (const token of [access_token, id_token as string])
      expect((await jwtVerify(token, keys)).protectedHeader.alg).toBe(alg);
    expect((await own.request('GET', '/v2/me', { token: access_token })).status).toBe(200);
    await own.close();
  });

  it('stay valid when master keys are replaced; encrypted again, they no longer need the old key', async () => {
    const key = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`;
    const first = await startOwnApp({
      database: 'own',
      environment: { ...clientSettings(), SECRETS_MASTER_KEYS: key('a', 1) },
    });
    const { DATABASE_URL, PORT } = first.settings;
    const startWith = (...keys: string[]) =>
      startOwnApp({
        database: { url: DATABASE_URL as string },
        environment: {
          ...clientSettings(),
          ...{ PORT: String(PORT), SECRETS_MASTER_KEYS: keys.join(), CONSOLE: 'off' },
        },
      });
    const ownConfig = await relyingParty(first);
    const tokens = await connect(ownConfig, Browser.of(first, await person(first)));
    const tool = await register(first, ['https://tool.example.com/cb']);
    await first.close();
    const second = await startWith(key('b', 2), key('a', 1));
    const later = await refresh(tokens.refresh_token, ownConfig);
    await second.nest.get(Reencryption).reencrypt(platformCall('cli'));
    await second.close();
    const third = await startWith(key('b', 2));
    await expect(refresh(tokens.refresh_token, ownConfig)).rejects.toEqual(failsWith('invalid_grant'));
    await expect(refresh(later.refresh_token, ownConfig)).rejects.toEqual(failsWith('invalid_grant'));
    const { url } = await attempt(tool, { redirect_uri: 'https://tool.example.com/cb' });
    expect((await new Browser(third).get(url)).status).toBe(200);
    await third.close();
  });

  it('are shared: one instance continues what another began, and refuses what another ended', async () => {
    const second = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { ...clientSettings(), PUBLIC_URL: app.url },
    });
    const elsewhere = (method: string, path: string, token: string) =>
      second.request(method, path, { token });
    const other = await person(app);
    const browser = Browser.of(app, other);
    const { url, checks } = await attempt(config);
    const { url: callback } = await browser.press(await browser.get(url), 'Allow');
    const code = new URL(callback).searchParams.get('code') as string;
    const answer = await second.request('POST', '/oidc/token', {
      raw: new URLSearchParams({
        ...{ grant_type: 'authorization_code', client_id: 'console', code },
        ...{ redirect_uri: 'https://console.example.com/callback', code_verifier: checks.pkceCodeVerifier },
      }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { access_token, refresh_token } = answer.body;
    expect((await me(access_token)).status).toBe(200);
    expect((await elsewhere('GET', '/v2/me', access_token)).status).toBe(200);
    const next = await refresh(refresh_token);
    await oauth.tokenRevocation(config, next.access_token);
    await expect
      .poll(async () => (await elsewhere('GET', '/v2/me', next.access_token)).status, { timeout: 5_000 })
      .toBe(401);
    await second.close();
  });

  async function rotate(of: TestApp): Promise<void> {
    const rotation = of.nest.get(KeyRotation);
    await rotation.publishNext(platformCall('job'));
    await of.sql(`UPDATE signing_keys SET created_at = now() - interval '1 hour' WHERE state = 'next'`);
    expect(await rotation.rotate()).toMatchObject({ activated: expect.any(String) });
  }
});
