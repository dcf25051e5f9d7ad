import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactEncrypt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp, TestResponse } from '../../harness/app.js';
import { cookie, type Person, person, signIn } from '../auth/person.js';
import { forge, hmac, nearMisses, part, pss, rsa, type StolenKey, stealKey } from './forgery.js';
import { twoInstances } from './instances.js';

let app: TestApp;
let other: TestApp;
let somebody: Person;
let stolen: StolenKey;
let near: ReturnType<typeof nearMisses>;
let attacker: { privateKey: KeyObject; publicKey: KeyObject };
/** Serves the attacker's keys. The service must never request them. */
let listener: Server;
let listenerUrl: string;
const visits: string[] = [];
type Refusal = Pick<TestResponse, 'status' | 'text'> & { challenge: string | null };
/** The challenge for an invalid bearer token, and the challenge for requests without a credential. */
let refusal: Refusal;
let unasked: Refusal;

beforeAll(async () => {
  [app, other] = await twoInstances();
  somebody = await person(app);
  stolen = await stealKey(app);
  near = nearMisses(somebody.token, stolen);
  attacker = generateKeyPairSync('rsa', { modulusLength: 2048 });
  listener = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`);
    response.end(JSON.stringify({ keys: [{ ...jwkOf(attacker.publicKey), kid: 'attacker' }] }));
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  listenerUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  refusal = comparable(await bearer('abc'));
  unasked = comparable(await app.request('GET', '/v2/me'));
});
afterAll(async () => {
  listener.close();
  await Promise.all([app.close(), other.close()]);
});

const bearer = (token: string, instance = app) => instance.request('GET', '/v2/me', { token });
const comparable = ({ status, text, headers }: TestResponse) => ({
  status,
  text,
  challenge: headers.get('www-authenticate'),
});
const now = () => Math.floor(Date.now() / 1000);
const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' });

/** Expects both instances to refuse a token in the header and in the cookie with the same body. */
async function expectRefused(token: string): Promise<void> {
  expect(comparable(await app.request('GET', '/v2/me', { headers: cookie(token) }))).toEqual(unasked);
  // A header cannot contain every character that a cookie can.
  if (/^[\x21-\x7e]*$/.test(token)) {
    expect(comparable(await bearer(token))).toEqual(refusal);
    expect(comparable(await bearer(token, other))).toEqual(refusal);
  }
}

it('is refused with 401 and a body without details, while a valid token is accepted', async () => {
  expect(refusal).toMatchObject({
    status: 401,
    text: '{"error":"Unauthorized","message":"The credential is missing, invalid or expired."}',
    challenge: `${unasked.challenge}, error="invalid_token", error_description="The token is invalid or has expired."`,
  });
  expect(unasked).toEqual({
    ...refusal,
    challenge: expect.stringMatching(/^Bearer resource_metadata="[^"]+"$/),
  });
  for (const good of [somebody.token, near.withClaims({}), near.withHeader({})]) {
    expect([(await bearer(good)).status, (await bearer(good, other)).status]).toEqual([200, 200]);
  }
});

/** Another text of the same token: four bits of the last character of a 2,048-bit signature are unused. */
function sameBytes(token: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const rewritten = token.slice(0, -1) + digits[digits.indexOf(token.at(-1) as string) + 1];
  const signatureOf = (text: string) => Buffer.from(text.split('.')[2] as string, 'base64url');
  if (!signatureOf(rewritten).equals(signatureOf(token))) throw new Error('the signature has no spare bits');
  return rewritten;
}

describe('a JWT that the service did not sign is refused', () => {
  it.each(['none', 'None', 'NONE', 'nOnE', '', null, undefined])('with the algorithm %j', async alg => {
    const unsigned = `${part({ ...near.header, alg })}.${part(near.claims)}.`;
    await expectRefused(unsigned);
    await expectRefused(unsigned + somebody.token.split('.')[2]);
  });

  it.each(['HS256', 'HS384', 'HS512'])('made by %s with the public key in any encoding', async alg => {
    const hash = `sha${alg.slice(2)}`;
    const { publicKey, publicJwk } = stolen;
    const spellings = [
      publicKey.export({ type: 'spki', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'der' }),
      publicKey.export({ type: 'pkcs1', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'pem' }).toString().trim(),
      JSON.stringify(publicJwk),
      JSON.stringify((await app.request('GET', '/oidc/jwks')).body),
      publicJwk.n as string,
      Buffer.from(publicJwk.n as string, 'base64url'),
      stolen.kid,
      '',
    ];
    for (const secret of spellings) {
      await expectRefused(forge({ ...near.header, alg }, near.claims, hmac(secret, hash)));
    }
  });

  it('made with the published key and another algorithm than the one stored with it', async () => {
    const { privateKey } = stolen;
    for (const bits of ['384', '512']) {
      await expectRefused(
        forge({ ...near.header, alg: `RS${bits}` }, near.claims, rsa(privateKey, `sha${bits}`)),
      );
    }
    for (const bits of ['256', '384', '512']) {
      await expectRefused(
        forge({ ...near.header, alg: `PS${bits}` }, near.claims, pss(privateKey, `sha${bits}`)),
      );
    }
    for (const alg of ['rs256', 'RS256 ', 'ES256', 'EdDSA', 'RSA-OAEP', ['RS256'], { RS256: 1 }, 256]) {
      await expectRefused(near.withHeader({ alg }));
    }
  });

  it('made with a key that it contains, names or links to; the service does not fetch that key', async () => {
    const jwk = jwkOf(attacker.publicKey);
    const links = {
      jku: `${listenerUrl}/jwks`,
      x5u: `${listenerUrl}/certificate`,
      x5c: [attacker.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')],
      x5t: 'AAAA',
    };
    for (const kid of [stolen.kid, 'attacker', `${listenerUrl}/jwks`, undefined]) {
      for (const bait of [{ jwk }, links, { jwk, ...links }, {}]) {
        const header = { ...near.header, kid, ...bait };
        await expectRefused(forge(header, near.claims, rsa(attacker.privateKey)));
      }
    }
    const elsewhere = { ...near.claims, iss: listenerUrl };
    await expectRefused(forge({ ...near.header, kid: 'attacker' }, elsewhere, rsa(attacker.privateKey)));
    expect(visits).toEqual([]);
  });

  it("encrypted for the service's key", async () => {
    const inner = new TextEncoder().encode(somebody.token);
    for (const cty of ['at+jwt', 'JWT']) {
      const jwe = await new CompactEncrypt(inner)
        .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: stolen.kid, typ: 'at+jwt', cty })
        .encrypt(createPublicKey(stolen.privateKey));
      expect(jwe.split('.')).toHaveLength(5);
      await expectRefused(jwe);
    }
  });

  it('with changed, cut, repeated or wrapped bytes', async () => {
    const [head, body, signature] = somebody.token.split('.') as [string, string, string];
    const foreign = (await person(app)).token.split('.')[2] as string;
    for (const odd of [
      ...[`${head}.${body}`, `${head}.${body}.`, `${head}.${body}.${foreign}`, `${head}..${signature}`],
      ...[
        `.${body}.${signature}`,
        `${head}.${body}.${signature}.`,
        `${head}.${body}.${signature}.${signature}`,
      ],
      ...[`${head}.${body}.${signature.slice(0, -2)}`, `${head}.${body}.${signature}AA`],
      ...['.', '..', '...', '....', `"${somebody.token}"`, `${somebody.token},${somebody.token}`],
      ...[`${head}.${part({ ...near.claims, scope: 'openid' })}.${signature}`, somebody.token.toUpperCase()],
      JSON.stringify({ protected: head, payload: body, signature }).replaceAll(' ', ''),
      ...[sameBytes(somebody.token), `${head}=.${body}.${signature}`, `${somebody.token}==`],
    ]) {
      await expectRefused(odd);
    }
  });
});

it('a JWT in the cookie must not contain blanks', async () => {
  const { token } = await person(app);
  const [head, body, signature] = token.split('.');
  const texts = [
    `${head} .${body}.${signature}`,
    `${head}.${body}.${signature?.slice(0, 9)} ${signature?.slice(9)}`,
  ];
  const held = (text: string) =>
    app.request('GET', '/v2/me', { headers: { cookie: `access-token=${text}` } });
  expect((await held(token)).status).toBe(200);
  for (const text of [...texts, sameBytes(token)]) expect((await held(text)).status).toBe(401);
});

describe("a JWT signed with the service's key is refused", () => {
  it("with a header that differs from the service's own", async () => {
    for (const typ of [
      undefined,
      '',
      'JWT',
      'jwt',
      'AT+JWT',
      'application/at+jwt',
      'id_token+jwt',
      'platform-identity+jwt',
      7,
    ]) {
      await expectRefused(near.withHeader({ typ }));
    }
    for (const crit of [['exp'], ['b64'], ['kid'], [], ['x'], 'exp', null, {}]) {
      await expectRefused(near.withHeader({ crit }));
      await expectRefused(near.withHeader({ crit, b64: true, exp: near.claims.exp, x: 1 }));
      await expectRefused(near.withHeader({ crit, b64: false }));
    }
  });

  it('with a header or payload that is not a single object', async () => {
    for (const odd of ['null', '[]', '"x"', '1', '{', '', '{"alg":"RS256","alg":"none"}', '\u0000']) {
      await expectRefused(forge(odd, near.claims, rsa(stolen.privateKey)));
      await expectRefused(forge(near.header, odd, rsa(stolen.privateKey)));
    }
  });

  it("with a kid that names none of the service's keys, however unusual or long", async () => {
    const { kid } = stolen;
    for (const odd of [
      ...[
        'unknown',
        '',
        ' ',
        `${kid} `,
        kid.toLowerCase(),
        kid.slice(0, -1),
        `${kid}\u0000`,
        '*',
        '%',
        'null',
      ],
      ...['../../etc/passwd', "' OR 1=1 --", '__proto__', 'constructor', 'toString', '🔑'],
      ...[0, 1, true, null, [kid], { kid }, { toString: kid }, 'k'.repeat(4_000)],
    ]) {
      await expectRefused(near.withHeader({ kid: odd }));
    }
  });

  it('before or after its validity period', async () => {
    for (const changes of [
      ...[
        { exp: now() - 31 },
        { exp: 0 },
        { exp: -1 },
        { exp: undefined },
        { exp: null },
        { exp: `${now() + 60}` },
      ],
      ...[{ nbf: now() + 33 }, { nbf: now() + 86_400 }, { nbf: '0' }, { nbf: null }],
      ...[
        { iat: now() + 3 },
        { iat: now() + 86_400 },
        { iat: undefined },
        { iat: '0' },
        { iat: null },
        { iat: 1e300 },
      ],
    ]) {
      await expectRefused(near.withClaims(changes));
    }
    expect((await bearer(near.withClaims({ exp: now() - 25, nbf: now() + 25 }))).status).toBe(200);
  });

  it('for another audience, alone or in addition to the right one', async () => {
    const { url } = app;
    for (const aud of [
      ...[
        'https://other.example',
        '',
        `${url}/`,
        url.toUpperCase(),
        url.slice(0, -1),
        `${url}1`,
        ` ${url}`,
        '*',
      ],
      ...[
        `${url}/oidc`,
        `${url}/v1/mcp`,
        `${url}/v1`,
        url.replace('http:', 'https:'),
        url.replace('localhost', '127.0.0.1'),
      ],
      ...[[url], [url, url], [url, 'https://other.example'], [], { 0: url }, null, undefined, 1],
    ]) {
      await expectRefused(near.withClaims({ aud }));
    }
  });

  it("with an issuer that almost equals the service's", async () => {
    const iss = near.claims.iss as string;
    for (const odd of [
      ...[
        `${iss}/`,
        iss.slice(0, -1),
        iss.toUpperCase(),
        iss.replace('/oidc', ''),
        iss.replace('/oidc', '/OIDC'),
      ],
      ...[
        `${iss}?`,
        `${iss}#`,
        ` ${iss}`,
        iss.replace('http:', 'https:'),
        iss.replace('localhost', '127.0.0.1'),
      ],
      ...[
        iss.replace('//', '//user@'),
        iss.replace('/oidc', '/./oidc'),
        iss.replace('/oidc', '//oidc'),
        listenerUrl,
      ],
      ...['', [iss], { iss }, null, undefined],
    ]) {
      await expectRefused(near.withClaims({ iss: odd }));
    }
    expect(visits).toEqual([]);
  });

  it('for a session of another subject, or with a claim that is missing or is not text', async () => {
    const another = await person(app);
    const names = ['platformSessionId', 'jti', 'sub', 'scope', 'client_id'];
    const missing = names.flatMap(name => [undefined, null, 1, [], {}, ''].map(value => ({ [name]: value })));
    for (const changes of [
      { platformSessionId: another.sessionId },
      { sub: another.userId },
      { sub: somebody.userId.toUpperCase() },
      { sub: 'sa:default:importer' },
      { sub: `sa:default:${somebody.userId}` },
      { platformSessionId: somebody.sessionId.toUpperCase(), sub: another.userId },
      { client_id: 'somebody' },
      // jti and scope do not identify the caller, so an empty string is valid there.
      ...missing.filter(
        changes => !['jti', 'scope'].some(name => (changes as Record<string, unknown>)[name] === ''),
      ),
    ]) {
      await expectRefused(near.withClaims(changes));
    }
  });
});

