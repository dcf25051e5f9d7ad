import {
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
} from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/features/auth/keys/key-ring.js';
import { RSA_KEYS, startOwnApp, type TestApp } from '../../harness/app.js';
import { cookie, person as newPerson, type Person, signIn } from './person.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment: RSA_KEYS });
  person = await newPerson(app);
});
afterAll(() => app.close());

const status = async (token: string) => (await app.request('GET', '/v2/me', { token })).status;

/** A token signed with the active key that differs from the person's own only in the given parts. */
async function forged(
  payload: object = {},
  header: object = {},
  key?: CryptoKey | Uint8Array,
): Promise<string> {
  const signing = await app.nest.get(KeyRing).signingKey();
  return new SignJWT({ ...decodeJwt(person.token), ...payload })
    .setProtectedHeader({ typ: 'at+jwt', alg: signing.algorithm, kid: signing.kid, ...header })
    .sign(key ?? signing.key);
}

describe('a JWT', () => {
  it('contains exactly the claims and header of the contract', () => {
    const claims = decodeJwt(person.token);
    const names = ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'platformSessionId', 'scope', 'sub'];
    expect(Object.keys(claims).sort()).toEqual(names);
    expect(claims).toMatchObject({
      platformSessionId: person.sessionId,
      sub: person.userId,
      scope: 'openid profile email platform',
      client_id: 'platform',
      iss: `${app.url}/oidc`,
      aud: app.url,
    });
    expect([2_591_999, 2_592_000]).toContain((claims.exp as number) - (claims.iat as number));
    expect(decodeProtectedHeader(person.token)).toEqual({
      typ: 'at+jwt',
      alg: 'RS256',
      kid: expect.any(String),
    });
  });

  it('is accepted in the header and in the cookie', async () => {
    expect(await status(person.token)).toBe(200);
    expect((await app.request('GET', '/v2/me', { headers: cookie(person.token) })).status).toBe(200);
    expect(await status(await forged())).toBe(200);
  });

  it('is never read from the query', async () => {
    for (const name of ['access_token', 'access-token', 'token', 'jwt']) {
      expect((await app.request('GET', `/v2/me?${name}=${person.token}`)).status).toBe(401);
    }
  });

  it.each<[string, () => Promise<string>]>([
    ['has the algorithm none', async () => `${encode({ typ: 'at+jwt', alg: 'none' })}.${part(1)}.`],
    ['is signed by HMAC with the public key', () => byHmac()],
    ['brings its own key', () => withOwnKey()],
    ['names an unknown key', () => forged({}, { kid: 'unknown' })],
    ['names no key', () => forged({}, { kid: undefined })],
    ['has expired', () => forged({ exp: now() - 31 })],
    ['was issued in the future', () => forged({ iat: now() + 60 })],
    ['is for another application', () => forged({ aud: 'https://other.example.com' })],
    ['is for a list of applications', () => forged({ aud: [app.url] })],
    ['is for a resource of ours', () => forged({ aud: `${app.url}/v1/mcp` })],
    ['is of an issuer with a slash more', () => forged({ iss: `${app.url}/oidc/` })],
    ['is an id_token', () => forged({}, { typ: 'JWT' })],
    [
      'names the session of another user',
      async () => forged({ platformSessionId: (await newPerson(app)).sessionId }),
    ],
    ['names another user', async () => forged({ sub: (await newPerson(app)).userId })],
    [
      'names a session that never was',
      () => forged({ platformSessionId: '01a1fc33-8e47-7b3d-9a0c-48de8c3ad195' }),
    ],
    ['names a session that is no uuid', () => forged({ platformSessionId: 'x' })],
    ['names another client than its session', () => forged({ client_id: 'somebody' })],
    ['has a changed signature', async () => `${part(0)}.${part(1)}.${'A'.repeat(342)}`],
    ['is no JWT', async () => 'abc'],
  ])('that %s is refused, always with the same body', async (_, make) => {
    const { status, body, headers } = await app.request('GET', '/v2/me', { token: await make() });
    expect(status).toBe(401);
    expect(body).toEqual({
      error: 'Unauthorized',
      message: 'The credential is missing, invalid or expired.',
    });
    expect(headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${app.url}/.well-known/oauth-protected-resource", ` +
        'error="invalid_token", error_description="The token is invalid or has expired."',
    );
  });

  it('ends with its session, on this instance at once and on another within seconds', async () => {
    const other = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { ...RSA_KEYS, PUBLIC_URL: app.url },
    });
    try {
      const { token } = await signIn(app, person.userId);
      expect((await at(other, token)).status).toBe(200);
      expect((await app.request('POST', '/v2/logout', { token })).status).toBe(204);
      expect(await status(token)).toBe(401);
      await expect.poll(async () => (await at(other, token)).status, { timeout: 5_000 }).toBe(401);
    } finally {
      await other.close();
    }
  });

  it('ends with its user', async () => {
    const { userId, token } = await newPerson(app);
    expect(await status(token)).toBe(200);
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [userId]);
    await expect.poll(() => status(token), { timeout: 5_000 }).toBe(401);
  });

  it('ends when its signing key is deleted by hand, and a new key signs', async () => {
    const { token, userId } = await newPerson(app);
    expect(await status(token)).toBe(200);
    await app.sql('DELETE FROM signing_keys');
    await expect.poll(() => status(token), { timeout: 5_000 }).toBe(401);
    await expect
      .poll(async () => (await app.request('GET', '/oidc/jwks')).body.keys.length, { timeout: 5_000 })
      .toBe(1);
    expect(await status((await signIn(app, userId)).token)).toBe(200);
    person = await newPerson(app);
  });
});

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function part(index: number): string {
  return person.token.split('.')[index] as string;
}

async function byHmac(): Promise<string> {
  const { keys } = (await app.request('GET', '/oidc/jwks')).body;
  return forged({}, { alg: 'HS256' }, new TextEncoder().encode(JSON.stringify(keys[0])));
}

async function withOwnKey(): Promise<string> {
  const pair = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const key = (await importJWK(await exportJWK(pair.privateKey), 'RS256')) as CryptoKey;
  return forged({}, { jwk, kid: undefined }, key);
}

/** Calls an instance at its own address, because the PUBLIC_URL in the JWT is the other instance's. */
function at(instance: TestApp, token: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`http://127.0.0.1:${instance.settings.PORT}/v2/me`, { headers });
}
