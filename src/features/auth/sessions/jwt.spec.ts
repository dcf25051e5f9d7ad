import { type CryptoKey, importJWK, type JWTHeaderParameters, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateKey, type KeyMaterial } from '../keys/signing-keys.service.js';
import { boundPath, isCompactJwt, type JwtContext, type SessionClaims, signJwt, verifyJwt } from './jwt.js';

const NOW = 1_800_000_000;
const issuer = 'https://api.example.com/oidc';
const audience = 'https://api.example.com';
const claims: SessionClaims = {
  platformSessionId: 'session-1',
  jti: 'token-1',
  sub: 'user-1',
  iat: NOW,
  exp: NOW + 60,
  scope: 'openid profile email platform',
  client_id: 'platform',
};

let ours: KeyMaterial;
let theirs: KeyMaterial;
let context: JwtContext;

beforeAll(async () => {
  ours = await generateKey({ JWKS_ALG: 'RS256', JWKS_SIZE: 2048 });
  theirs = await generateKey({ JWKS_ALG: 'RS256', JWKS_SIZE: 2048 });
  const publicKey = (await importJWK(ours.publicJwk, 'RS256')) as CryptoKey;
  const keyOf = async (kid: string) => (kid === ours.kid ? { algorithm: 'RS256', publicKey } : undefined);
  context = { issuer, audience, now: new Date(NOW * 1000), keyOf };
});

const privateKey = async (of: KeyMaterial) => (await importJWK(of.privateJwk, of.algorithm)) as CryptoKey;

/** A valid token except for the given claims and header. */
async function forged(
  payload: object,
  header: Partial<JWTHeaderParameters> = {},
  key?: CryptoKey | Uint8Array,
) {
  return new SignJWT({ ...claims, iss: issuer, aud: audience, ...payload })
    .setProtectedHeader({ typ: 'at+jwt', alg: 'RS256', kid: ours.kid, ...header })
    .sign(key ?? (await privateKey(ours)), { crit: { 'urn:x': false } });
}

