import { readFile } from 'node:fs/promises';
import { decodeJwt, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ExchangedTokens } from '../../../src/features/auth/token-exchange/exchanged-tokens.service.js';
import { examplesOf, filledIn, run } from '../../conformance/examples.js';
import type { TestApp, TestResponse } from '../../harness/app.js';
import { OTHER_CLIENT_ID } from '../../harness/identity-provider.js';
import { events, MovedClock } from '../auth/person.js';
import { exchange, newAccount, ownProvider, provider, startWorld, type World } from '../login/world.js';
import { newOrg } from '../orgs/org.js';

const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

const clock = new MovedClock();
let world: World;
let app: TestApp;
beforeAll(async () => {
  const more = (issuer: string) => [{ ...provider('switched-off', issuer), enabled: false }];
  world = await startWorld({ clock, more });
  ({ app } = world);
});
afterAll(() => world.close());

const now = () => Math.floor(Date.now() / 1000);
/** The session begins when the token is verified, shortly before the JWT is made. */
function expectLifetime(jwt: string, seconds: number): void {
  const { exp = 0, iat = 0 } = decodeJwt(jwt);
  expect(exp - iat).toBeLessThanOrEqual(seconds);
  expect(exp - iat).toBeGreaterThan(seconds - 10);
}

const token = () => world.open.idToken(newAccount());

describe('exchanging an id_token', () => {
  it('returns a JWT of a new session, and sets no cookie', async () => {
    const ada = newAccount();
    const answer = await exchange(app, 'open', await world.open.idToken(ada));
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['email', 'expires', 'id', 'sessionId', 'token']);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { id, email, sessionId, expires } = answer.body;
    expect(email).toBe(ada.email);
    const claims = decodeJwt(answer.body.token);
    expect(claims).toMatchObject({ sub: id, platformSessionId: sessionId, client_id: 'platform' });
    expect(new Date((claims.exp as number) * 1000).toISOString()).toBe(expires);
    expectLifetime(answer.body.token, 2_592_000);
    const me = await app.request('GET', '/v2/me', { token: answer.body.token });
    expect(me.body).toMatchObject({ id, email, sessionId });
    expect(await events(app, id)).toEqual(['users.created', 'identities.linked']);
    expect(await events(app, sessionId)).toEqual(['sessions.created']);
  });

  it('accepts the parameters that OAuth libraries send, and the length of the session', async () => {
    const more = { subject_token_type: ID_TOKEN, grant_type: TOKEN_EXCHANGE, expiresAfter: 60 };
    const { status, body } = await exchange(app, 'open', await token(), more);
    expect(status).toBe(200);
    expectLifetime(body.token, 60);
  });

  it('accepts a form', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'Application/X-WWW-Form-Urlencoded; charset=UTF-8',
    ]) {
      const fields = { provider: 'open', grant_type: TOKEN_EXCHANGE, expiresAfter: '3600' };
      const form = new URLSearchParams({ ...fields, subject_token: await token() });
      const headers = { 'content-type': type };
      const { status, body } = await app.request('POST', '/v2/login/token-exchange', {
        raw: String(form),
        headers,
      });
      expect(status).toBe(200);
      expectLifetime(body.token, 3600);
    }
  });

  it('works as described in docs/single-sign-on.md', async () => {
    const [section = ''] = /^## Sign in with a token[\s\S]*?(?=^## )/m.exec(
      await readFile('docs/single-sign-on.md', 'utf8'),
    ) ?? [''];
    const [example] = examplesOf(section.replaceAll('```bash', '```sh'));
    const ID_TOKEN = await world.open.idToken(newAccount({ email: 'ada@example.com' }));
    const { printed } = await run([example!], { URL: app.url, PROVIDER: 'open', ID_TOKEN }, []);
    const answer = JSON.parse(printed[0]!);
    expect(answer).toEqual(filledIn(example?.json, answer));
  });

  it('makes the person a member of the provider’s organization', async () => {
    const { body } = await exchange(app, 'staff', await world.staff.idToken(newAccount()));
    const me = await app.request('GET', '/v2/me', { token: body.token });
    expect(me.body).toMatchObject({ orgSlugs: ['default'], org: { role: { slug: 'member' } } });
  });

  it("works with an organization's own provider", async () => {
    const org = await newOrg(app);
    const slug = await ownProvider(world, org);
    const { status, body } = await exchange(app, slug, await world.foreign.idToken(newAccount()));
    expect(status).toBe(200);
    const me = await app.request('GET', '/v2/me', { token: body.token });
    expect(me.body.orgSlugs).toEqual([org.slug]);
  });
});

