import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformCall } from '../../../src/base/kernel/call.js';
import { KeyRotation } from '../../../src/features/auth/keys/key-rotation.service.js';
import { RSA_KEYS, startOwnApp, type TestApp } from '../../harness/app.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { events, MovedClock, person, signIn } from './person.js';

const DAY = 86_400;
const MINUTE = 60;
const clock = new MovedClock();
let app: TestApp;
let rotation: KeyRotation;

beforeAll(async () => {
  // Tokens live for less than a rotation period, so that the whole life of a key fits between two rotations.
  app = await startOwnApp({
    database: 'own',
    clock,
    environment: { ...RSA_KEYS, ACCESS_TOKENS_MAX_AGE: String(10 * DAY) },
  });
  rotation = app.nest.get(KeyRotation);
});
afterAll(() => app.close());

const publishedKids = async (): Promise<string[]> =>
  (await app.request('GET', '/oidc/jwks')).body.keys.map((key: { kid: string }) => key.kid);
const kidOf = (token: string) => decodeProtectedHeader(token).kid as string;
const status = async (token: string) => (await app.request('GET', '/v2/me', { token })).status;

describe('GET /oidc/jwks', () => {
  it('returns public members only, and may be cached for five minutes', async () => {
    const answer = await app.request('GET', '/oidc/jwks');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('max-age=300');
    expect(answer.body.keys).toHaveLength(1);
    expect(Object.keys(answer.body.keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('is the address in every discovery document', async () => {
    for (const path of [
      '/oidc/.well-known/openid-configuration',
      '/.well-known/openid-configuration/oidc',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/oidc',
    ]) {
      const { status, body } = await app.request('GET', path);
      expect(status).toBe(200);
      expect(body).toMatchObject({ issuer: `${app.url}/oidc`, jwks_uri: `${app.url}/oidc/jwks` });
      expect((await fetch(body.jwks_uri)).status).toBe(200);
    }
  });

  it('has no private key in plain text in the database', async () => {
    const text = JSON.stringify(await app.sql('SELECT * FROM signing_keys'));
    for (const member of ['"d"', '"p"', '"q"']) expect(text).not.toContain(member);
  });
});

describe('the first start', () => {
  it('creates one key, even if several instances start at once', async () => {
    const url = await freshDatabaseUrl();
    const instances = await Promise.all([
      startOwnApp({ database: { url }, environment: RSA_KEYS }),
      startOwnApp({ database: { url }, environment: RSA_KEYS }),
    ]);
    try {
      const [one] = instances;
      expect(await one.sql('SELECT state FROM signing_keys')).toEqual([{ state: 'active' }]);
    } finally {
      await Promise.all(instances.map(instance => instance.close()));
    }
  });
});

describe('rotating signing keys', () => {
  it('publishes a key ten minutes before it signs, and keeps the old one until its last token has expired', async () => {
    const somebody = await person(app);
    const old = kidOf(somebody.token);
    expect(await rotation.rotate()).toEqual({});

    clock.move(30 * DAY - 10 * MINUTE);
    const { published } = await rotation.rotate();
    expect(published).toEqual(expect.any(String));
    expect(await publishedKids()).toEqual([old, published]);
    expect(kidOf((await signIn(app, somebody.userId)).token)).toBe(old);

    clock.move(9 * MINUTE);
    expect(await rotation.rotate()).toEqual({});
    const last = await signIn(app, somebody.userId);
    expect(kidOf(last.token)).toBe(old);

    clock.move(MINUTE);
    expect(await rotation.rotate()).toEqual({ activated: published });
    const fresh = await signIn(app, somebody.userId);
    expect(kidOf(fresh.token)).toBe(published);
    expect(await publishedKids()).toEqual([old, published]);
    expect([await status(last.token), await status(fresh.token)]).toEqual([200, 200]);

    clock.move(10 * DAY - MINUTE);
    expect(await status(last.token)).toBe(200);
    expect(await rotation.removeExpired()).toEqual([]);
    clock.move(2 * MINUTE);
    expect(await rotation.removeExpired()).toEqual([old]);
    expect(await publishedKids()).toEqual([published]);
    expect(await events(app, old)).toEqual(['signingkeys.created', 'signingkeys.removed']);
    expect(await events(app, published as string)).toEqual(['signingkeys.created', 'signingkeys.rotated']);
  });

  it('happens once when several instances start it at the same time', async () => {
    await rotation.publishNext(platformCall('cli'));
    clock.move(10 * MINUTE);
    const steps = await Promise.all([rotation.rotate(), rotation.rotate(), rotation.rotate()]);
    expect(steps.filter(step => step.activated !== undefined)).toHaveLength(1);
    const states = await app.sql(`SELECT state FROM signing_keys WHERE state IN ('active', 'next')`);
    expect(states).toEqual([{ state: 'active' }]);
  });

  it('can be started by hand, once', async () => {
    const kid = await rotation.publishNext(platformCall('cli'));
    expect(await rotation.publishNext(platformCall('cli'))).toBe(kid);
    expect(await publishedKids()).toContain(kid);
  });
});

describe('removing a compromised key', () => {
  it('voids its tokens at once and replaces it with a published key', async () => {
    const somebody = await person(app);
    expect(await status(somebody.token)).toBe(200);
    const kid = kidOf(somebody.token);
    const published = await rotation.publishNext(platformCall('cli'));
    await rotation.remove(platformCall('cli'), kid);
    expect(await status(somebody.token)).toBe(401);
    expect(await publishedKids()).not.toContain(kid);
    const fresh = await signIn(app, somebody.userId);
    expect(kidOf(fresh.token)).toBe(published);
    expect(await status(fresh.token)).toBe(200);
    expect(await app.sql(`SELECT kid FROM signing_keys WHERE state = 'active'`)).toEqual([
      { kid: published },
    ]);
  });

  it('returns 404 for an unknown key', async () => {
    await expect(rotation.remove(platformCall('cli'), 'unknown')).rejects.toMatchObject({ code: 'NotFound' });
  });
});
