import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PasskeyChallenges } from '../../../src/features/auth/passkeys/passkey-challenges.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import type { Deviation } from '../../harness/authenticator.js';
import { addressOf, twoInstances } from '../abuse/instances.js';
import { MovedClock } from '../auth/person.js';
import { newOrg } from '../orgs/org.js';
import { personWithPasskey, Site } from './site.js';

const clock = new MovedClock();
let app: TestApp;
beforeAll(async () => {
  app = await startOwnApp({ clock, database: 'own' });
});
afterAll(() => app.close());

const refusal = { error: 'Unauthorized', message: 'The credential is missing, invalid or expired.' };
const eventsAbout = (userId: string) =>
  app.sql(`SELECT type, changes FROM audit_events WHERE target->>'id' = $1 ORDER BY id`, [userId]);
const sessionsOf = (userId: string) =>
  app.sql('SELECT passkey_id FROM sessions WHERE user_id = $1 ORDER BY created_at', [userId]);

describe('signing in with a passkey', () => {
  it('sets the cookie of a new session, and shows no token to the page', async () => {
    const { userId, site, passkeyId } = await personWithPasskey(app);
    const elsewhere = new Site(app, site.authenticator);
    const { status, body, headers } = await elsewhere.logIn();
    expect([status, body]).toEqual([200, { userId, active_org: null }]);
    expect(headers.get('set-cookie')).toMatch(/^access-token=eyJ.*HttpOnly; SameSite=Lax$/);
    const me = await app.request('GET', '/v2/me', { token: elsewhere.token() as string });
    expect(me.body.id).toBe(userId);
    expect((await sessionsOf(userId)).map(({ passkey_id }) => passkey_id)).toEqual([null, passkeyId]);
    const shown = await app.request('GET', '/v2/user/passkeys', { token: elsewhere.token() as string });
    expect(shown.body.results[0].last_used_at).toEqual(expect.any(String));
  });

  it('names the active organization', async () => {
    const org = await newOrg(app);
    const site = Site.of(app, org.owner);
    await site.register();
    expect((await site.logIn()).body).toEqual({ userId: org.owner.userId, active_org: org.slug });
  });

  it('has options that say nothing about accounts', async () => {
    const { body } = await new Site(app).send('POST', '/v2/login/passkey/options');
    expect(body).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'localhost',
      allowCredentials: [],
      timeout: 300_000,
      userVerification: 'required',
    });
  });

  it.each<[string, Deviation]>([
    ['a page of another origin', { origin: 'http://evil.localhost' }],
    ['a page in a frame of another origin', { crossOrigin: true }],
    ['another site', { rpId: 'evil.example' }],
    ['no user verification', { userVerified: false }],
    ['no user presence', { userPresent: false }],
    ['the response to a registration', { type: 'webauthn.create' }],
    ['a challenge that the service did not send', { challenge: 'A'.repeat(43) }],
    ['no user handle', { userHandle: undefined }],
    ['the user handle of somebody else', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
  ])('refuses %s', async (_, deviation) => {
    const { userId, site } = await personWithPasskey(app);
    const answer = await new Site(app, site.authenticator).logIn(deviation);
    expect([answer.status, answer.body]).toEqual([401, refusal]);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await sessionsOf(userId)).toHaveLength(1);
  });

  it('refuses an unknown credential, and one whose signature is by another key', async () => {
    const { site } = await personWithPasskey(app);
    const stranger = new Site(app);
    const options = async () => (await stranger.send('POST', '/v2/login/passkey/options')).body;
    const first = await options();
    stranger.authenticator.create({ rp: { id: 'localhost' }, user: { id: 'AAAA' }, challenge: 'x' });
    const unknown = await stranger.send('POST', '/v2/login/passkey', stranger.authenticator.get(first));
    const second = await options();
    const signature = stranger.authenticator.get(second).response.signature;
    const forged = site.authenticator.get(second);
    const answer = await stranger.send('POST', '/v2/login/passkey', {
      ...forged,
      response: { ...forged.response, signature },
    });
    for (const { status, body } of [unknown, answer]) expect([status, body]).toEqual([401, refusal]);
  });

  it('refuses a response that is sent a second time', async () => {
    const { site } = await personWithPasskey(app);
    const { body: options } = await site.send('POST', '/v2/login/passkey/options');
    const used = site.authenticator.get(options);
    const answers = [];
    for (let attempt = 0; attempt < 2; attempt++)
      answers.push(await site.send('POST', '/v2/login/passkey', used));
    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  });

  it('uses a challenge up although the first response with it was wrong', async () => {
    const { site } = await personWithPasskey(app);
    const { body: options } = await site.send('POST', '/v2/login/passkey/options');
    const wrong = site.authenticator.get(options, { origin: 'http://evil.localhost' });
    expect((await site.send('POST', '/v2/login/passkey', wrong)).status).toBe(401);
    const right = site.authenticator.get(options);
    expect((await site.send('POST', '/v2/login/passkey', right)).status).toBe(401);
  });

  it('refuses the challenge of another browser, and that of a registration', async () => {
    const { site } = await personWithPasskey(app);
    const thief = new Site(app, site.authenticator);
    await thief.send('POST', '/v2/login/passkey/options');
    const { body: options } = await site.send('POST', '/v2/login/passkey/options');
    const stolen = site.authenticator.get(options);
    expect((await thief.send('POST', '/v2/login/passkey', stolen)).status).toBe(401);
    expect((await site.send('POST', '/v2/login/passkey', stolen)).status).toBe(200);
    const { body: registration } = await site.send('POST', '/v2/user/passkeys/options');
    const confused = site.authenticator.get({ ...registration, rpId: 'localhost' });
    expect((await site.send('POST', '/v2/login/passkey', confused)).status).toBe(401);
  });

  it('refuses a challenge after five minutes, and a job removes it', async () => {
    const { site } = await personWithPasskey(app);
    const { body: options } = await site.send('POST', '/v2/login/passkey/options');
    clock.move(300);
    const answer = await site.send('POST', '/v2/login/passkey', site.authenticator.get(options));
    expect(answer.status).toBe(401);
    await site.send('POST', '/v2/login/passkey/options');
    clock.move(301);
    await site.send('POST', '/v2/login/passkey/options');
    expect(await app.nest.get(PasskeyChallenges).removeExpired()).toBeGreaterThan(0);
    expect(await app.sql('SELECT challenge FROM passkey_challenges')).toHaveLength(1);
  });

  it('refuses a counter that did not grow, and records it: two authenticators have the same key', async () => {
    const { userId, passkeyId, site } = await personWithPasskey(app);
    expect((await site.logIn({ counter: 7 })).status).toBe(200);
    for (const counter of [7, 6, 0]) {
      const answer = await site.logIn({ counter });
      expect([answer.status, answer.body]).toEqual([401, refusal]);
    }
    expect((await eventsAbout(userId)).filter(({ type }) => type === 'logins.refused')).toEqual(
      Array(3).fill({ type: 'logins.refused', changes: { after: { reason: 'PasskeyRefused', passkeyId } } }),
    );
    expect((await site.logIn({ counter: 8 })).status).toBe(200);
  });

  it('accepts a passkey that never counts, as those that are synchronized between devices', async () => {
    const { site } = await personWithPasskey(app);
    for (let use = 0; use < 2; use++) expect((await site.logIn({ counter: 0 })).status).toBe(200);
  });

  it('lets one of several uses of the same counter in', async () => {
    const { site } = await personWithPasskey(app);
    const copies = Array.from({ length: 4 }, () => new Site(app, site.authenticator));
    const answers = await Promise.all(copies.map(copy => copy.logIn({ counter: 9 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('refuses a person who is disabled', async () => {
    const { userId, site } = await personWithPasskey(app);
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]);
    expect((await site.logIn()).status).toBe(401);
    expect(await sessionsOf(userId)).toHaveLength(1);
  });
});

it('starts on one instance and completes on another', async () => {
  const [one, other] = await twoInstances();
  try {
    const { userId, site } = await personWithPasskey(one);
    const { body: options } = await site.send('POST', '/v2/login/passkey/options');
    const elsewhere = new Site(one, site.authenticator, addressOf(other));
    const cookie = site.browser.cookie(`${one.url}/v2/`, 'passkey-browser') as string;
    elsewhere.browser.set(addressOf(other), 'passkey-browser', cookie);
    const used = site.authenticator.get(options);
    const answer = await elsewhere.send('POST', '/v2/login/passkey', used);
    expect([answer.status, answer.body.userId]).toEqual([200, userId]);
    expect((await site.send('POST', '/v2/login/passkey', used)).status).toBe(401);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

it('counts refusals by source address, and responds with 429 beyond the limit', async () => {
  const limited = await startOwnApp({
    database: 'own',
    environment: { RATE_LIMITS: 'on', RATE_LIMIT_AUTH_FAILURES: '3', RATE_LIMIT_LOGIN: '100' },
  });
  try {
    const { site } = await personWithPasskey(limited);
    const statuses = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      statuses.push((await site.logIn({ origin: 'http://evil.localhost' })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
  } finally {
    await limited.close();
  }
});

it.each<[Record<string, string>]>([[{ PASSKEYS: 'off' }], [{ PUBLIC_URL: 'http://127.0.0.1:3000' }]])(
  'is refused with %j, and so is registering',
  async environment => {
    const off = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string }, environment });
    try {
      const { authenticator } = (await personWithPasskey(app)).site;
      const used = authenticator.get({ rpId: 'localhost', challenge: 'A'.repeat(43) });
      const attempts = [
        await off.request('POST', '/v2/login/passkey/options', { body: {} }),
        await off.request('POST', '/v2/login/passkey', { body: used }),
      ];
      for (const { status, body } of attempts) expect([status, body.error]).toEqual([403, 'Forbidden']);
    } finally {
      await off.close();
    }
  },
);
