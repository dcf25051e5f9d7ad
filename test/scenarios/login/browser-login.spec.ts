import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../harness/browser.js';
import { type Account, CLIENT_ID } from '../../harness/identity-provider.js';
import { cookie, events, MovedClock, signIn } from '../auth/person.js';
import { newOrg, newSlug } from '../orgs/org.js';
import {
  begun,
  callbackOf,
  logIn,
  newAccount,
  ownProvider,
  provider,
  startWorld,
  type World,
  whoIs,
} from './world.js';

const clock = new MovedClock();
let world: World;
beforeAll(async () => {
  world = await startWorld({
    clock,
    more: open => [{ ...provider('own-address', open), ownRedirectUri: true }],
  });
});
afterAll(() => world.close());

const start = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  world.app.request('GET', `/v2/login?${new URLSearchParams(query)}`, { headers });

const sessions = async () => (await world.app.sql('SELECT count(*)::int AS n FROM sessions'))[0].n;

/** A callback that would succeed. */
async function aboutToReturn(browser: Browser, provider: 'open' | 'closed' = 'open') {
  const account = world[provider].knows(newAccount());
  const signIn = await begun(world.app, browser, provider);
  return { account, url: new URL(await callbackOf(world.app, browser, signIn, account.sub)) };
}

describe('starting a login', () => {
  it('sends the browser to the provider with every value that binds the answer to it', async () => {
    const { app, open } = world;
    const answer = await start({ provider: 'open', redirect: '/docs' });
    expect(answer.status).toBe(302);
    const url = new URL(answer.headers.get('location') as string);
    expect(`${url.origin}${url.pathname}`).toBe(`${open.issuer}/auth`);
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
    expect(rest).toEqual({
      client_id: 'collections',
      redirect_uri: `${app.url}/v2/login/callback`,
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    for (const value of [state, nonce, code_challenge]) expect(value).toMatch(/^[\w-]{43}$/);
    expect(new Set([state, nonce, code_challenge]).size).toBe(3);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; Path=\/v2\/login\/callback; .*HttpOnly; SameSite=Lax$/);
    for (const value of [nonce, code_challenge, '/docs']) expect(cookie).not.toContain(value);
  });

  it('never uses the same secrets for two logins', async () => {
    const urls = await Promise.all([start({ provider: 'open' }), start({ provider: 'open' })]);
    const secrets = urls.map(({ headers }) => {
      const { searchParams } = new URL(headers.get('location') as string);
      return ['state', 'nonce', 'code_challenge'].map(name => searchParams.get(name));
    });
    expect(new Set(secrets.flat()).size).toBe(6);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    'https://evil.example/',
    'javascript:1',
    '',
  ])('refuses the redirect %j', async redirect => {
    const answer = await start({ provider: 'open', redirect });
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidArguments' } });
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('location')).toBeNull();
  });

  it('returns 404 for an unknown provider, and 400 without one', async () => {
    expect((await start({ provider: 'unknown' })).status).toBe(404);
    expect((await start({})).status).toBe(400);
    expect((await world.app.request('GET', '/v2/login?provider=open&provider=closed')).status).toBe(400);
  });
});

