import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { Authenticator, type Deviation } from '../../harness/authenticator.js';
import { events, MovedClock, person, signIn } from '../auth/person.js';
import { personWithPasskey, Site } from './site.js';

const MINUTE = 60;
const clock = new MovedClock();
let app: TestApp;
beforeAll(async () => {
  app = await startOwnApp({ clock, database: 'own' });
});
afterAll(() => app.close());

const passkeysOf = (userId: string) => app.sql('SELECT * FROM passkeys WHERE user_id = $1', [userId]);

describe('the options of a registration', () => {
  it('ask for a discoverable credential with user verification, for this site and this person', async () => {
    const somebody = await person(app);
    const { status, body, headers } = await Site.of(app, somebody).send('POST', '/v2/user/passkeys/options');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      timeout: 300_000,
      pubKeyCredParams: [-8, -7, -257].map(alg => ({ type: 'public-key', alg })),
    });
    expect(Buffer.from(body.user.id, 'base64url').toString('hex')).toBe(somebody.userId.replaceAll('-', ''));
    expect(Buffer.from(body.challenge, 'base64url')).toHaveLength(32);
    expect(headers.get('set-cookie')).toMatch(/^passkey-browser=[\w-]{43}; .*HttpOnly; SameSite=Strict$/);
  });

  it('exclude the passkeys that the person has', async () => {
    const { site } = await personWithPasskey(app);
    const { body } = await site.send('POST', '/v2/user/passkeys/options');
    expect(body.excludeCredentials).toEqual([
      { type: 'public-key', id: expect.any(String), transports: ['internal'] },
    ]);
  });
});

describe('registering a passkey', () => {
  it.each(['ES256', 'RS256', 'EdDSA'] as const)('stores one that signs by %s, audited', async algorithm => {
    const somebody = await person(app);
    const site = Site.of(app, somebody, new Authenticator(app.url, algorithm));
    const { status, body } = await site.register({}, 'My laptop');
    expect([status, body]).toEqual([
      201,
      { id: expect.any(String), name: 'My laptop', created_at: expect.any(String), last_used_at: null },
    ]);
    expect(await events(app, body.id)).toEqual(['passkeys.created']);
    expect((await new Site(app, site.authenticator).logIn()).status).toBe(200);
  });

  it.each<[string, Deviation]>([
    ['a page of another origin', { origin: 'http://evil.localhost' }],
    ['a page of the same host at another port', { origin: 'http://localhost:1' }],
    ['a page in a frame of another origin', { crossOrigin: true }],
    ['a passkey for another site', { rpId: 'evil.example' }],
    ['a passkey without user verification', { userVerified: false }],
    ['a passkey without user presence', { userPresent: false }],
    ['the response to a sign-in', { type: 'webauthn.get' }],
    ['a challenge that the service did not send', { challenge: 'A'.repeat(43) }],
  ])('refuses %s', async (_, deviation) => {
    const somebody = await person(app);
    const { status, body } = await Site.of(app, somebody).register(deviation);
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
    expect(await passkeysOf(somebody.userId)).toEqual([]);
  });

  it('refuses a response that is sent a second time', async () => {
    const site = Site.of(app, await person(app));
    const { body: options } = await site.send('POST', '/v2/user/passkeys/options');
    const created = site.authenticator.create(options);
    expect((await site.send('POST', '/v2/user/passkeys', created)).status).toBe(201);
    expect((await site.send('POST', '/v2/user/passkeys', created)).status).toBe(400);
  });

  it('refuses a challenge of another browser, which that browser can still use', async () => {
    const victim = Site.of(app, await person(app));
    const thief = Site.of(app, await person(app));
    await thief.send('POST', '/v2/user/passkeys/options');
    const { body: options } = await victim.send('POST', '/v2/user/passkeys/options');
    const stolen = thief.authenticator.create(options);
    expect((await thief.send('POST', '/v2/user/passkeys', stolen)).status).toBe(400);
    const own = victim.authenticator.create(options);
    expect((await victim.send('POST', '/v2/user/passkeys', own)).status).toBe(201);
  });

  it('refuses a registration that another person started in the same browser', async () => {
    const site = Site.of(app, await person(app));
    const { body: options } = await site.send('POST', '/v2/user/passkeys/options');
    site.browser.set(app.url, 'access-token', (await person(app)).token);
    const answer = await site.send('POST', '/v2/user/passkeys', site.authenticator.create(options));
    expect(answer.status).toBe(403);
  });

  it('refuses a challenge after five minutes', async () => {
    const site = Site.of(app, await person(app));
    const { body: options } = await site.send('POST', '/v2/user/passkeys/options');
    clock.move(5 * MINUTE);
    const answer = await site.send('POST', '/v2/user/passkeys', site.authenticator.create(options));
    expect(answer.status).toBe(400);
  });

  it('refuses a credential that is registered already, whoever has it', async () => {
    const { site } = await personWithPasskey(app);
    const [{ credential_id }] = await app.sql('SELECT credential_id FROM passkeys ORDER BY id DESC LIMIT 1');
    const other = Site.of(app, await person(app));
    const { body: options } = await other.send('POST', '/v2/user/passkeys/options');
    const copy = { ...site.authenticator.create(options, {}, credential_id) };
    const answer = await other.send('POST', '/v2/user/passkeys', copy);
    expect([answer.status, answer.body.error]).toEqual([409, 'AlreadyExists']);
  });

  it('needs a sign-in of the last ten minutes, which a passkey gives', async () => {
    const { site } = await personWithPasskey(app);
    clock.move(10 * MINUTE);
    const refused = await site.send('POST', '/v2/user/passkeys/options');
    expect([refused.status, refused.body.error]).toEqual([403, 'Forbidden']);
    expect((await site.logIn()).status).toBe(200);
    expect((await site.send('POST', '/v2/user/passkeys/options')).status).toBe(200);
  });

  it('checks the age of the sign-in again at the end', async () => {
    const site = Site.of(app, await person(app));
    clock.move(8 * MINUTE);
    const { body: options } = await site.send('POST', '/v2/user/passkeys/options');
    clock.move(3 * MINUTE);
    const answer = await site.send('POST', '/v2/user/passkeys', site.authenticator.create(options));
    expect(answer.status).toBe(403);
  });

  it('is not possible with an access token, in a session of an application, or for an anonymous user', async () => {
    const { token, userId } = await person(app);
    const application = await signIn(app, userId, { clientId: 'typed-collections-cli' });
    const expiresAt = new Date(clock.now().getTime() + 3_600_000).toISOString();
    const minted = await app.request('POST', '/v2/user/accessTokens', {
      token,
      body: { name: 'script', expiresAt },
    });
    const anonymous = await app.request('POST', '/v2/login/anonymous', { body: {} });
    for (const refused of [minted.body.token, application.token, anonymous.body.token]) {
      const answer = await app.request('POST', '/v2/user/passkeys/options', { token: refused, body: {} });
      expect(answer.status).toBe(403);
    }
  });

  it('stops at 50 passkeys of a person', async () => {
    const { site, userId } = await personWithPasskey(app);
    await app.sql(
      `INSERT INTO passkeys (id, user_id, credential_id, public_key, sign_count, name, created_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid()::text, '', 0, 'x', now() FROM generate_series(1, 49)`,
      [userId],
    );
    expect((await site.register()).status).toBe(409);
  });
});

