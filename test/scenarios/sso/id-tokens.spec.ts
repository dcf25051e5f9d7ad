import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { CompactEncrypt, type CryptoKey, exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { IdTokens } from '../../../src/features/auth/providers/id-tokens.service.js';
import {
  ProviderKeys,
  ProviderMetadata,
} from '../../../src/features/auth/providers/provider-documents.service.js';
import { OutboundFetch } from '../../../src/platform/outbound/outbound-fetch.js';
import { MovedClock } from '../auth/person.js';
import { configured, newTestKey, startProvider, type TestKey, type TestProvider } from './provider.js';

const MINUTE = 60;

let provider: TestProvider;
let key: TestKey;
let clock: MovedClock;
let metadata: ProviderMetadata;
let tokens: IdTokens;

beforeAll(async () => {
  key = await newTestKey('first', 'RS256');
  // Every failure of a provider writes a line to the log.
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
});
afterAll(() => void vi.restoreAllMocks());

beforeEach(async () => {
  provider = await startProvider();
  provider.keys = [key.publicJwk];
  clock = new MovedClock();
  ({ metadata, tokens } = services([provider.host]));
});

/** The service's own client, but with a timeout of 200 ms for hostile providers that never answer. */
function services(insecureHosts: string[]) {
  const outbound = new OutboundFetch(insecureHosts);
  onTestFinished(() => outbound.onApplicationShutdown());
  const impatient = Object.assign(Object.create(outbound) as OutboundFetch, {
    fetch: (address: string, init: RequestInit) =>
      outbound.fetch(address, init, provider.answer === undefined ? {} : { timeoutMs: 200 }),
  });
  const metadata = new ProviderMetadata(impatient, clock);
  return { metadata, tokens: new IdTokens(new ProviderKeys(metadata, impatient, clock), clock) };
}

function claims(change: object = {}) {
  const now = clock.seconds();
  return { iss: provider.issuer, aud: 'us', sub: 'ada', iat: now, exp: now + 10 * MINUTE, ...change };
}

const verify = (token: string, config: object = {}) => tokens.verify(configured(provider, config), token);

/** The code of the refusal, or the subject of the token. */
const outcome = (token: string | Promise<string>, config: object = {}) =>
  Promise.resolve(token)
    .then(text => verify(text, config))
    .then(
      ({ sub }) => sub,
      (error: Error) => error.name,
    );

describe('an id_token', () => {
  it('is accepted with all its claims when this service is its only audience', async () => {
    const sent = claims({ email: 'ada@example.com', groups: ['staff'] });
    expect(await verify(await key.sign(sent))).toEqual(sent);
    expect(await outcome(key.sign(claims({ aud: ['us'] })))).toBe('ada');
  });

  it.each(['PS256', 'ES256', 'ES384', 'EdDSA'])('may be signed by %s', async alg => {
    const other = await newTestKey('other', alg);
    provider.keys = [other.publicJwk];
    expect(await outcome(other.sign(claims()))).toBe('ada');
  });

  it.each([
    ['the issuer with a slash more', () => ({ iss: `${provider.issuer}/` })],
    ['another issuer', () => ({ iss: 'https://elsewhere.example' })],
    ['no issuer', () => ({ iss: undefined })],
    ['another application', () => ({ aud: 'them' })],
    ['us among others', () => ({ aud: ['us', 'them'] })],
    ['an empty audience', () => ({ aud: [] })],
    ['no audience', () => ({ aud: undefined })],
    ['us as part of a name', () => ({ aud: 'us ' })],
    ['a life that is over', () => ({ exp: clock.seconds() - 31 })],
    ['no end', () => ({ exp: undefined })],
    ['an end that is a string', () => ({ exp: '9999999999' })],
    ['a time to come', () => ({ iat: clock.seconds() + 45 })],
    ['no time', () => ({ iat: undefined })],
    ['a beginning to come', () => ({ nbf: clock.seconds() + 45 })],
    ['nobody', () => ({ sub: undefined })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject that is not a string', () => ({ sub: 7 })],
    ['an end that no calendar has', () => ({ exp: 1e15 })],
    ['a subject with NUL', () => ({ sub: 'a\0b' })],
    ['half a character in the subject', () => ({ sub: 'a\ud800' })],
    ['a subject of 256 characters', () => ({ sub: 's'.repeat(256) })],
  ])('is refused with %s', async (_, change) => {
    expect(await outcome(key.sign(claims(change())))).toBe('IdTokenRefused');
  });

  it('may differ from the clock by half a minute', async () => {
    expect(await outcome(key.sign(claims({ iat: clock.seconds() + 25 })))).toBe('ada');
    expect(await outcome(key.sign(claims({ exp: clock.seconds() - 25 })))).toBe('ada');
  });

  it.each<[string, { alg?: string; [name: string]: unknown }]>([
    ['an access token', { typ: 'at+jwt' }],
    ['a logout token', { typ: 'logout+jwt' }],
    ['of an algorithm other than its key is for', { alg: 'PS256' }],
    ['of an unknown kid', { kid: 'second' }],
    ['of an empty kid', { kid: '' }],
    ['without a kid', { kid: undefined }],
    ['of a kid that is not a string', { kid: ['first'] }],
  ])('is refused when it is %s', async (_, header) => {
    // Always signed with the right key: only the header is wrong.
    const signer = await newTestKey('first', header.alg);
    provider.keys = [header.alg === undefined ? signer.publicJwk : { ...signer.publicJwk, alg: 'RS256' }];
    expect(await outcome(signer.sign(claims(), header))).toBe('IdTokenRefused');
  });

  it('is refused without a signature, and with one that everybody could make', async () => {
    const unsigned = new UnsecuredJWT(claims()).encode();
    const publicKey = await importJWK(key.publicJwk, 'RS256', { extractable: true });
    const pem = new TextEncoder().encode(await exportSPKI(publicKey as CryptoKey));
    const shared = await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(pem);
    const stranger = await newTestKey('first', 'RS256');
    const ours = await key.sign(claims());
    for (const token of [
      ...[unsigned, shared, await stranger.sign(claims()), `${ours.slice(0, -8)}AAAAAAAA`],
      ...['', 'x', 'a.b.c', `${ours}.${ours}`, 'x'.repeat(16_385)],
    ]) {
      expect(await outcome(token)).toBe('IdTokenRefused');
    }
  });

  it('is refused when it is encrypted or has a critical header', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(claims()));
    const publicKey = await importJWK({ ...key.publicJwk, alg: 'RSA-OAEP' }, 'RSA-OAEP');
    const encrypted = await new CompactEncrypt(bytes)
      .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: 'first' })
      .encrypt(publicKey);
    expect(await outcome(encrypted)).toBe('IdTokenRefused');
    const [header, payload, signature] = (await key.sign(claims())).split('.') as [string, string, string];
    const critical = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), crit: ['exp'], exp: 1 };
    const changed = Buffer.from(JSON.stringify(critical)).toString('base64url');
    expect(await outcome(`${changed}.${payload}.${signature}`)).toBe('IdTokenRefused');
  });

  it('names its key by kid only: keys and addresses in its header are ignored', async () => {
    const stranger = await newTestKey('stranger');
    const brought = { jwk: stranger.publicJwk, jku: `${provider.issuer}/jku`, x5u: `${provider.issuer}/x5u` };
    expect(await outcome(stranger.sign(claims(), { ...brought, kid: 'first' }))).toBe('IdTokenRefused');
    expect(await outcome(stranger.sign(claims(), brought))).toBe('IdTokenRefused');
    expect(provider.requests).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });
});

