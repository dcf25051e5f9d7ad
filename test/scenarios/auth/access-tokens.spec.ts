import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessTokens } from '../../../src/features/auth/access-tokens/access-tokens.service.js';
import { startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import { cookie, events, MovedClock, type Person, person } from './person.js';

const PATH = '/v2/user/accessTokens';
const clock = new MovedClock();
let app: TestApp;
let somebody: Person;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', clock });
  somebody = await person(app);
});
afterAll(() => app.close());

const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString();

function mint(body: object, credential: object = { token: somebody.token }): Promise<TestResponse> {
  return app.request('POST', PATH, { ...credential, body });
}

const me = (token: string) => app.request('GET', '/v2/me', { token });

describe('creating an access token', () => {
  it('shows the token once, and the token acts as its user', async () => {
    const expiresAt = inSeconds(3600);
    const { status, body } = await mint({ name: 'import', expiresAt });
    expect(status).toBe(201);
    expect(body).toEqual({
      _id: expect.any(String),
      name: 'import',
      expiresAt,
      userId: somebody.userId,
      token: expect.stringMatching(/^at:[A-Za-z0-9_-]{43}$/),
    });
    expect(await me(body.token)).toMatchObject({
      status: 200,
      body: { id: somebody.userId, sessionId: null },
    });
    expect(await events(app, body._id)).toEqual(['accesstokens.minted']);
    expect(JSON.stringify(await app.sql('SELECT * FROM access_tokens'))).not.toContain(body.token);
    expect(JSON.stringify(await app.sql('SELECT * FROM audit_events'))).not.toContain(body.token);
  });

  it.each<[string, () => object]>([
    ['no name', () => ({ expiresAt: inSeconds(60) })],
    ['an empty name', () => ({ name: '', expiresAt: inSeconds(60) })],
    ['a name with NUL', () => ({ name: 'a\0', expiresAt: inSeconds(60) })],
    ['no expiry', () => ({ name: 'a' })],
    ['an expiry that is past', () => ({ name: 'a', expiresAt: inSeconds(-1) })],
    ['an expiry in more than a year', () => ({ name: 'a', expiresAt: inSeconds(367 * 86_400) })],
    ['an expiry without offset', () => ({ name: 'a', expiresAt: '2027-01-01T00:00:00' })],
    ['a day that does not exist', () => ({ name: 'a', expiresAt: '2027-13-01T00:00:00Z' })],
    ['an unknown field', () => ({ name: 'a', expiresAt: inSeconds(60), userId: somebody.userId })],
  ])('refuses %s', async (_, body) => {
    expect(await mint(body())).toMatchObject({ status: 400, body: { error: 'InvalidArguments' } });
  });

  it('is for sessions only: access tokens, keys and anonymous users are refused', async () => {
    const anonymous = (await app.request('POST', '/v2/login/anonymous')).body;
    const { accessToken, orgApiKey } = app.bootstrap;
    const body = { name: 'a', expiresAt: inSeconds(60) };
    for (const credential of [{ token: accessToken }, { key: orgApiKey }, { token: anonymous.token }]) {
      expect(await mint(body, credential)).toMatchObject({ status: 403, body: { error: 'Forbidden' } });
    }
    expect((await app.request('GET', PATH, { token: accessToken })).status).toBe(403);
    expect((await app.request('DELETE', `${PATH}/x`, { key: orgApiKey })).status).toBe(403);
  });
});

describe('the list of access tokens', () => {
  it("shows the caller's own tokens without the secret", async () => {
    const owner = await person(app);
    const minted = (await mint({ name: 'a', expiresAt: inSeconds(60) }, { token: owner.token })).body;
    await me(minted.token);
    const list = await app.request('GET', PATH, { token: owner.token });
    expect(list.body).toEqual({
      results: [
        {
          _id: minted._id,
          name: 'a',
          prefix: minted.token.slice(0, 9),
          userId: owner.userId,
          createdAt: expect.any(String),
          expiresAt: minted.expiresAt,
          lastUsedAt: expect.toSatisfy(each => each === null || Date.parse(each) > 0),
        },
      ],
      total: 1,
    });
    expect(list.text).not.toContain(minted.token);
  });

  it('shows the last use of a token', async () => {
    const owner = await person(app);
    const { token } = (await mint({ name: 'a', expiresAt: inSeconds(60) }, { token: owner.token })).body;
    await me(token);
    const lastUse = async () =>
      (await app.request('GET', PATH, { token: owner.token })).body.results[0].lastUsedAt;
    await expect.poll(lastUse).toEqual(expect.any(String));
  });
});

describe('revoking an access token', () => {
  it('ends it at once', async () => {
    const { _id, token } = (await mint({ name: 'a', expiresAt: inSeconds(60) })).body;
    expect((await me(token)).status).toBe(200);
    expect((await app.request('DELETE', `${PATH}/${_id}`, { token: somebody.token })).status).toBe(204);
    expect((await me(token)).status).toBe(401);
    expect(await events(app, _id)).toEqual(['accesstokens.minted', 'accesstokens.revoked']);
  });

  it('returns 404 for a foreign, an unknown and a malformed id, and ends no token', async () => {
    const { _id, token } = (await mint({ name: 'a', expiresAt: inSeconds(60) })).body;
    const other = await person(app);
    for (const id of [_id, '01a1fc33-8e47-7b3d-9a0c-48de8c3ad195', 'x']) {
      const answer = await app.request('DELETE', `${PATH}/${id}`, { token: other.token });
      expect(answer).toMatchObject({ status: 404, body: { error: 'NotFound' } });
    }
    expect((await me(token)).status).toBe(200);
  });
});

describe('an access token', () => {
  it('is compared exactly and accepted only in the header', async () => {
    const { token } = (await mint({ name: 'a', expiresAt: inSeconds(60) })).body;
    for (const changed of [`${token}A`, token.slice(0, -1), token.replace('at:', 'AT:'), `${token}=`]) {
      expect((await me(changed)).status).toBe(401);
    }
    expect((await app.request('GET', '/v2/me', { headers: cookie(token) })).status).toBe(401);
    expect((await app.request('GET', '/v2/me', { key: token })).status).toBe(401);
  });

  it('ends at its expiry, and is deleted afterwards', async () => {
    const { _id, token } = (await mint({ name: 'a', expiresAt: inSeconds(60) })).body;
    expect((await me(token)).status).toBe(200);
    clock.move(61);
    expect((await me(token)).status).toBe(401);
    expect(await app.nest.get(AccessTokens).removeExpired()).toBeGreaterThan(0);
    expect(await app.sql('SELECT 1 FROM access_tokens WHERE id = $1', [_id])).toEqual([]);
    expect(await app.sql(`SELECT 1 FROM audit_events WHERE type = 'accesstokens.removed'`)).toHaveLength(1);
  });
});
