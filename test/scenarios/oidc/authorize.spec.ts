import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../app/app.js';
import { events, type Person, person, signIn } from '../auth/person.js';
import { newOrg } from '../orgs/org.js';
import { Browser } from './browser.js';
import {
  attempt,
  CALLBACK,
  clientSettings,
  connect,
  exchange,
  register,
  relyingParty,
  startOidcApp,
} from './client.js';

let app: TestApp;
let somebody: Person;
let config: Awaited<ReturnType<typeof relyingParty>>;
beforeAll(async () => {
  app = await startOidcApp();
  somebody = await person(app);
  config = await relyingParty(app);
});

/** What the authorization endpoint answers to a request that is wrong in one way. */
async function refused(change: (url: URL) => void, browser = Browser.of(app, somebody)) {
  const { url } = await attempt(config);
  change(url);
  return browser.get(url);
}

const answerOf = (address: string) => Object.fromEntries(new URL(address).searchParams);

describe('signing in', () => {
  it('takes a browser that is signed in straight to consent', async () => {
    const { url } = await attempt(config);
    const page = await Browser.of(app, somebody).get(url);
    expect(page.status).toBe(200);
    expect(page.html).toContain('Allow Console to connect?');
  });

  it('asks others to sign in, and goes on once they have', async () => {
    const browser = new Browser(app);
    const { url, checks } = await attempt(config);
    const page = await browser.get(url);
    expect(page.html).toContain('<h1>Sign in</h1>');
    expect(page.html).toContain('No sign-in provider is set up');
    browser.signIn(somebody.token);
    const consent = await browser.get(page.url);
    const { url: callback } = await browser.press(consent, 'Allow');
    expect((await exchange(config, callback, checks)).claims()?.sub).toBe(somebody.userId);
  });

  it('goes on after a one-time sign-in link was opened', async () => {
    const browser = new Browser(app);
    const { url } = await attempt(config);
    const page = await browser.get(url);
    const { body } = await app.request('POST', '/v2/user/webSessionTicket', {
      token: somebody.token,
      body: { redirect: new URL(page.url).pathname },
    });
    expect((await browser.get(body.url)).html).toContain('Allow Console to connect?');
  });

  it('lists the providers, each of which comes back here', async () => {
    const org = await newOrg(app);
    const slug = `idp-${org.slug}`;
    const provider = {
      slug,
      name: 'Acme & <b>Sons</b>',
      type: 'oidc',
      config: { issuer: 'https://idp.example.com', client_id: 'x', client_secret: 'y' },
    };
    const created = await app.request('POST', `${org.path}/auth/sso`, {
      token: org.owner.token,
      body: provider,
    });
    expect(created.status).toBe(201);
    const { url } = await attempt(config);
    const page = await new Browser(app).get(url);
    expect(page.html).toContain('Sign in with Acme &amp; &lt;b&gt;Sons&lt;/b&gt;');
    const redirect = encodeURIComponent(new URL(page.url).pathname);
    expect(page.html).toContain(`/v2/login?provider=${slug}&amp;redirect=${redirect}`);
    await app.request('DELETE', `${org.path}/auth/sso/${slug}`, { token: org.owner.token });
  });

  it('is not done by an anonymous user, a header or a third party’s token', async () => {
    const { body } = await app.request('POST', '/v2/login/anonymous');
    const { url } = await attempt(config);
    expect((await Browser.of(app, body).get(url)).html).toContain('<h1>Sign in</h1>');
    const tool = await register(app, ['https://tool.example.com/cb']);
    const { access_token } = await connect(tool, Browser.of(app, somebody), {
      redirect_uri: 'https://tool.example.com/cb',
    });
    expect((await Browser.of(app, { token: access_token }).get(url)).html).toContain('<h1>Sign in</h1>');
  });

  it('is not done by a token for one resource, of the platform’s own client either', async () => {
    const resource = `${app.url}/v1/mcp`;
    const all = { scope: 'openid platform', resource };
    const { access_token } = await connect(config, Browser.of(app, somebody), all);
    const { url } = await attempt(config);
    expect((await Browser.of(app, { token: access_token }).get(url)).html).toContain('<h1>Sign in</h1>');
  });

  it('is asked for again when the application wants a new one', async () => {
    const browser = Browser.of(app, somebody);
    const { url } = await attempt(config, { prompt: 'login' });
    await app.sql(`UPDATE sessions SET created_at = created_at - interval '1 minute' WHERE id = $1`, [
      somebody.sessionId,
    ]);
    const page = await browser.get(url);
    expect(page.html).toContain('<h1>Sign in</h1>');
    browser.signIn((await signIn(app, somebody.userId)).token);
    expect((await browser.get(page.url)).html).toContain('Allow Console to connect?');
  });

  it('is not asked for with prompt=none, which answers login_required', async () => {
    const { url } = await attempt(config, { prompt: 'none' });
    const { url: callback } = await new Browser(app).get(url);
    expect(answerOf(callback)).toMatchObject({ error: 'login_required', iss: `${app.url}/oidc` });
  });

  it('counts as over when the platform’s session is', async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    await connect(config, browser);
    await app.request('POST', '/v2/logout', { token: other.token });
    const { url } = await attempt(config);
    expect((await browser.get(url)).html).toContain('<h1>Sign in</h1>');
  });

  it('by somebody else begins anew: they are asked, and nothing of the first person’s is ended', async () => {
    const [first, second] = [await person(app), await person(app)];
    const browser = Browser.of(app, first);
    const { refresh_token } = await connect(config, browser);
    browser.signIn(second.token);
    const tokens = await connect(config, browser);
    expect(tokens.claims()?.sub).toBe(second.userId);
    const { scope } = await oauth.refreshTokenGrant(config, refresh_token as string);
    expect(scope).toContain('collections:read');
  });
});