describe('the keys of a provider', () => {
  const oct = { kty: 'oct', kid: 'first', alg: 'HS256', k: randomBytes(32).toString('base64url') };

  it('are not used when they are symmetric or when two share a kid', async () => {
    const secret = Buffer.from(oct.k, 'base64url');
    const shared = new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret);
    provider.keys = [oct];
    expect(await outcome(shared)).toBe('IdTokenRefused');
    const twin = await newTestKey('first');
    provider.keys = [key.publicJwk, twin.publicJwk];
    clock.move(11 * MINUTE);
    for (const signer of [key, twin]) expect(await outcome(signer.sign(claims()))).toBe('IdTokenRefused');
  });

  it('are fetched once for all waiting logins, and cached for ten minutes', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(key.sign(claims()))));
    expect(new Set(outcomes)).toEqual(new Set(['ada']));
    clock.move(9 * MINUTE);
    expect(await outcome(key.sign(claims()))).toBe('ada');
    expect(provider.requests).toEqual(['/.well-known/openid-configuration', '/jwks']);
    clock.move(2 * MINUTE);
    expect(await outcome(key.sign(claims()))).toBe('ada');
    expect(provider.requests.filter(path => path === '/jwks').length).toBe(2);
  });

  it('are fetched again for an unknown kid, at most once in 30 s', async () => {
    const config = { jwks_uri: `${provider.issuer}/jwks` };
    const next = await newTestKey('second');
    expect(await outcome(key.sign(claims()), config)).toBe('ada');
    provider.keys = [key.publicJwk, next.publicJwk];
    expect(await outcome(next.sign(claims()), config)).toBe('IdTokenRefused');
    clock.move(31);
    const both = [next.sign(claims()), next.sign(claims()), key.sign(claims())];
    expect(await Promise.all(both.map(token => outcome(token, config)))).toEqual(['ada', 'ada', 'ada']);
    const unknown = await newTestKey('third');
    for (let sent = 0; sent < 5; sent += 1) {
      expect(await outcome(unknown.sign(claims()), config)).toBe('IdTokenRefused');
    }
    expect(provider.requests.filter(path => path === '/jwks').length).toBe(2);
  });

  it('are no longer accepted when the provider no longer publishes them', async () => {
    expect(await outcome(key.sign(claims()))).toBe('ada');
    provider.keys = [(await newTestKey('second')).publicJwk];
    clock.move(11 * MINUTE);
    expect(await outcome(key.sign(claims()))).toBe('IdTokenRefused');
  });
});

