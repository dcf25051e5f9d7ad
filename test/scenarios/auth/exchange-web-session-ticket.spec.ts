import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSessionTickets } from '../../../src/features/auth/web-session/web-session-tickets.service.js';
import { startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import { cookie, events, MovedClock, type Person, person, signIn } from './person.js';

const clock = new MovedClock();
let app: TestApp;
let owner: Person;

beforeAll(async () => {
  const environment = { WEB_SESSION_ALLOWED_REDIRECT_HOSTS: 'app.example.com' };
  app = await startOwnApp({ database: 'own', clock, environment });
  owner = await signIn(app, app.bootstrap.userId);
});
afterAll(() => app.close());

function mint(body: object, credential: object = { token: owner.token }): Promise<TestResponse> {
  return app.request('POST', '/v2/user/webSessionTicket', { ...credential, body });
}

async function minted(redirect = '/docs', by: Person = owner): Promise<string> {
  const { status, body } = await mint({ redirect }, { token: by.token });
  expect(status).toBe(201);
  return pathOf(body.url);
}

function pathOf(url: string): string {
  expect(url.startsWith(app.url)).toBe(true);
  return url.slice(app.url.length);
}

function cookieOf(answer: TestResponse): string {
  return /^access-token=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? '';
}

describe('creating a web session ticket', () => {
  it('returns a link with ticket and redirect that is valid for 60 seconds', async () => {
    const asked = clock.now().getTime();
    const { status, body } = await mint({ redirect: '/docs?a=b#c' });
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(['expiresAt', 'ticket', 'url']);
    expect(body.ticket).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const url = new URL(body.url);
    expect(`${url.origin}${url.pathname}`).toBe(`${app.url}/v2/user/webSession`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ticket: body.ticket,
      redirect: `${app.url}/docs?a=b#c`,
    });
    expect(Date.parse(body.expiresAt)).toBeGreaterThanOrEqual(asked + 60_000);
    expect(Date.parse(body.expiresAt)).toBeLessThanOrEqual(clock.now().getTime() + 60_000);
  });

  it('stores only a hash of the ticket', async () => {
    const { body } = await mint({ redirect: '/docs' });
    const rows = await app.sql('SELECT * FROM web_session_tickets');
    expect(JSON.stringify(rows)).not.toContain(body.ticket);
    const log = await app.sql('SELECT * FROM audit_events');
    expect(JSON.stringify(log)).not.toContain(body.ticket);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    'https://evil.example/',
    'javascript:1',
    '',
  ])('refuses the redirect %j', async redirect => {
    expect(await mint({ redirect })).toMatchObject({ status: 400, body: { error: 'InvalidArguments' } });
  });

  it.each([0, 301, -1, 1.5, '60', null])('refuses expiresIn %j', async expiresIn => {
    expect((await mint({ redirect: '/docs', expiresIn })).status).toBe(400);
  });

  it('is for sessions only: access tokens, keys and anonymous users are refused', async () => {
    const anonymous = (await app.request('POST', '/v2/login/anonymous')).body;
    for (const credential of [
      { token: app.bootstrap.accessToken },
      { key: app.bootstrap.orgApiKey },
      { token: anonymous.token },
    ]) {
      expect(await mint({ redirect: '/docs' }, credential)).toMatchObject({
        status: 403,
        body: { error: 'Forbidden' },
      });
    }
  });
});