describe('a malformed exchange is refused with 400', () => {
  it.each([
    ['nothing', {}],
    ['no token', { subject_token: undefined }],
    ['an empty token', { subject_token: '' }],
    ['a token that is not text', { subject_token: ['a.b.c'] }],
    ['no provider', { provider: undefined }],
    ['a provider that is not text', { provider: { $ne: null } }],
    ['another kind of token', { subject_token_type: 'urn:ietf:params:oauth:token-type:access_token' }],
    ['another grant', { grant_type: 'authorization_code' }],
    ['a session that is too short', { expiresAfter: 59 }],
    ['a session that is too long', { expiresAfter: 2_592_001 }],
    ['a length as text', { expiresAfter: '60' }],
    ['a fractional length', { expiresAfter: 60.5 }],
    ['an unknown parameter', { scope: 'platform' }],
  ])('with %s', async (what, change) => {
    const subject_token = await token();
    const body = what === 'nothing' ? {} : { provider: 'open', subject_token, ...change };
    const answer = await app.request('POST', '/v2/login/token-exchange', { body });
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidArguments' } });
    expect(answer.text).not.toContain(subject_token);
    // The token was not used up.
    expect((await exchange(app, 'open', subject_token)).status).toBe(200);
  });

  it('with a form field that is sent twice', async () => {
    const raw = `provider=open&provider=staff&subject_token=${await token()}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await app.request('POST', '/v2/login/token-exchange', { raw, headers })).status).toBe(400);
  });

  it.each([
    ['application/json', '{"provider":', 400],
    ['application/json', '[]', 400],
    ['text/plain', 'provider=open', 415],
    ['multipart/form-data; boundary=x', '--x--', 415],
  ])('with a body of %s: %s is %i', async (type, raw, status) => {
    const headers = { 'content-type': type };
    expect((await app.request('POST', '/v2/login/token-exchange', { raw, headers })).status).toBe(status);
  });

  it('with parameters in the URL, which are not read', async () => {
    const query = new URLSearchParams({ provider: 'open', subject_token: await token() });
    expect((await app.request('POST', `/v2/login/token-exchange?${query}`)).status).toBe(400);
  });
});

describe('rule 5: a provider whose tokens are not exchanged', () => {
  it('gets the same answer whether it exists or not, and no request is sent to it', async () => {
    const org = await newOrg(app);
    const own = await ownProvider(world, org, {
      config: provider('', world.foreign.issuer, { allowTokenExchange: false }).config,
    });
    const before = [world.closed, world.open, world.foreign].map(({ requests }) => requests.length);
    const answers = [
      await exchange(app, 'unknown', await world.closed.idToken(newAccount())),
      await exchange(app, 'closed', await world.closed.idToken(newAccount())),
      await exchange(app, 'closed', 'not even a token'),
      await exchange(app, 'switched-off', await token()),
      await exchange(app, own, await world.foreign.idToken(newAccount())),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(403);
      expect(body.error).toBe('TokenExchangeRefused');
    }
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect([world.closed, world.open, world.foreign].map(({ requests }) => requests.length)).toEqual(before);
  });
});

describe('rule 6: an invalid token', () => {
  const refused: Record<string, () => Promise<string> | string> = {
    'is no token': () => 'x',
    'is signed by somebody else under the same kid': async () =>
      world.open.idToken(newAccount(), { key: (await generateKeyPair('RS256')).privateKey }),
    'names a key that the provider has not': () =>
      world.open.idToken(newAccount(), { header: { kid: 'other' } }),
    'names no key': () => world.open.idToken(newAccount(), { header: { kid: undefined } }),
    'was changed after it was signed': async () => {
      const [header, , signature] = (await token()).split('.');
      const payload = Buffer.from(JSON.stringify({ ...decodeJwt(await token()), email: 'x@y.z' }));
      return [header, payload.toString('base64url'), signature].join('.');
    },
    'is of another provider': () => world.closed.idToken(newAccount()),
    'names another issuer': () => world.open.idToken({ ...newAccount(), iss: world.closed.issuer }),
    'names almost the issuer': () => world.open.idToken({ ...newAccount(), iss: `${world.open.issuer}/` }),
    'is for another client of the same provider': () =>
      world.open.idToken({ ...newAccount(), aud: OTHER_CLIENT_ID }),
    'is for another client as well': () =>
      world.open.idToken({ ...newAccount(), aud: ['collections', OTHER_CLIENT_ID] }),
    'is for nobody': () => world.open.idToken({ ...newAccount(), aud: undefined }),
    'is over': () => world.open.idToken({ ...newAccount(), iat: now() - 600, exp: now() - 60 }),
    'never ends': () => world.open.idToken({ ...newAccount(), exp: undefined }),
    'is made in the future': () => world.open.idToken({ ...newAccount(), iat: now() + 300 }),
    'says not when it was made': () => world.open.idToken({ ...newAccount(), iat: undefined }),
    'is about nobody': () => world.open.idToken({ ...newAccount(), sub: undefined }),
    'is an access token': () => world.open.idToken(newAccount(), { header: { typ: 'at+jwt' } }),
    'is a JWT of ours': async () => (await exchange(app, 'open', await token())).body.token,
  };

  it.each(Object.entries(refused))('gets the same 401 when it %s', async (what, made) => {
    const before = await accounts();
    const answer = await exchange(app, 'open', await made());
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      error: 'Unauthorized',
      message: 'The credential is missing, invalid or expired.',
    });
    if (what !== 'is a JWT of ours') expect(await accounts()).toBe(before);
  });

  it('is answered 503 while the provider is not available', async () => {
    const org = await newOrg(app);
    const away = { config: provider('', 'http://127.0.0.1:1').config };
    const slug = await ownProvider(world, org, away);
    const answer = await exchange(app, slug, await token());
    expect(answer).toMatchObject({ status: 503, body: { error: 'Unavailable' } });
    expect(answer.text).not.toContain('127.0.0.1');
  });

  const accounts = async () => (await app.sql('SELECT count(*)::int AS n FROM users'))[0].n;
});

describe('a token is exchanged once', () => {
  it('and is then refused, also by another instance', async () => {
    const used = await token();
    expect((await exchange(app, 'open', used)).status).toBe(200);
    const other = await world.another();
    for (const each of [app, other]) expect((await exchange(each, 'open', used)).status).toBe(401);
  });

  it('also when its signature is encoded in another way', async () => {
    const used = await token();
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last of 342 characters contains two bits of the 2,048 and four unused bits.
    const rewritten = used.slice(0, -1) + digits[digits.indexOf(used.at(-1) as string) + 1];
    expect(Buffer.from(rewritten.split('.')[2] as string, 'base64url')).toEqual(
      Buffer.from(used.split('.')[2] as string, 'base64url'),
    );
    expect((await exchange(app, 'open', used)).status).toBe(200);
    for (const each of [used, rewritten, `${used}=`]) {
      expect((await exchange(app, 'open', each)).status).toBe(401);
    }
  });

  it('by one of fifty concurrent requests at two instances', async () => {
    const other = await world.another();
    const used = await token();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => exchange(n % 2 ? app : other, 'open', used)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(401)]);
  });

  it('unless the operator allows exchanging it until it expires', async () => {
    const lenient = await world.another({ TOKEN_EXCHANGE_SINGLE_USE: 'off' });
    const used = await token();
    const ids = [await exchange(lenient, 'open', used), await exchange(lenient, 'open', used)];
    expect(ids.map(({ status }) => status)).toEqual([200, 200]);
    expect(ids[0]?.body.id).toBe(ids[1]?.body.id);
    expect(ids[0]?.body.sessionId).not.toBe(ids[1]?.body.sessionId);
  });
});

describe('rule 9: the rate limit', () => {
  const limited = () => world.another({ RATE_LIMITS: 'on', RATE_LIMIT_TOKEN_EXCHANGE: '4' });
  const forget = () => app.sql(`DELETE FROM rate_limits WHERE name = 'token-exchange'`);

  it('counts by client address over all instances, without regard to forwarding headers of clients', async () => {
    await forget();
    const [one, two] = await Promise.all([limited(), limited()]);
    const claims = ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'Via'];
    const answers = await Promise.all(
      claims.map((name, n) => {
        const headers = { [name]: name === 'Forwarded' ? `for=203.0.113.${n}` : `203.0.113.${n}` };
        return (n % 2 ? one : two).request('POST', '/v2/login/token-exchange', { body: {}, headers });
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([400, 400, 400, 400, 429, 429]);
    const refused = answers.find(({ status }) => status === 429) as TestResponse;
    expect(refused.body.error).toBe('TooManyRequests');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Even a valid token is not verified.
    const good = await token();
    expect((await exchange(one, 'open', good)).status).toBe(429);
    expect((await exchange(app, 'open', good)).status).toBe(200);
  });

  it('counts every spelling of the path, and refuses other methods', async () => {
    await forget();
    const one = await limited();
    const statuses: number[] = [];
    for (const path of [
      '/v2/login/token-exchange/',
      '/V2/Login/Token-Exchange',
      '/v2/login/token%2Dexchange',
    ]) {
      statuses.push((await one.request('POST', path, { body: {} })).status);
    }
    const [{ attempts }] = await app.sql(`SELECT attempts FROM rate_limits WHERE name = 'token-exchange'`);
    expect(attempts).toBe(statuses.filter(status => status === 400).length);
    expect(statuses.filter(status => status !== 400 && status !== 404)).toEqual([]);
    for (const path of [
      '//v2/login/token-exchange',
      '/v2/login/x/../token-exchange/x',
      '/v2/login/token-exchange;x',
    ]) {
      expect((await one.request('POST', path, { body: {} })).status).toBe(404);
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await one.request(method, '/v2/login/token-exchange');
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
    }
  });
});

describe('what the database stores of an exchange', () => {
  it('is a hash, which is removed after the token has expired', async () => {
    const used = await token();
    const { body } = await exchange(app, 'open', used);
    const [, claims, signature] = used.split('.') as [string, string, string];
    const tables = ['exchanged_tokens', 'audit_events', 'federated_identities', 'sessions', 'users'];
    for (const table of tables) {
      const kept = JSON.stringify(await app.sql(`SELECT * FROM ${table}`));
      for (const secret of [claims, signature, body.token]) expect(kept).not.toContain(secret);
    }
    const log = await readFile(`${inject('testServer').notes}/log-${process.pid}`, 'utf8');
    expect(log).toContain('/v2/login/token-exchange');
    expect(log).not.toContain(signature);
    const count = async () => (await app.sql('SELECT count(*)::int AS n FROM exchanged_tokens'))[0].n;
    expect(await count()).toBeGreaterThan(0);
    expect(await app.nest.get(ExchangedTokens).removeExpired()).toBe(0);
    clock.move(631);
    expect(await app.nest.get(ExchangedTokens).removeExpired()).toBeGreaterThan(0);
    expect(await count()).toBe(0);
  });
});
