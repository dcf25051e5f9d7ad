import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformCall } from '../../../src/base/kernel/call.js';
import { KeyRotation } from '../../../src/features/auth/keys/key-rotation.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { MovedClock, type Person, person, signIn } from '../auth/person.js';
import { run } from '../start/service.js';
import { addressOf, twoInstances } from './instances.js';

const MINUTE = 60;
const DAY = 86_400;
const WITHIN = { timeout: 5_000, interval: 25 };
const clock = new MovedClock();

let app: TestApp;
let other: TestApp;
let somebody: Person;

beforeAll(async () => {
  [app, other] = await twoInstances({ clock, environment: { ACCESS_TOKENS_MAX_AGE: String(2 * DAY) } });
  somebody = await person(app);
});
afterAll(() => Promise.all([app.close(), other.close()]));

const both = <T>(ask: (instance: TestApp) => Promise<T>) => Promise.all([ask(app), ask(other)]);
const statusAt = (token: string) => async (instance: TestApp) =>
  (await instance.request('GET', '/v2/me', { token })).status;
const kidsAt = async (instance: TestApp): Promise<string[]> =>
  (await instance.request('GET', '/oidc/jwks')).body.keys.map(({ kid }: { kid: string }) => kid);
const signInAt = async (instance: TestApp) => (await signIn(instance, somebody.userId)).token;
const kidOf = (token: string) => decodeProtectedHeader(token).kid as string;
const statesOfKeys = () => app.sql('SELECT kid, state FROM signing_keys ORDER BY state, kid');

/** Polls both instances until they give the expected answer. The contract allows five seconds. */
const expectBoth = <T>(ask: (instance: TestApp) => Promise<T>, expected: T) =>
  expect.poll(() => both(ask), WITHIN).toEqual([expected, expected]);

describe('a rotation, seen by two instances', () => {
  it('publishes the new key on both before either signs with it, and ends with the last token', async () => {
    const [old] = (await kidsAt(app)) as [string];
    const next = await app.nest.get(KeyRotation).publishNext(platformCall('cli'));
    expect(await statesOfKeys()).toEqual([
      { kid: old, state: 'active' },
      { kid: next, state: 'next' },
    ]);
    await expectBoth(kidsAt, [old, next]);
    const last = (await both(signInAt)) as [string, string];
    expect(last.map(kidOf)).toEqual([old, old]);

    clock.move(10 * MINUTE);
    expect(await other.nest.get(KeyRotation).rotate()).toEqual({ activated: next });
    await expect.poll(async () => (await both(signInAt)).map(kidOf), WITHIN).toEqual([next, next]);
    await expectBoth(kidsAt, [old, next]);

    clock.move(2 * DAY - 11 * MINUTE);
    for (const token of last) expect(await both(statusAt(token))).toEqual([200, 200]);
    expect(await app.nest.get(KeyRotation).removeExpired()).toEqual([]);
    clock.move(12 * MINUTE);
    for (const token of last) expect(await both(statusAt(token))).toEqual([401, 401]);
    expect(await other.nest.get(KeyRotation).removeExpired()).toEqual([old]);
    await expectBoth(kidsAt, [next]);
  });
});