describe('a JWT', () => {
  it('requested for one resource is bound to its path, and any other JWT is not bound', async () => {
    const bound = await verifyJwt(await forged({ aud: `${audience}/v1/mcp` }), context);
    expect(boundPath(bound, audience)).toBe('/v1/mcp');
    expect(boundPath(await verifyJwt(await forged({}), context), audience)).toBeUndefined();
  });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
    'signed with %s is verified by another implementation’s rules and by ours',
    async algorithm => {
      const material = await generateKey({ JWKS_ALG: algorithm, JWKS_SIZE: 2048 });
      const { kid } = material;
      const token = await signJwt(claims, context, { kid, algorithm, key: await privateKey(material) });
      const publicKey = (await importJWK(material.publicJwk, algorithm)) as CryptoKey;
      const options = { issuer, audience, currentDate: context.now, typ: 'at+jwt' };
      const { payload, protectedHeader } = await jwtVerify(token, publicKey, options);
      expect(payload).toEqual({ ...claims, iss: issuer, aud: audience });
      expect(protectedHeader).toEqual({ typ: 'at+jwt', alg: algorithm, kid });
      const keyOf = async () => ({ algorithm, publicKey });
      expect(await verifyJwt(token, { ...context, keyOf })).toEqual(payload);
    },
  );

  it('is verified by a key that is published without private members', () => {
    expect(Object.keys(ours.publicJwk).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('is valid until 30 seconds after exp', async () => {
    await expect(verifyJwt(await forged({ exp: NOW - 29 }), context)).resolves.toBeDefined();
    await expect(verifyJwt(await forged({ exp: NOW - 30 }), context)).rejects.toThrow();
  });

  it.each<[string, object]>([
    ['an iat in the future', { iat: NOW + 1 }],
    ['an iat that is a string', { iat: String(NOW) }],
    ['an nbf in the future', { nbf: NOW + 31 }],
    ['a path that is no resource', { aud: `${audience}/v1/collections` }],
    ['a resource of another platform', { aud: 'https://api.example.com.evil.example/v1/mcp' }],
    ['another audience', { aud: 'https://other.example.com' }],
    ['an audience with a slash more', { aud: `${audience}/` }],
    ['a list that holds our audience', { aud: [audience] }],
    ['a list with another one', { aud: [audience, 'https://other.example.com'] }],
    ['an issuer with a slash more', { iss: `${issuer}/` }],
    ['an issuer in capitals', { iss: issuer.toUpperCase() }],
    ['no issuer', { iss: undefined }],
    ['no audience', { aud: undefined }],
    ['no subject', { sub: undefined }],
    ['no exp', { exp: undefined }],
    ['no session', { platformSessionId: undefined }],
    ['a session that is not a string', { platformSessionId: { $ne: null } }],
    ['no client', { client_id: undefined }],
  ])('is refused with %s', async (_, payload) => {
    await expect(verifyJwt(await forged(payload), context)).rejects.toThrow();
  });

  it.each<[string, Partial<JWTHeaderParameters>]>([
    ['the type of an id_token', { typ: 'JWT' }],
    ['the type of an internal identity', { typ: 'platform-identity+jwt' }],
    ['its type in capitals', { typ: 'AT+JWT' }],
    ['no type', { typ: undefined }],
    ['an extension that must be understood', { crit: ['b64'], b64: true }],
    ['a member that is not ours', { jku: 'https://evil.example/jwks' }],
    ['an unknown kid', { kid: 'unknown' }],
    ['no kid', { kid: undefined }],
    ['another RSA algorithm than its key’s', { alg: 'RS384' }],
    ['an extension it says must be understood', { crit: ['urn:x'], 'urn:x': 1 }],
  ])('is refused with %s', async (_, header) => {
    let key = await privateKey(ours);
    if (header.alg !== undefined) key = (await importJWK(ours.privateJwk, header.alg)) as CryptoKey;
    await expect(verifyJwt(await forged({}, header, key), context)).rejects.toThrow();
  });

  it('is refused when another key signed it under our kid', async () => {
    await expect(verifyJwt(await forged({}, {}, await privateKey(theirs)), context)).rejects.toThrow();
  });

  it('is refused when its header contains a key', async () => {
    const header = { jwk: theirs.publicJwk, jku: 'https://evil.example/jwks', x5u: 'https://evil.example' };
    await expect(verifyJwt(await forged({}, header, await privateKey(theirs)), context)).rejects.toThrow();
  });

  it('is refused when it was signed with our public key as an HMAC secret', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(ours.publicJwk));
    await expect(verifyJwt(await forged({}, { alg: 'HS256' }, secret), context)).rejects.toThrow();
  });

  it('is refused without a signature', async () => {
    const unsigned = new UnsecuredJWT({ ...claims, iss: issuer, aud: audience }).encode();
    const header = Buffer.from(JSON.stringify({ typ: 'at+jwt', alg: 'none', kid: ours.kid }));
    const [, payload] = (await forged({})).split('.');
    await expect(verifyJwt(unsigned, context)).rejects.toThrow();
    await expect(verifyJwt(`${header.toString('base64url')}.${payload}.`, context)).rejects.toThrow();
  });

  it('is refused with a changed payload', async () => {
    const [header, , signature] = (await forged({})).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, iss: issuer, aud: audience, sub: 'user-2' }));
    const changed = `${header}.${payload.toString('base64url')}.${signature}`;
    await expect(verifyJwt(changed, context)).rejects.toThrow();
  });
});

it('a JWT has one text', () => {
  expect(isCompactJwt('eyJhIjoxfQ.eyJiIjoyfQ.c2ln')).toBe(true);
});

it.each([
  ['no signature', 'eyJhIjoxfQ.eyJiIjoyfQ.'],
  ['two parts', 'eyJhIjoxfQ.eyJiIjoyfQ'],
  ['four parts', 'eyJhIjoxfQ.eyJiIjoyfQ.c2ln.c2ln'],
  ['spare bits', 'eyJhIjoxfR.eyJiIjoyfQ.c2ln'],
  ['a character too many', 'eyJhIjoxfQ.eyJiIjoyfQ.c2lnA'],
  ['padding', 'eyJhIjoxfQ==.eyJiIjoyfQ.c2ln'],
  ['a blank before', ' eyJhIjoxfQ.eyJiIjoyfQ.c2ln'],
  ['a blank inside', 'eyJhIjoxfQ.eyJi IjoyfQ.c2ln'],
  ['a line feed after', 'eyJhIjoxfQ.eyJiIjoyfQ.c2ln\n'],
  ['the other alphabet', 'eyJhIjoxfQ.eyJiIjoyfQ.+/+/'],
])('a text with %s is none', (_, token) => {
  expect(isCompactJwt(token)).toBe(false);
});
