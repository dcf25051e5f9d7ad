import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnonymousUsers } from '../../../src/features/auth/login/anonymous-users.service.js';
import { startOwnApp, type TestApp, type TestRequest } from '../../harness/app.js';
import { cookie, events, MovedClock, person } from './person.js';

const clock = new MovedClock();
let app: TestApp;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', clock });
});
afterAll(() => app.close());

const logIn = (request?: TestRequest) => app.request('POST', '/v2/login/anonymous', request);
const users = async () => (await app.sql('SELECT count(*)::int AS n FROM users'))[0].n;

describe('anonymous login', () => {
  it('needs no body, and opens a session of a user without organization', async () => {
    const { status, body } = await logIn({ headers: { 'content-type': 'application/json' } });
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(['expires', 'sessionId', 'token', 'userId']);
    const claims = decodeJwt(body.token);
    expect(claims).toMatchObject({ sub: body.userId, platformSessionId: body.sessionId });
    expect((claims.exp as number) * 1000).toBe(Date.parse(body.expires));
    const me = await app.request('GET', '/v2/me', { token: body.token });
    expect(me.body).toMatchObject({ id: body.userId, email: null, org: null, orgSlugs: [], permissions: [] });
    expect(await events(app, body.userId)).toEqual(['users.created']);
    expect(await events(app, body.sessionId)).toEqual(['sessions.created']);
  });

  it('creates a session of the requested duration', async () => {
    const { body } = await logIn({ body: { expiresAfter: 60 } });
    const { iat = 0, exp = 0 } = decodeJwt(body.token);
    // The session has a fixed end. The token's expiry may fall into the next second.
    expect([59, 60]).toContain(exp - iat);
  });

  it.each([
    { expiresAfter: 59 },
    { expiresAfter: 2_592_001 },
    { expiresAfter: '60' },
    { orgSlug: '' },
    { email: 'a' },
  ])('refuses %j and creates no user', async body => {
    const before = await users();
    expect((await logIn({ body })).status).toBe(400);
    expect(await users()).toBe(before);
  });

  it('joins an organization that allows it, with the role for anonymous users', async () => {
    const { orgSlug } = app.bootstrap;
    await app.sql(
      `UPDATE orgs SET auth = '{"anonymous": {"enabled": true, "role": "member"}}' WHERE slug = $1`,
      [orgSlug],
    );
    const { status, body } = await logIn({ body: { orgSlug } });
    expect(status).toBe(201);
    const me = await app.request('GET', '/v2/me', { token: body.token });
    expect(me.body).toMatchObject({ orgSlugs: [orgSlug], org: { slug: orgSlug, role: { slug: 'member' } } });
  });

  it('returns 403 for an organization that does not allow it and 404 for an unknown one, and creates no user', async () => {
    const { orgSlug } = app.bootstrap;
    const before = await users();
    for (const auth of ['{}', '{"anonymous": {"enabled": false, "role": "member"}}']) {
      await app.sql('UPDATE orgs SET auth = $2 WHERE slug = $1', [orgSlug, auth]);
      expect(await logIn({ body: { orgSlug } })).toMatchObject({ status: 403, body: { error: 'Forbidden' } });
    }
    expect(await logIn({ body: { orgSlug: 'nowhere' } })).toMatchObject({
      status: 404,
      body: { error: 'NotFound' },
    });
    expect(await users()).toBe(before);
  });

  it('is listed among the ways to sign in', async () => {
    const { status, body } = await app.request('GET', '/v2/login/providers');
    expect({ status, body }).toEqual({
      status: 200,
      body: { anonymous: true, passkeys: true, providers: [] },
    });
  });

  it('is listed for an organization only if that organization admits anonymous users', async () => {
    const { orgSlug } = app.bootstrap;
    const listed = async (slug: string) =>
      (await app.request('GET', `/v2/login/providers?orgSlug=${slug}`)).body.anonymous;
    const set = (auth: string) => app.sql('UPDATE orgs SET auth = $2 WHERE slug = $1', [orgSlug, auth]);
    await set('{"anonymous": {"enabled": true, "role": "member"}}');
    expect([await listed(orgSlug), await listed('nowhere')]).toEqual([true, false]);
    await set('{}');
    expect(await listed(orgSlug)).toBe(false);
  });
});

describe('anonymous login of a page', () => {
  const enter = (headers: Record<string, string>, body: object = {}) =>
    app.request('POST', '/v2/login/anonymous/session', { headers, body });

  it('sets the cookie of the session, and answers no token', async () => {
    const { status, body, headers } = await enter({ 'sec-fetch-site': 'same-origin' });
    expect({ status, body }).toEqual({
      status: 201,
      body: { userId: expect.any(String), active_org: null },
    });
    const [, token = ''] = /access-token=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? [];
    expect(headers.get('set-cookie')).toContain('HttpOnly');
    const me = await app.request('GET', '/v2/me', { headers: cookie(token) });
    expect(me.body).toMatchObject({ id: body.userId, email: null });
  });

  it('is refused to pages of other sites and to programs, and creates no user', async () => {
    const before = await users();
    const elsewhere: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      {},
    ];
    for (const headers of elsewhere) {
      const { status, body } = await enter(headers);
      expect([status, body.error]).toEqual([403, 'CsrfRefused']);
    }
    expect(await users()).toBe(before);
  });

  it('has the refusals of the one for programs', async () => {
    const page = { 'sec-fetch-site': 'same-origin' };
    expect((await enter(page, { expiresAfter: 59 })).status).toBe(400);
    expect((await enter(page, { orgSlug: 'nowhere' })).status).toBe(404);
    expect((await enter(page, { orgSlug: app.bootstrap.orgSlug })).status).toBe(403);
  });
});

describe('an anonymous user', () => {
  it('is deleted after ANONYMOUS_MAX_IDLE_DAYS without use; other users are not', async () => {
    const idle = (await logIn()).body;
    const named = await person(app);
    clock.move(29 * 86_400);
    const lately = (await logIn()).body;
    clock.move(2 * 86_400);
    expect(await app.nest.get(AnonymousUsers).removeIdle()).toBeGreaterThan(0);
    const left = await app.sql('SELECT id FROM users WHERE id = ANY ($1)', [
      [idle.userId, named.userId, lately.userId],
    ]);
    expect(left.map(user => user.id).sort()).toEqual([named.userId, lately.userId].sort());
  });
});
