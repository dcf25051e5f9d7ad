import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp, TestResponse } from '../../harness/app.js';
import { cookie, events, type Person, person, signIn } from '../auth/person.js';
import { twoInstances } from './instances.js';

const CONSOLE = 'https://console.example.com';
const PAGES = 'pages.example.org:8443';
const ALLOWED = (app: TestApp) => [app.url, CONSOLE, `https://${PAGES}`];

let app: TestApp;
let other: TestApp;
let owner: Person;

beforeAll(async () => {
  const environment = { PLATFORM_ORIGINS: CONSOLE, WEB_SESSION_ALLOWED_REDIRECT_HOSTS: PAGES };
  [app, other] = await twoInstances({ environment });
  owner = await person(app);
});
afterAll(() => Promise.all([app.close(), other.close()]));

const mint = (redirect: unknown, by = owner) =>
  app.request('POST', '/v2/user/webSessionTicket', { token: by.token, body: { redirect } });

async function minted(redirect = '/docs', by = owner): Promise<string> {
  return (await mint(redirect, by)).body.ticket;
}

const pathOf = (ticket: string, redirect = '/docs') =>
  `/v2/user/webSession?${new URLSearchParams({ ticket, redirect })}`;

const exchange = (ticket: string, redirect?: string, instance = app, headers = {}) =>
  instance.request('GET', pathOf(ticket, redirect), { headers });

/** Expects a refusal that contains no part of a session, and no trace of the ticket. */
function expectRefused(answer: TestResponse, status: number, ticket: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(answer.headers.get('location')).toBeNull();
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.text).not.toContain(ticket);
}

async function expectGood(ticket: string): Promise<void> {
  expect((await exchange(ticket)).status).toBe(302);
}

describe('a web session ticket', () => {
  it('works for exactly one of fifty concurrent exchanges on two instances', async () => {
    const one = await signIn(app, owner.userId);
    const ticket = await minted('/docs', one);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => exchange(ticket, '/docs', index % 2 === 0 ? app : other)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array(49).fill(401)]);
    expect(answers.filter(({ headers }) => headers.has('set-cookie'))).toHaveLength(1);
    const refusals = answers.filter(({ status }) => status === 401).map(({ text }) => text);
    expect(new Set(refusals).size).toBe(1);
    expect(await events(app, one.sessionId)).toEqual([
      'sessions.created',
      'websessions.minted',
      'websessions.burned',
    ]);
  });

  it('does not work a second time, on either instance', async () => {
    const ticket = await minted();
    await expectGood(ticket);
    for (const instance of [app, other])
      expectRefused(await exchange(ticket, '/docs', instance), 401, ticket);
  });

  it('is not used up by HEAD', async () => {
    const ticket = await minted();
    for (const instance of [app, other]) {
      expect((await instance.request('HEAD', pathOf(ticket))).status).toBe(405);
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await app.request(method, pathOf(ticket))).status).toBe(405);
    }
    await expectGood(ticket);
  });

  it.each([
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { 'sec-purpose': 'prefetch;anonymous-client-ip' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ])('is not used up by a prefetch of the page: %j', async headers => {
    const ticket = await minted();
    expectRefused(await exchange(ticket, '/docs', app, headers), 400, ticket);
    await expectGood(ticket);
  });

  it('is not read from a list, from an object or from anywhere but the query', async () => {
    const ticket = await minted();
    const redirect = 'redirect=/docs';
    const odd: [string, number][] = [
      [`ticket=${ticket}&ticket=${ticket}&${redirect}`, 400],
      [`ticket=${ticket}&ticket=&${redirect}`, 400],
      [`ticket[]=${ticket}&${redirect}`, 401],
      [`ticket[0]=${ticket}&${redirect}`, 401],
      [`ticket[a]=${ticket}&${redirect}`, 401],
      [`ticket.a=${ticket}&${redirect}`, 401],
      [`Ticket=${ticket}&${redirect}`, 401],
      [`ticket=${ticket}%00&${redirect}`, 401],
      [`ticket=%20${ticket}&${redirect}`, 401],
      [`ticket=${ticket}=&${redirect}`, 401],
      [`ticket=${ticket}&${redirect}&${redirect}`, 400],
      [`ticket=${ticket}&redirect[]=/docs`, 400],
      [`ticket=${ticket}&redirect[a]=/docs`, 400],
      [`ticket=${ticket}&redirect[$ne]=x`, 400],
      [`ticket=${ticket}`, 400],
      [`ticket=${ticket}&redirect=`, 400],
      [redirect, 401],
      [`__proto__[ticket]=${ticket}&${redirect}`, 401],
    ];
    for (const [query, status] of odd) {
      expectRefused(await app.request('GET', `/v2/user/webSession?${query}`), status, ticket);
    }
    const headers = { ...cookie(ticket), authorization: `Bearer ${ticket}`, ticket, referer: pathOf(ticket) };
    expectRefused(await app.request('GET', '/v2/user/webSession?redirect=/docs', { headers }), 401, ticket);
    await expectGood(ticket);
  });

  it('is void after its session was revoked on the other instance, or its user was disabled', async () => {
    const one = await signIn(app, owner.userId);
    const ticket = await minted('/docs', one);
    const path = `/v2/user/sessions/${one.sessionId}`;
    expect((await other.request('DELETE', path, { token: owner.token })).status).toBe(204);
    expectRefused(await exchange(ticket), 401, ticket);
    const gone = await person(app);
    const theirs = await minted('/docs', gone);
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [gone.userId]);
    expectRefused(await exchange(theirs), 401, theirs);
    for (const { sessionId } of [one, gone])
      expect(await events(app, sessionId)).not.toContain('websessions.burned');
  });

  it('is either exchanged or refused when its session is revoked at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const one = await signIn(app, owner.userId);
      const ticket = await minted('/docs', one);
      const [answer] = await Promise.all([
        exchange(ticket, '/docs', other),
        app.request('POST', '/v2/logout', { token: one.token }),
      ]);
      expect([302, 401]).toContain(answer.status);
      const session = /^access-token=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1];
      if (session !== undefined) {
        await expect
          .poll(async () => (await other.request('GET', '/v2/me', { headers: cookie(session) })).status, {
            timeout: 5_000,
          })
          .toBe(401);
      }
    }
  });
});

