import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sessions } from '../../../src/features/auth/sessions/sessions.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { cookie, events, MovedClock, person, signIn } from './person.js';

const PATH = '/v2/user/sessions';
const clock = new MovedClock();
let app: TestApp;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', clock });
});
afterAll(() => app.close());

const isAlive = async (token: string) => (await app.request('GET', '/v2/me', { token })).status === 200;

describe('the list of sessions', () => {
  it("shows the caller's own active sessions, newest first", async () => {
    const first = await person(app);
    const second = await signIn(app, first.userId, { userAgent: 'second browser' });
    const ended = await signIn(app, first.userId);
    await app.request('POST', '/v2/logout', { token: ended.token });
    const { status, body } = await app.request('GET', PATH, { token: first.token });
    expect(status).toBe(200);
    expect(body.total).toBe(2);
    expect(body.results.map((each: { id: string }) => each.id)).toEqual([second.sessionId, first.sessionId]);
    expect(body.results.map((each: { current: boolean }) => each.current)).toEqual([false, true]);
    expect(Object.keys(body.results[0]).sort()).toEqual(
      ['clientId', 'createdAt', 'current', 'expiresAt', 'id', 'ip', 'lastUsedAt', 'userAgent'].sort(),
    );
    expect(body.results[0].userAgent).toBe('second browser');
    expect((await app.request('GET', `${PATH}?limit=1&page=2`, { token: first.token })).body).toMatchObject({
      results: [{ id: first.sessionId }],
      total: 2,
    });
  });

  it('is refused to keys', async () => {
    expect((await app.request('GET', PATH, { key: app.bootstrap.orgApiKey })).status).toBe(403);
  });
});

describe('ending a session', () => {
  it('ends its JWT at once', async () => {
    const one = await person(app);
    const other = await signIn(app, one.userId);
    expect(await isAlive(other.token)).toBe(true);
    const answer = await app.request('DELETE', `${PATH}/${other.sessionId}`, { token: one.token });
    expect(answer.status).toBe(204);
    expect(await isAlive(other.token)).toBe(false);
    expect(await isAlive(one.token)).toBe(true);
    expect(await events(app, other.sessionId)).toEqual(['sessions.created', 'sessions.revoked']);
  });

  it('returns 404 for a foreign, an ended, an unknown and a malformed id', async () => {
    const one = await person(app);
    const another = await person(app);
    const ended = await signIn(app, one.userId);
    await app.request('POST', '/v2/logout', { token: ended.token });
    for (const id of [another.sessionId, ended.sessionId, '01a1fc33-8e47-7b3d-9a0c-48de8c3ad195', 'x']) {
      const answer = await app.request('DELETE', `${PATH}/${id}`, { token: one.token });
      expect(answer).toMatchObject({ status: 404, body: { error: 'NotFound' } });
    }
    expect(await isAlive(another.token)).toBe(true);
  });

  it('with the operation for all others keeps the calling session and those of other people', async () => {
    const one = await person(app);
    const others = [await signIn(app, one.userId), await signIn(app, one.userId)];
    const another = await person(app);
    expect((await app.request('DELETE', PATH, { token: one.token })).status).toBe(204);
    expect(await isAlive(one.token)).toBe(true);
    expect(await isAlive(another.token)).toBe(true);
    for (const { token } of others) expect(await isAlive(token)).toBe(false);
  });

  it('ends any number of them at once, with an event for each', async () => {
    const one = await person(app);
    // More than the parameters that a statement of PostgreSQL can have.
    const ids = await app.sql(
      `INSERT INTO sessions (id, user_id, client_id, created_at, last_used_at, expires_at)
       SELECT gen_random_uuid(), user_id, client_id, created_at, last_used_at, expires_at
       FROM sessions, generate_series(1, 65536) WHERE id = $1 RETURNING id`,
      [one.sessionId],
    );
    expect((await app.request('DELETE', PATH, { token: one.token })).status).toBe(204);
    // Without new statistics, PostgreSQL may compare every session with every event.
    await app.sql('ANALYZE sessions, audit_events');
    const [ended] = await app.sql(
      `SELECT count(*)::int AS sessions, count(e.id)::int AS events FROM sessions s
       LEFT JOIN audit_events e ON e.target = jsonb_build_object('type', 'session', 'id', s.id)
         AND e.type = 'sessions.revoked' AND e.actor->>'id' = s.user_id::text
       WHERE s.user_id = $1 AND s.revoked_at IS NOT NULL`,
      [one.userId],
    );
    expect(ended).toEqual({ sessions: ids.length, events: ids.length });
    expect(await isAlive(one.token)).toBe(true);
  });
});

describe('logging out', () => {
  it('ends the session and clears the cookie', async () => {
    const { token } = await person(app);
    const headers = { ...cookie(token), 'sec-fetch-site': 'same-origin' };
    const answer = await app.request('POST', '/v2/logout', { headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(/^access-token=;.*Expires=Thu, 01 Jan 1970/);
    expect(await isAlive(token)).toBe(false);
  });

  it('clears the cookie of a session that has ended, for pages of this platform only', async () => {
    const { token } = await person(app);
    await app.request('POST', '/v2/logout', { token });
    const ours = { ...cookie(token), 'sec-fetch-site': 'same-origin' };
    const answer = await app.request('POST', '/v2/logout', { headers: ours });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(/^access-token=;.*Expires=Thu, 01 Jan 1970/);
    for (const sent of [
      { headers: { ...cookie(token), 'sec-fetch-site': 'cross-site' } },
      { headers: cookie(token) },
      { headers: { 'sec-fetch-site': 'same-origin' } },
      { token, headers: ours },
    ]) {
      const refused = await app.request('POST', '/v2/logout', sent);
      expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    }
    const me = await app.request('GET', '/v2/me', { headers: ours });
    expect([me.status, me.headers.get('set-cookie')]).toEqual([401, null]);
  });

  it('is for sessions only', async () => {
    expect((await app.request('POST', '/v2/logout', { token: app.bootstrap.accessToken })).status).toBe(403);
    expect((await app.request('POST', '/v2/logout')).status).toBe(401);
  });
});

describe('a session', () => {
  it('records its last use to the minute', async () => {
    const { token, sessionId } = await person(app);
    const lastUse = async () =>
      (
        await app.sql('SELECT last_used_at FROM sessions WHERE id = $1', [sessionId])
      )[0].last_used_at.getTime();
    const opened = await lastUse();
    clock.move(61);
    await isAlive(token);
    await expect.poll(lastUse).toBeGreaterThan(opened + 60_000);
  });

  it('ends at its expiry, and is deleted afterwards', async () => {
    const { token, sessionId } = await person(app, { seconds: 120 });
    expect(await isAlive(token)).toBe(true);
    clock.move(151);
    expect(await isAlive(token)).toBe(false);
    expect(await app.nest.get(Sessions).removeExpired()).toBeGreaterThan(0);
    expect(await app.sql('SELECT 1 FROM sessions WHERE id = $1', [sessionId])).toEqual([]);
  });
});