describe('consent', () => {
  it('tells who asks, for what, and where the answer goes', async () => {
    const tool = await register(app, ['https://tool.example.com/cb'], { client_name: '<i>Tool</i>' });
    const { url } = await attempt(tool, {
      redirect_uri: 'https://tool.example.com/cb',
      scope: 'openid collections:read platform',
    });
    const { html, headers } = await Browser.of(app, somebody).get(url);
    expect(html).toContain('&lt;i&gt;Tool&lt;/i&gt;');
    expect(html).not.toContain('<i>');
    expect(html).toContain('<strong>tool.example.com</strong>');
    expect(html).toContain('Read the records of your collections');
    expect(html).toContain('not run by this platform');
    expect(html).not.toContain('Do everything');
    expect(html).not.toContain('change and delete');
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' https://tool.example.com;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('opens a session of the person for the application, on record and in their list', async () => {
    const other = await person(app);
    const { access_token } = await connect(config, Browser.of(app, other));
    const { body } = await app.request('GET', '/v2/user/sessions', { token: other.token });
    const opened = body.results.find(({ clientId }: { clientId: string }) => clientId === 'console');
    expect(opened).toMatchObject({ current: false });
    const { platformSessionId } = JSON.parse(atob(access_token.split('.')[1] as string));
    expect(opened.id).toBe(platformSessionId);
    expect(await events(app, opened.id)).toEqual(['sessions.created']);
  });

  it('given once is remembered in this browser, until more is asked for', async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    await connect(config, browser);
    const again = await browser.get((await attempt(config)).url);
    expect(answerOf(again.url).code).toBeDefined();
    const more = await browser.get((await attempt(config, { scope: 'openid collections:write' })).url);
    expect(more.html).toContain('Allow Console to connect?');
    expect((await Browser.of(app, other).get((await attempt(config)).url)).html).toContain('Allow Console');
  });

  it('is asked for each time by a program on the user’s machine, at whatever port', async () => {
    const tool = await register(app, ['http://127.0.0.1/cb']);
    const browser = Browser.of(app, somebody);
    for (const redirect_uri of ['http://127.0.0.1:50001/cb', 'http://127.0.0.1:50002/cb']) {
      const page = await browser.get((await attempt(tool, { redirect_uri })).url);
      expect(page.html).toContain('to connect?');
      expect((await browser.press(page, 'Allow')).url).toMatch(`${redirect_uri}?code=`);
    }
  });

  it('refused is told to the application, and opens nothing', async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    const { url, checks } = await attempt(config);
    const { url: callback } = await browser.press(await browser.get(url), 'Do not allow');
    expect(answerOf(callback)).toMatchObject({ error: 'access_denied', state: checks.expectedState });
    const sessions = await app.sql('SELECT client_id FROM sessions WHERE user_id = $1', [other.userId]);
    expect(sessions.map(({ client_id }) => client_id)).toEqual(['platform']);
  });

  it.each([
    ['without the token of the page', { csrf: '' }],
    ['with another one', { csrf: 'A'.repeat(43) }],
  ])('is not taken from a form %s', async (_, forged) => {
    const browser = Browser.of(app, await person(app));
    const page = await browser.get((await attempt(config)).url);
    const answer = await browser.press(page, 'Allow', forged);
    expect([answer.status, JSON.parse(answer.html).error]).toEqual([403, 'CsrfRefused']);
    expect((await browser.press(page, 'Allow')).url).toContain(`${CALLBACK}?code=`);
  });

  it('is not taken with the token of another person’s page, nor from another browser', async () => {
    const [one, two] = [Browser.of(app, await person(app)), Browser.of(app, await person(app))];
    const [theirs, ours] = [
      await one.get((await attempt(config)).url),
      await two.get((await attempt(config)).url),
    ];
    const csrf = /name="csrf" value="([^"]+)"/.exec(theirs.html)?.[1] as string;
    expect((await two.press(ours, 'Allow', { csrf })).status).toBe(403);
    expect((await two.press(theirs, 'Allow')).status).toBe(400);
    expect((await new Browser(app).get(theirs.url)).status).toBe(400);
  });

  it('is not taken when another person has signed in meanwhile', async () => {
    const browser = Browser.of(app, await person(app));
    const page = await browser.get((await attempt(config)).url);
    browser.signIn(somebody.token);
    const answer = await browser.press(page, 'Allow');
    expect([answer.status, answer.html.includes('Somebody else has signed in')]).toEqual([403, true]);
  });

  it('is a decision of one of two kinds', async () => {
    const browser = Browser.of(app, await person(app));
    const page = await browser.get((await attempt(config)).url);
    expect((await browser.press(page, 'Allow', { decision: 'perhaps' })).status).toBe(400);
  });
});