describe('a compromised key', () => {
  /** Signs in with the active key, lets both instances verify the token, and removes the key. */
  async function drill(remove: (kid: string) => Promise<unknown>): Promise<void> {
    const token = await signInAt(app);
    const kid = kidOf(token);
    await expectBoth(statusAt(token), 200);
    await remove(kid);
    await expectBoth(statusAt(token), 401);
    await expect.poll(async () => (await both(kidsAt)).flat(), WITHIN).not.toContain(kid);
    // The time to generate a key depends on the machine.
    await expect
      .poll(async () => (await app.sql(`SELECT 1 FROM signing_keys WHERE state = 'active'`)).length)
      .toBe(1);
    const fresh = await both(signInAt);
    expect(new Set(fresh.map(kidOf)).size).toBe(1);
    expect(fresh.map(kidOf)).not.toContain(kid);
    for (const each of fresh) await expectBoth(statusAt(each), 200);
    expect(await both(statusAt(token))).toEqual([401, 401]);
  }

  it('is refused by every instance within five seconds and replaced when its row is deleted by hand', async () => {
    await drill(kid => app.sql('DELETE FROM signing_keys WHERE kid = $1', [kid]));
  });

  it('is replaced by the key that was already published', async () => {
    const next = await app.nest.get(KeyRotation).publishNext(platformCall('cli'));
    await drill(kid => app.sql('DELETE FROM signing_keys WHERE kid = $1', [kid]));
    expect(await statesOfKeys()).toEqual([{ kid: next, state: 'active' }]);
  });

  it('is removed with all others when the table is emptied by hand', async () => {
    await app.nest.get(KeyRotation).publishNext(platformCall('cli'));
    await drill(() => app.sql('TRUNCATE signing_keys'));
    expect(await statesOfKeys()).toHaveLength(1);
  });

  it('is refused even if the instances were not listening for notifications at that moment', async () => {
    await drill(kid =>
      // One statement, because the connections that would receive the notification must be closed before it is
      // sent.
      app.sql(
        `WITH deaf AS (
           SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = 'typed-collections listen' AND datname = current_database()
         ) DELETE FROM signing_keys WHERE kid = $1 AND (SELECT count(*) FROM deaf) > 0`,
        [kid],
      ),
    );
  });

  it('is removed with the command line, which also lists and rotates keys', async () => {
    const settings = {
      DATABASE_URL: app.settings.DATABASE_URL as string,
      SECRETS_MASTER_KEYS: app.settings.SECRETS_MASTER_KEYS.join(','),
    };
    const keys = async (...args: string[]) => (await run('cli.js', ['keys', ...args], settings)).output;
    expect(await keys('rotate')).toMatch(/^published \S{43};/m);
    const listed = (await keys('list')).matchAll(/^\S{43} {2}RS256 {2}(\w+)/gm);
    expect(Array.from(listed, ([, state]) => state).sort()).toEqual(['active', 'next']);
    await drill(async kid =>
      expect(await keys('remove', kid)).toContain(`removed ${kid}; tokens that it signed are invalid now\n`),
    );
  });
});

describe('an external verifier', () => {
  it.each([
    ['RSA', 'RS256'],
    ['RSA', 'PS384'],
    ['EC', 'ES256'],
    ['OKP', 'EdDSA'],
  ])(
    'accepts with the published keys tokens of an instance with %s keys that signs by %s, also after a rotation',
    async (JWKS_KTY, JWKS_ALG) => {
      const ahead = new MovedClock();
      const instance = await startOwnApp({
        database: 'own',
        clock: ahead,
        environment: { JWKS_KTY, JWKS_ALG },
      });
      try {
        let fetched = 0;
        const keys = createRemoteJWKSet(new URL(`${addressOf(instance)}/oidc/jwks`), {
          cooldownDuration: 0,
          [customFetch]: (url: string, options: object) => {
            fetched++;
            return fetch(url, options);
          },
        });
        const verify = (token: string) =>
          jwtVerify(token, keys, {
            ...{ issuer: `${instance.url}/oidc`, audience: instance.url, typ: 'at+jwt' },
            ...{ algorithms: [JWKS_ALG], currentDate: ahead.now() },
          });
        const one = await person(instance);
        const { payload } = await verify(one.token);
        expect(payload).toMatchObject({ sub: one.userId, platformSessionId: one.sessionId });
        await verify((await signIn(instance, one.userId)).token);
        expect(fetched).toBe(1);

        const rotation = instance.nest.get(KeyRotation);
        await rotation.publishNext(platformCall('cli'));
        ahead.move(10 * MINUTE);
        await rotation.rotate();
        const after = await signIn(instance, one.userId);
        expect(kidOf(after.token)).not.toBe(kidOf(one.token));
        await verify(after.token);
        await verify(one.token);
        expect(fetched).toBe(2);
      } finally {
        await instance.close();
      }
    },
  );
});