describe('a valid JWT', () => {
  it('is not read from the query, the body, another header or another scheme', async () => {
    const { token } = somebody;
    const names = [
      'access_token',
      'access-token',
      'token',
      'jwt',
      'authorization',
      'Authorization',
      'bearer',
      'id_token',
    ];
    for (const name of names) {
      for (const path of [
        `/v2/me?${name}=${token}`,
        `/v2/me?${name}=Bearer%20${token}`,
        `/v2/me?${name}[]=${token}`,
      ]) {
        expect(comparable(await app.request('GET', path))).toEqual(unasked);
      }
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const raw = `${name}=${token}`;
      expect((await app.request('POST', '/v2/logout', { headers: form, raw })).status).toBe(401);
    }
    const headers = [
      'x-access-token',
      'access-token',
      'x-authorization',
      'proxy-authorization',
      'x-forwarded-authorization',
    ];
    for (const name of headers) {
      expect(
        comparable(await app.request('GET', '/v2/me', { headers: { [name]: `Bearer ${token}` } })),
      ).toEqual(unasked);
    }
    for (const scheme of ['JWT', 'Token', 'Basic', 'Bearer:', 'DPoP', 'Bearer Bearer', '']) {
      const authorization = `${scheme} ${token}`;
      const expected = scheme.startsWith('Bearer ') ? refusal : unasked;
      expect(comparable(await app.request('GET', '/v2/me', { headers: { authorization } }))).toEqual(
        expected,
      );
    }
    expect((await bearer(token)).status).toBe(200);
  });

  it('ends with its session on the other instance too, within five seconds', async () => {
    const one = await signIn(app, somebody.userId);
    expect((await bearer(one.token, other)).status).toBe(200);
    expect((await app.request('POST', '/v2/logout', { token: one.token })).status).toBe(204);
    expect(comparable(await bearer(one.token))).toEqual(refusal);
    await expect.poll(async () => (await bearer(one.token, other)).status, { timeout: 5_000 }).toBe(401);
    expect(comparable(await bearer(one.token, other))).toEqual(refusal);
  });
});