describe('a redirect of a ticket', () => {
  const tricks = (host: string): string[] => [
    ...['//evil.example', '///evil.example', '////evil.example', '/\\evil.example', '\\/evil.example'],
    ...['\\\\evil.example', '/\t/evil.example', '/\n/evil.example', '/\r/evil.example', '\t//evil.example'],
    ...[
      ' //evil.example',
      '\u00a0//evil.example',
      '\u2028//evil.example',
      '/\u0000/evil.example',
      '/docs\u0000',
    ],
    ...[
      '/..//evil.example',
      '/.//evil.example',
      '/%2e%2e//evil.example',
      '/a/..//evil.example',
      '/./..//evil.example',
    ],
    ...['https://evil.example', 'https:evil.example', 'https:/evil.example', 'https:\\\\evil.example'],
    ...[
      'http:evil.example',
      'hTTps://evil.example/',
      'ftp://evil.example',
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
    ],
    ...['data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'blob:https://evil.example/x', 'about:blank'],
    ...[`http://${host}@evil.example/`, `http://evil.example\\@${host}/`, `http://user@${host}/docs`],
    ...[
      `http://${host}.evil.example/`,
      `http://${host}1/`,
      `https://${host}/docs`,
      `http://${host}//evil.example`,
    ],
    ...[
      'https://console.example.com.evil.example/',
      'https://console.example.com:444/',
      'http://console.example.com/',
    ],
    ...[
      'https://sub.console.example.com/',
      'https://pages.example.org/',
      'https://console。example.com@evil.example/',
    ],
    ...['docs', './docs', '../docs', '?next=/docs', '#docs', '', ' ', '.', '/docs ', ' /docs', '/\ud800'],
    ...[`/${'a'.repeat(2_100)}`, 'https://', 'https://?', 'https://#', 'https:///', '/\u0085evil'],
  ];

  it('is refused when the ticket is created, for every trick, and no ticket is created', async () => {
    const one = await signIn(app, owner.userId);
    const all = [...tricks(new URL(app.url).host), null, 1, ['/docs'], { url: '/docs' }, undefined];
    expect(all.length).toBeGreaterThan(40);
    for (const redirect of all) {
      const { status, body } = await mint(redirect, one);
      expect([redirect, status, body.error]).toEqual([redirect, 400, 'InvalidArguments']);
    }
    const rows = await app.sql('SELECT 1 FROM web_session_tickets WHERE session_id = $1', [one.sessionId]);
    expect(rows).toEqual([]);
  });

  it('is refused at the exchange for every trick, and the ticket stays valid', async () => {
    const ticket = await minted();
    for (const redirect of [
      ...tricks(new URL(app.url).host),
      '/elsewhere',
      '/docs/',
      '/docs?',
      '/docs#',
      `${CONSOLE}/docs`,
    ]) {
      const answer = await exchange(ticket, redirect);
      expect([redirect, answer.status]).toEqual([redirect, 400]);
      expectRefused(answer, 400, ticket);
    }
    await expectGood(ticket);
  });

  it('never leaves the allowed origins, and is the address in Location', async () => {
    const host = new URL(app.url).host;
    const piece = fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        '..',
        '.',
        '%2e',
        '%2f',
        '%5c',
        '@',
        ':',
        '\t',
        '\n',
        ' ',
        '?',
        '#',
        ';',
        'https:',
        'http:',
      ],
      ...[
        'https://',
        'http://',
        'evil.example',
        host,
        'console.example.com',
        PAGES,
        'docs',
        'é',
        '\u00ad',
        '\u3002',
        '\u0000',
      ],
    );
    const start = fc.constantFrom(
      '',
      '/',
      `${CONSOLE}`,
      `http://${host}`,
      `https://${PAGES}`,
      CONSOLE.toUpperCase(),
    );
    const text = fc
      .tuple(start, fc.array(piece, { maxLength: 7 }))
      .map(([first, rest]) => first + rest.join(''));
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(text, async redirect => {
        const { status, body } = await mint(redirect);
        expect([201, 400]).toContain(status);
        if (status === 400) return;
        accepted++;
        const link = new URL(body.url);
        expect(link.origin + link.pathname).toBe(`${app.url}/v2/user/webSession`);
        const answer = await app.request('GET', link.pathname + link.search);
        expect(answer.status).toBe(302);
        const target = new URL(answer.headers.get('location') as string);
        expect(ALLOWED(app)).toContain(target.origin);
        expect(target.href).toBe(link.searchParams.get('redirect'));
        expect(new URL(target.pathname, 'https://elsewhere.example').origin).toBe(
          'https://elsewhere.example',
        );
      }),
      { numRuns: 250 },
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