describe('a login through a provider', () => {
  it('sets the cookie of a new session and redirects to the requested address', async () => {
    const { app, open } = world;
    const ada = open.knows(newAccount({ given_name: 'Ada', family_name: 'Lovelace' }));
    const browser = new Browser();
    const answer = await logIn(world, 'open', ada, browser);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(`${app.url}/docs`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const attributes = answer.headers.getSetCookie().find(text => text.startsWith('access-token='));
    expect(attributes).toMatch(/; Path=\/; .*HttpOnly; SameSite=Lax$/);
    const me = await whoIs(app, browser);
    expect(me).toMatchObject({ email: ada.email, firstName: 'Ada', lastName: 'Lovelace', orgSlugs: [] });
    expect(await events(app, me.id)).toEqual(['users.created', 'identities.linked']);
    expect(await events(app, me.sessionId)).toEqual(['sessions.created']);
  });

  it('returns to the same user the next time, in another session', async () => {
    const ada = world.open.knows(newAccount());
    const [first, second] = [new Browser(), new Browser()];
    await logIn(world, 'open', ada, first);
    await logIn(world, 'open', ada, second);
    const [one, two] = [await whoIs(world.app, first), await whoIs(world.app, second)];
    expect(two.id).toBe(one.id);
    expect(two.sessionId).not.toBe(one.sessionId);
  });

  it('needs no exchange of tokens to be allowed', async () => {
    expect((await logIn(world, 'closed', world.closed.knows(newAccount()))).status).toBe(302);
  });

  it('works in two tabs at the same time', async () => {
    const browser = new Browser();
    const one = await aboutToReturn(browser);
    const two = await aboutToReturn(browser, 'closed');
    for (const { url } of [one, two]) expect((await browser.open(url.href)).status).toBe(302);
  });

  it('ends with the logout: the cookie is cleared and the session ended', async () => {
    const browser = new Browser();
    await logIn(world, 'open', world.open.knows(newAccount()), browser);
    const token = browser.cookie(world.app.url, 'access-token') as string;
    const headers = { ...cookie(token), 'sec-fetch-site': 'same-origin' };
    const answer = await world.app.request('POST', '/v2/logout', { headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(/^access-token=; .*Expires=Thu, 01 Jan 1970/);
    expect((await world.app.request('GET', '/v2/me', { token })).status).toBe(401);
  });

  it('is refused to a disabled account', async () => {
    const ada = world.open.knows(newAccount());
    const browser = new Browser();
    await logIn(world, 'open', ada, browser);
    const { id } = await whoIs(world.app, browser);
    await world.app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [id]);
    const before = await sessions();
    const again = await logIn(world, 'open', ada);
    expect(again.status).toBe(403);
    expect(again.headers.getSetCookie().join()).not.toContain('access-token=');
    expect(await sessions()).toBe(before);
  });

  it('of a provider with an organization leads to that organization, or fails', async () => {
    const browser = new Browser();
    await logIn(world, 'staff', world.staff.knows(newAccount()), browser);
    expect(await whoIs(world.app, browser)).toMatchObject({
      orgSlugs: ['default'],
      org: { slug: 'default', role: { slug: 'member' } },
    });
  });
});

describe("a callback that does not answer this browser's login", () => {
  /** Opens the callback and expects exactly a 400. */
  async function expectRefused(browser: Browser, url: URL): Promise<void> {
    const before = await sessions();
    const answer = await browser.open(url.href);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'InvalidArguments' });
    expect(answer.headers.getSetCookie().join()).not.toContain('access-token=');
    expect(answer.headers.get('location')).toBeNull();
    expect(await sessions()).toBe(before);
  }

  it('is refused in another browser, and stays valid in the right one', async () => {
    const browser = new Browser();
    const { url } = await aboutToReturn(browser);
    await expectRefused(new Browser(), url);
    expect((await browser.open(url.href)).status).toBe(302);
  });

  it('is refused with the state of a login that another browser started', async () => {
    const [mine, theirs] = [new Browser(), new Browser()];
    const { url } = await aboutToReturn(mine);
    const other = await aboutToReturn(theirs);
    url.searchParams.set('state', other.url.searchParams.get('state') as string);
    await expectRefused(mine, url);
  });

  it.each([
    ['without a state', (url: URL) => url.searchParams.delete('state')],
    ['with two states', (url: URL) => url.searchParams.append('state', 'x'.repeat(43))],
    ['with another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['without a code', (url: URL) => url.searchParams.delete('code')],
    ['with two codes', (url: URL) => url.searchParams.append('code', 'x'.repeat(43))],
    ['with another code', (url: URL) => url.searchParams.set('code', 'x'.repeat(43))],
    ['without the issuer, which the provider always sends', (url: URL) => url.searchParams.delete('iss')],
    ['with the issuer of another provider', (url: URL) => url.searchParams.set('iss', world.closed.issuer)],
    ['with two issuers', (url: URL) => url.searchParams.append('iss', world.closed.issuer)],
    ['with an error', (url: URL) => url.searchParams.set('error', 'access_denied')],
    ['with an id_token beside the code', (url: URL) => url.searchParams.set('id_token', 'x.y.z')],
  ])('is refused %s', async (_, spoil) => {
    const browser = new Browser();
    const { url } = await aboutToReturn(browser);
    spoil(url);
    await expectRefused(browser, url);
  });

  it('that is refused leads a browser on to the sign-in page of the console, which knows why and what was asked for', async () => {
    const browser = new Browser();
    const { account } = await aboutToReturn(browser);
    const signIn = await begun(world.app, browser, 'open', '/console/collections/a');
    const url = new URL(await callbackOf(world.app, browser, signIn, account.sub));
    url.searchParams.set('error', 'access_denied');
    const answer = await browser.open(url.href, { accept: 'text/html' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('refresh')).toBe(
      '0; url=/console/sign-in?next=%2Fconsole%2Fcollections%2Fa&failed=provider&error=InvalidArguments',
    );
    const unknown = await start({ provider: 'nowhere', redirect: '//evil.example' }, { accept: 'text/html' });
    expect(unknown.status).toBe(400);
    expect(unknown.headers.get('refresh')).toBe(
      '0; url=/console/sign-in?failed=provider&error=InvalidArguments',
    );
  });

  it('is refused with the code of another provider', async () => {
    const browser = new Browser();
    const { url } = await aboutToReturn(browser);
    const other = await aboutToReturn(browser, 'closed');
    url.searchParams.set('code', other.url.searchParams.get('code') as string);
    await expectRefused(browser, url);
  });

  it('is refused when another provider answers', async () => {
    const browser = new Browser();
    const { url } = await aboutToReturn(browser);
    const other = await aboutToReturn(browser, 'closed');
    for (const name of ['code', 'iss']) {
      url.searchParams.set(name, other.url.searchParams.get(name) as string);
    }
    await expectRefused(browser, url);
  });

  it.each(['nonce', 'code_challenge'])(
    'is refused when the provider was asked with another %s',
    async name => {
      const browser = new Browser();
      const { sub } = world.open.knows(newAccount());
      const signIn = new URL(await begun(world.app, browser, 'open'));
      signIn.searchParams.set(name, 'x'.repeat(43));
      const callback = await callbackOf(world.app, browser, signIn.href, sub);
      await expectRefused(browser, new URL(callback));
    },
  );

  it('is refused the second time, also in a browser that kept its cookie', async () => {
    const browser = new Browser();
    const { url } = await aboutToReturn(browser);
    const [name, value] = browser.cookiesFor(url).split('=') as [string, string];
    expect(name).toMatch(/^login-/);
    expect((await browser.open(url.href)).status).toBe(302);
    expect(browser.cookie(url.href, name)).toBeUndefined();
    await expectRefused(browser, url);
    const thief = new Browser();
    thief.set(url.href, name, value);
    await expectRefused(thief, url);
  });

  it('is refused when the cookie was changed, is repeated, or belongs to another login', async () => {
    const browser = new Browser();
    const { url } = await aboutToReturn(browser);
    await aboutToReturn(browser);
    const [[name, value], [, otherValue]] = browser
      .cookiesFor(url)
      .split('; ')
      .map(pair => pair.split('=')) as [[string, string], [string, string]];
    expect(value).not.toBe(otherValue);
    for (const cookie of [
      `${name}=${value.slice(0, -2)}AA`,
      `${name}=${otherValue}`,
      `${name}=${value}; ${name}=${otherValue}`,
      `${name}=`,
    ]) {
      const answer = await world.app.request('GET', `${url.pathname}${url.search}`, { headers: { cookie } });
      expect(answer.status).toBe(400);
      expect(answer.headers.getSetCookie().join()).not.toContain('access-token=');
    }
  });

  it('is refused when the provider was disabled in the meantime', async () => {
    const org = await newOrg(world.app);
    const slug = await ownProvider(world, org);
    const { sub } = world.foreign.knows(newAccount());
    const browser = new Browser();
    const url = await callbackOf(world.app, browser, await begun(world.app, browser, slug), sub);
    const { slug: _, ...body } = provider(slug, world.foreign.issuer);
    const disabled = { token: org.owner.token, body: { ...body, enabled: false } };
    expect((await world.app.request('PUT', `${org.path}/auth/sso/${slug}`, disabled)).status).toBe(200);
    await expectRefused(browser, new URL(url));
  });

  it('is not accepted as HEAD, which uses nothing up, or as POST', async () => {
    const browser = new Browser();
    const { url } = await aboutToReturn(browser);
    const headers = { cookie: browser.cookiesFor(url) };
    for (const method of ['HEAD', 'POST']) {
      const answer = await world.app.request(method, `${url.pathname}${url.search}`, { headers });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    expect((await browser.open(url.href)).status).toBe(302);
  });
});

describe('the redirect URI of a provider', () => {
  it('of an organization is its own; a callback to that of another provider is refused', async () => {
    const { app, foreign } = world;
    const slug = await ownProvider(world, await newOrg(app));
    const { sub } = foreign.knows(newAccount());
    const browser = new Browser();
    const signIn = await begun(app, browser, slug);
    const own = `/v2/login/callback/${slug}`;
    expect(new URL(signIn).searchParams.get('redirect_uri')).toBe(`${app.url}${own}`);
    const url = new URL(await callbackOf(app, browser, signIn, sub));
    expect(url.pathname).toBe(own);
    const cookie = browser.cookiesFor(url);
    for (const path of ['/v2/login/callback', '/v2/login/callback/open', `${own}/`]) {
      const answer = await app.request('GET', `${path}${url.search}`, { headers: { cookie } });
      expect(answer.status).toBe(400);
      expect(answer.headers.getSetCookie().join()).not.toContain('access-token=');
    }
    expect((await browser.open(url.href)).status).toBe(302);
  });

  it('keeps a provider from getting codes that another one issues for the client of the service', async () => {
    const { app, open, foreign } = world;
    const org = await newOrg(app);
    const slug = await ownProvider(world, org, {
      config: {
        ...{ issuer: foreign.issuer, client_id: CLIENT_ID },
        ...{ authorization_endpoint: `${open.issuer}/auth`, token_endpoint: `${foreign.issuer}/token` },
      },
    });
    const { sub } = open.knows(newAccount());
    const signIn = await begun(app, new Browser(), slug);
    expect(signIn.startsWith(`${open.issuer}/auth?`)).toBe(true);
    const answer = await fetch(`${signIn}&login_hint=${sub}`, { redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('redirect_uri');
  });

  it('of an entry of the file is its own only if the entry says so', async () => {
    const signIn = new URL(await begun(world.app, new Browser(), 'own-address'));
    expect(signIn.searchParams.get('redirect_uri')).toBe(`${world.app.url}/v2/login/callback/own-address`);
  });
});

describe('a login by a signed-in user', () => {
  async function anonymous() {
    const { body } = await world.app.request('POST', '/v2/login/anonymous');
    const browser = new Browser();
    browser.set(world.app.url, 'access-token', body.token);
    return { userId: body.userId as string, token: body.token as string, browser };
  }

  it('who is anonymous keeps the user id; the anonymous sessions end', async () => {
    const { userId, token, browser } = await anonymous();
    const ada = world.open.knows(newAccount({ given_name: 'Ada' }));
    expect((await logIn(world, 'open', ada, browser)).status).toBe(302);
    expect(await whoIs(world.app, browser)).toMatchObject({ id: userId, email: ada.email, firstName: 'Ada' });
    expect((await world.app.request('GET', '/v2/me', { token })).status).toBe(401);
    const [user] = await world.app.sql('SELECT anonymous, email_verified FROM users WHERE id = $1', [userId]);
    expect(user).toEqual({ anonymous: false, email_verified: true });
    expect(await events(world.app, userId)).toEqual(['users.created', 'users.updated', 'identities.linked']);
    // The user is named now and may do what anonymous users may not.
    const body = { slug: newSlug(), name: 'Mine' };
    const named = browser.cookie(world.app.url, 'access-token') as string;
    expect((await world.app.request('POST', '/v2/orgs', { token: named, body })).status).toBe(201);
  });

  it('who joined an organization anonymously is an ordinary member of it only by its own provider', async () => {
    const { accessToken: token } = world.app.bootstrap;
    const auth = { anonymous: { enabled: true, role: 'member' } };
    await world.app.request('PATCH', '/v2/orgs/default', { token, body: { auth } });
    const body = { orgSlug: 'default' };
    const seen = [];
    for (const provider of ['open', 'staff'] as const) {
      const visitor = (await world.app.request('POST', '/v2/login/anonymous', { body })).body;
      const browser = new Browser();
      browser.set(world.app.url, 'access-token', visitor.token);
      const person = world[provider].knows(newAccount());
      expect((await logIn(world, provider, person, browser)).status).toBe(302);
      const named = browser.cookie(world.app.url, 'access-token') as string;
      const { id } = await whoIs(world.app, browser);
      const list = await world.app.request('GET', '/v2/orgs/default/members', { token: named });
      seen.push([provider, id === visitor.userId, list.status]);
    }
    expect(seen).toEqual([
      ['open', true, 403],
      ['staff', true, 200],
    ]);
  });

  it('who is anonymous results in one user, however many concurrent logins use the session', async () => {
    const { userId, token } = await anonymous();
    const people = Array.from({ length: 5 }, () => world.open.knows(newAccount()));
    const browsers = people.map(() => new Browser());
    const callbacks = await Promise.all(
      browsers.map(async (browser, index) => {
        browser.set(world.app.url, 'access-token', token);
        const signIn = await begun(world.app, browser, 'open');
        return callbackOf(world.app, browser, signIn, (people[index] as Account).sub);
      }),
    );
    await Promise.all(browsers.map((browser, index) => browser.open(callbacks[index] as string)));
    const all = await Promise.all(browsers.map(browser => whoIs(world.app, browser)));
    expect(all.map(({ email }) => email)).toEqual(people.map(({ email }) => email));
    expect(all.filter(({ id }) => id === userId)).toHaveLength(1);
  });

  it('who is anonymous switches to the account of the identity, if there is one', async () => {
    const ada = world.open.knows(newAccount());
    const before = new Browser();
    await logIn(world, 'open', ada, before);
    const { userId, browser } = await anonymous();
    await logIn(world, 'open', ada, browser);
    expect((await whoIs(world.app, browser)).id).toBe((await whoIs(world.app, before)).id);
    const [user] = await world.app.sql('SELECT anonymous FROM users WHERE id = $1', [userId]);
    expect(user.anonymous).toBe(true);
  });

  it('who is anonymous switches to the account of the verified address, if there is one', async () => {
    const ada = world.open.knows(newAccount());
    const before = new Browser();
    await logIn(world, 'open', ada, before);
    const { browser } = await anonymous();
    await logIn(world, 'closed', world.closed.knows(newAccount({ email: ada.email })), browser);
    expect((await whoIs(world.app, browser)).id).toBe((await whoIs(world.app, before)).id);
  });

  it('links the identity to their account, whatever its address', async () => {
    const browser = new Browser();
    await logIn(world, 'open', world.open.knows(newAccount()), browser);
    const { id, email } = await whoIs(world.app, browser);
    const second = world.closed.knows(newAccount());
    await logIn(world, 'closed', second, browser);
    expect(await whoIs(world.app, browser)).toMatchObject({ id, email });
    const elsewhere = new Browser();
    await logIn(world, 'closed', second, elsewhere);
    expect(await whoIs(world.app, elsewhere)).toMatchObject({ id, email });
  });

  it.each(['cross-site', 'same-site', 'none'])(
    'links nothing when a browser was led to the login from elsewhere: %s',
    async site => {
      const { app, closed } = world;
      const browser = new Browser();
      await logIn(world, 'open', world.open.knows(newAccount()), browser);
      const { id } = await whoIs(app, browser);
      const planted = closed.knows(newAccount());
      const led = await browser.open(`${app.url}/v2/login?provider=closed`, { 'sec-fetch-site': site });
      const url = await callbackOf(app, browser, led.headers.get('location') as string, planted.sub);
      await browser.open(url);
      expect((await whoIs(app, browser)).id).not.toBe(id);
    },
  );

  it('is treated as one without a session when the session ends before the login does', async () => {
    const { app, closed } = world;
    const browser = new Browser();
    await logIn(world, 'open', world.open.knows(newAccount()), browser);
    const { id } = await whoIs(app, browser);
    const { sub } = closed.knows(newAccount());
    const url = await callbackOf(app, browser, await begun(app, browser, 'closed'), sub);
    const token = browser.cookie(app.url, 'access-token') as string;
    expect((await app.request('POST', '/v2/logout', { token })).status).toBe(204);
    await browser.open(url);
    expect((await whoIs(app, browser)).id).not.toBe(id);
  });

  it('with an invalid credential succeeds as without one', async () => {
    const browser = new Browser();
    browser.set(world.app.url, 'access-token', 'x.y.z');
    expect((await logIn(world, 'open', world.open.knows(newAccount()), browser)).status).toBe(302);
  });

  it('can also start with the JWT in the header', async () => {
    const { token, userId } = await signIn(world.app, world.app.bootstrap.userId);
    const answer = await start({ provider: 'open' }, { authorization: `Bearer ${token}` });
    const browser = new Browser();
    const [cookie = ''] = answer.headers.getSetCookie();
    const [name = '', value = ''] = (cookie.split(';')[0] as string).split('=');
    browser.set(world.app.url, name, value);
    const { sub } = world.open.knows(newAccount());
    await browser.open(await callbackOf(world.app, browser, answer.headers.get('location') as string, sub));
    expect((await whoIs(world.app, browser)).id).toBe(userId);
  });
});

describe('limits of browser login', () => {
  it('count started logins by their source, across all instances', async () => {
    const environment = { RATE_LIMITS: 'on', RATE_LIMIT_LOGIN: '3' };
    const [one, two] = await Promise.all([world.another(environment), world.another(environment)]);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => (n % 2 ? one : two).request('GET', '/v2/login?provider=open')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 302, 302, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.headers.get('set-cookie')).toBeNull();
  });

  it('count callbacks by their source, before the provider is called', async () => {
    const limited = await world.another({ RATE_LIMITS: 'on', RATE_LIMIT_LOGIN: '2' });
    const callback = () => limited.request('GET', `/v2/login/callback?code=x&state=${'x'.repeat(43)}`);
    const answers = [await callback(), await callback(), await callback()];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 429]);
  });

  it('allow ten minutes to sign in at the provider', async () => {
    const browser = new Browser();
    const { url } = await aboutToReturn(browser);
    clock.move(601);
    expect((await browser.open(url.href)).status).toBe(400);
    expect(browser.cookie(world.app.url, 'access-token')).toBeUndefined();
  });
});