describe('an authorization request', () => {
  it.each<[string, (url: URL) => void]>([
    ['without PKCE', url => url.searchParams.delete('code_challenge')],
    ['with a plain challenge', url => url.searchParams.set('code_challenge_method', 'plain')],
  ])('%s is answered invalid_request, at the client’s address', async (_, change) => {
    const { url } = await refused(change);
    expect(url.startsWith(CALLBACK)).toBe(true);
    expect(answerOf(url)).toMatchObject({ error: 'invalid_request', iss: `${app.url}/oidc` });
    expect(answerOf(url)).not.toHaveProperty('code');
  });

  it.each([
    `${CALLBACK}/`,
    `${CALLBACK}?x=1`,
    `${CALLBACK}#x`,
    CALLBACK.toUpperCase(),
    'https://console.example.com.evil.example/callback',
    'https://console.example.com@evil.example/callback',
    'https://console.example.com:444/callback',
    'http://console.example.com/callback',
    'https://console.example.com/../callback',
    'https://evil.example/callback',
    '//console.example.com/callback',
    'javascript:alert(1)',
    '',
  ])('with the redirect "%s" is answered on a page, and leads nowhere', async redirect => {
    const place = await refused(url => url.searchParams.set('redirect_uri', redirect));
    expect(place.status).toBe(400);
    expect(new URL(place.url).origin).toBe(new URL(app.url).origin);
    expect(place.html).toContain('<h1>This did not work</h1>');
    expect(place.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it.each<[string, (url: URL) => void]>([
    ['two redirects', url => url.searchParams.append('redirect_uri', 'https://evil.example/cb')],
    ['two clients', url => url.searchParams.append('client_id', 'backend')],
    ['an unknown client', url => url.searchParams.set('client_id', 'nobody')],
    ['the platform itself as its client', url => url.searchParams.set('client_id', 'platform')],
    ['a client whose name would be markup', url => url.searchParams.set('client_id', '<script>')],
  ])('with %s is answered on a page', async (_, change) => {
    const place = await refused(change);
    expect(place.status).toBe(400);
    expect(place.html).not.toContain('<script');
  });

  it.each([
    ['unsupported_response_type', 'response_type', 'token'],
    ['unsupported_response_type', 'response_type', 'code id_token'],
    ['invalid_target', 'resource', 'https://other.example.com'],
    ['invalid_target', 'resource', '#x'],
  ])('is answered %s for %s=%s', async (error, name, value) => {
    const { url } = await refused(each => each.searchParams.set(name, value));
    const answer = new URL(url);
    expect(answer.searchParams.get('error') ?? new URLSearchParams(answer.hash.slice(1)).get('error')).toBe(
      error,
    );
  });

  it('does not believe its own Host header: what it leads to is PUBLIC_URL', async () => {
    const { url } = await attempt(config);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    });
    expect(response.headers.get('location')).toMatch(/^\/oidc\/interaction\//);
    expect(response.headers.getSetCookie().join()).not.toContain('evil.example');
  });

  it('gets cookies that no script reads, no other site sends, and that https keeps to itself', async () => {
    const { url } = await attempt(config);
    const own = await startOwnApp({
      database: 'own',
      environment: { ...clientSettings(), PUBLIC_URL: 'https://api.example.com' },
    });
    const { headers } = await own.request('GET', `/oidc/auth${url.search}`);
    const cookies = headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(1);
    for (const each of cookies) expect(each).toMatch(/path=\/oidc.*samesite=lax; secure; httponly$/i);
    await own.close();
  });

  it('answered by a form is sent on by a page that runs nothing but that', async () => {
    const browser = Browser.of(app, somebody);
    await connect(config, browser);
    const { url } = await attempt(config, { response_mode: 'form_post' });
    const { html, headers } = await browser.get(url);
    expect(html).toContain(`action="${CALLBACK}"`);
    const policy = headers.get('content-security-policy') as string;
    expect(policy).toMatch(/default-src 'none';script-src 'self' 'sha256-/);
    expect(policy).not.toContain('unsafe-inline');
  });
});