describe('exchanging a web session ticket', () => {
  it('sets the cookie, redirects, and does not leak the ticket', async () => {
    const answer = await app.request('GET', await minted('/docs?a=b'));
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(`${app.url}/docs?a=b`);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const attributes = (answer.headers.get('set-cookie') ?? '').split('; ').slice(1);
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/']));
    expect(attributes).not.toContain('Secure');
  });

  it('returns a JWT of the same session, which ends no later than the session', async () => {
    const short = await signIn(app, app.bootstrap.userId, { seconds: 600 });
    const token = cookieOf(await app.request('GET', await minted('/docs', short)));
    const claims = decodeJwt(token);
    expect(claims.platformSessionId).toBe(short.sessionId);
    expect(claims.exp).toBe(decodeJwt(short.token).exp);
    const me = await app.request('GET', '/v2/me', { headers: cookie(token) });
    expect(me.body).toMatchObject({ id: app.bootstrap.userId, sessionId: short.sessionId });
  });

  it('works for the link of the first start', async () => {
    const answer = await app.request('GET', pathOf(app.bootstrap.signInUrl));
    expect(answer.status).toBe(302);
    const me = await app.request('GET', '/v2/me', { headers: cookie(cookieOf(answer)) });
    expect(me.body.email).toBe('owner@localhost');
  });

  it('works once', async () => {
    const path = await minted();
    expect((await app.request('GET', path)).status).toBe(302);
    const again = await app.request('GET', path);
    expect(again.status).toBe(401);
    expect(again.headers.get('set-cookie')).toBeNull();
    expect(again.headers.get('referrer-policy')).toBe('no-referrer');
    expect(again.headers.get('cache-control')).toBe('no-store');
  });

  it('works for exactly one of fifty concurrent requests', async () => {
    const one = await signIn(app, app.bootstrap.userId);
    const path = await minted('/docs', one);
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.request('GET', path)));
    const statuses = answers.map(answer => answer.status).sort();
    expect(statuses).toEqual([302, ...Array(49).fill(401)]);
    expect(answers.filter(answer => answer.headers.has('set-cookie'))).toHaveLength(1);
    expect(await events(app, one.sessionId)).toEqual([
      'sessions.created',
      'websessions.minted',
      'websessions.burned',
    ]);
  });

  it('is not done by HEAD, which does not use up the ticket', async () => {
    const path = await minted();
    const head = await app.request('HEAD', path);
    expect(head.status).toBe(405);
    expect(head.headers.get('allow')).toBe('GET');
    expect(head.headers.get('set-cookie')).toBeNull();
    expect((await app.request('GET', path)).status).toBe(302);
  });

  it.each([
    ['to another path', (path: string) => path.replace('docs', 'elsewhere'), 400],
    ['outside', (path: string) => path.replace(/redirect=.*/, 'redirect=https://evil.example/'), 400],
    [
      'to another allowed host',
      (path: string) => path.replace(/redirect=.*/, 'redirect=https://app.example.com/'),
      400,
    ],
    ['that is missing', (path: string) => path.replace(/&redirect=.*/, ''), 400],
    ['that is given twice', (path: string) => `${path}&redirect=/docs`, 400],
  ])('refuses a redirect %s, and the ticket stays valid', async (_, change, status) => {
    const path = await minted('/docs');
    const answer = await app.request('GET', change(path));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('location')).toBeNull();
    expect((await app.request('GET', path)).status).toBe(302);
  });

  it('also accepts the redirect exactly as it was given', async () => {
    const path = await minted('/docs');
    expect((await app.request('GET', path.replace(/redirect=.*/, 'redirect=/docs'))).status).toBe(302);
  });

  it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(44)])('refuses the unknown ticket %j', async ticket => {
    const answer = await app.request('GET', `/v2/user/webSession?ticket=${ticket}&redirect=/docs`);
    expect(answer).toMatchObject({ status: 401, body: { error: 'Unauthorized' } });
  });

  it('refuses a ticket whose session has ended since', async () => {
    const one = await signIn(app, app.bootstrap.userId);
    const path = await minted('/docs', one);
    expect((await app.request('POST', '/v2/logout', { token: one.token })).status).toBe(204);
    expect((await app.request('GET', path)).status).toBe(401);
    expect(await events(app, one.sessionId)).not.toContain('websessions.burned');
  });

  it('refuses a ticket whose user is disabled', async () => {
    const one = await person(app);
    const path = await minted('/docs', one);
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [one.userId]);
    expect((await app.request('GET', path)).status).toBe(401);
  });

  it('refuses an expired ticket, which is deleted afterwards', async () => {
    const one = await signIn(app, app.bootstrap.userId);
    const path = await minted('/docs', one);
    clock.move(61);
    expect((await app.request('GET', path)).status).toBe(401);
    expect(await app.nest.get(WebSessionTickets).removeExpired()).toBeGreaterThan(0);
    const [{ count }] = await app.sql('SELECT count(*)::int FROM web_session_tickets WHERE session_id = $1', [
      one.sessionId,
    ]);
    expect(count).toBe(0);
  });
});