describe('passkeys of a person', () => {
  it('can be listed and renamed by that person only', async () => {
    const { site, passkeyId } = await personWithPasskey(app);
    const renamed = await site.send('PATCH', `/v2/user/passkeys/${passkeyId}`, { name: 'Phone' });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Phone']);
    const stranger = Site.of(app, await person(app));
    for (const [method, body] of [
      ['PATCH', { name: 'Mine' }],
      ['DELETE', undefined],
    ] as const) {
      expect((await stranger.send(method, `/v2/user/passkeys/${passkeyId}`, body)).status).toBe(404);
    }
    const { token } = await person(app);
    expect((await app.request('GET', '/v2/user/passkeys', { token })).body).toEqual({
      results: [],
      total: 0,
    });
    const own = await app.request('GET', '/v2/user/passkeys', { token: site.token() as string });
    expect(own.body).toMatchObject({ total: 1, results: [{ id: passkeyId, name: 'Phone' }] });
    expect(await events(app, passkeyId)).toEqual(['passkeys.created', 'passkeys.updated']);
  });

  it('end the sessions that they began when they are deleted, and no others', async () => {
    const { site, passkeyId, token } = await personWithPasskey(app);
    const elsewhere = new Site(app, site.authenticator);
    await elsewhere.logIn();
    const begun = elsewhere.token() as string;
    expect((await app.request('GET', '/v2/me', { token: begun })).status).toBe(200);
    expect((await site.send('DELETE', `/v2/user/passkeys/${passkeyId}`)).status).toBe(204);
    expect((await app.request('GET', '/v2/me', { token: begun })).status).toBe(401);
    expect((await app.request('GET', '/v2/me', { token })).status).toBe(200);
    expect((await elsewhere.logIn()).status).toBe(401);
    expect(await events(app, passkeyId)).toEqual(['passkeys.created', 'passkeys.deleted']);
  });
});