type Send = NonNullable<TestProvider['answer']>;

const HOSTILE: [string, Send][] = [
  ['answers 500', (_, response) => response.writeHead(500).end('{}')],
  ['never answers', () => {}],
  ['answers by half', (_, response) => void response.writeHead(200).write('{"keys":')],
  ['redirects', (_, response) => response.writeHead(302, { location: '/stolen' }).end()],
  ['sends 10 MiB', (_, response) => response.end(Buffer.alloc(10 * 1024 * 1024, ' '))],
  ['sends no JSON', (_, response) => response.end('<html>')],
  ['sends a list', (_, response) => response.end('[]')],
  ['sends no keys', (_, response) => response.end('{"keys":"none"}')],
  ['hangs up', request => request.socket.destroy()],
];

describe.each(HOSTILE)('a provider that %s', (_, hostile) => {
  it('signs nobody in when its keys were never fetched before', async () => {
    provider.answer = hostile;
    const config = { jwks_uri: `${provider.issuer}/jwks` };
    expect(await outcome(key.sign(claims()), config)).toBe('ProviderUnavailable');
    expect(await outcome(key.sign(claims()))).toBe('ProviderUnavailable');
    expect(provider.requests).toEqual(['/jwks', '/.well-known/openid-configuration']);
  });

  it('is used with its last known keys, and asked again at most every 30 s', async () => {
    const config = { jwks_uri: `${provider.issuer}/jwks` };
    expect(await outcome(key.sign(claims()), config)).toBe('ada');
    provider.answer = hostile;
    clock.move(60 * MINUTE);
    expect(await outcome(key.sign(claims()), config)).toBe('ada');
    expect(await outcome(key.sign(claims()), config)).toBe('ada');
    const unknown = await newTestKey('second');
    expect(await outcome(unknown.sign(claims()), config)).toBe('IdTokenRefused');
    expect(provider.requests).toEqual(['/jwks', '/jwks']);
    provider.answer = undefined;
    clock.move(31);
    expect(await outcome(key.sign(claims()), config)).toBe('ada');
    expect(provider.requests.length).toBe(3);
  });
});

describe('discovery', () => {
  const of = (config: object = {}) => metadata.of(configured(provider, config));

  it('fills in only what the configuration leaves out', async () => {
    provider.discovery = {
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
    expect(await of({ token_endpoint: 'https://tokens.example/token' })).toEqual({
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/auth`,
      token_endpoint: 'https://tokens.example/token',
      jwks_uri: `${provider.issuer}/jwks`,
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    });
  });

  it('is not requested when nothing is left out', async () => {
    const { issuer } = provider;
    const all = {
      authorization_endpoint: `${issuer}/a`,
      token_endpoint: `${issuer}/t`,
      jwks_uri: `${issuer}/j`,
    };
    expect(await of(all)).toMatchObject(all);
    expect(provider.requests).toEqual([]);
  });

  it.each([
    ['another issuer', { issuer: 'https://elsewhere.example' }],
    ['the issuer with a slash more', { issuer: 'SLASH' }],
    ['no token endpoint', { token_endpoint: undefined }],
    ['an endpoint that is not a string', { authorization_endpoint: 7 }],
    ['a plain http endpoint', { token_endpoint: 'http://tokens.example/' }],
    ['a private address', { jwks_uri: 'https://10.0.0.1/jwks' }],
    ['a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['credentials in an address', { jwks_uri: 'https://a:b@keys.example/' }],
  ])('is ignored when it names %s', async (_, change) => {
    provider.discovery =
      'issuer' in change && change.issuer === 'SLASH' ? { issuer: `${provider.issuer}/` } : change;
    await expect(of()).rejects.toMatchObject({ name: 'ProviderUnavailable' });
    expect(await outcome(key.sign(claims()))).toBe('ProviderUnavailable');
    expect(provider.requests).not.toContain('/jwks');
  });

  it('is not read from a private address without the exception of OUTBOUND_ALLOW_INSECURE_HOSTS', async () => {
    ({ metadata, tokens } = services([]));
    expect(await outcome(key.sign(claims()))).toBe('ProviderUnavailable');
    expect(provider.requests).toEqual([]);
  });
});
