import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
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

/** The answer of the authorization endpoint to a request with one error. */
async function refused(change: (url: URL) => void, browser = Browser.of(app, somebody)) {
  const { url } = await attempt(config);
  change(url);
  return browser.get(url);
}

const answerOf = (address: string) => Object.fromEntries(new URL(address).searchParams);

describe('signing in', () => {
  it('continues directly to consent in a browser that is signed in', async () => {
    const { url } = await attempt(config);
    const page = await Browser.of(app, somebody).get(url);
    expect(page.status).toBe(200);
    expect(page.html).toContain('Allow Console to connect?');
  });

  it('is requested in other browsers, and leads on to consent', async () => {
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

  it('continues after a one-time sign-in link was opened', async () => {
    const browser = new Browser(app);
    const { url } = await attempt(config);
    const page = await browser.get(url);
    const { body } = await app.request('POST', '/v2/user/webSessionTicket', {
      token: somebody.token,
      body: { redirect: new URL(page.url).pathname },
    });
    expect((await browser.get(body.url)).html).toContain('Allow Console to connect?');
  });

  it('lists the providers, each of which returns to this page', async () => {
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

  it("is not possible with an anonymous user, a header or a third party's token", async () => {
    const { body } = await app.request('POST', '/v2/login/anonymous');
    const { url } = await attempt(config);
    expect((await Browser.of(app, body).get(url)).html).toContain('<h1>Sign in</h1>');
    const tool = await register(app, ['https://tool.example.com/cb']);
    const { access_token } = await connect(tool, Browser.of(app, somebody), {
      redirect_uri: 'https://tool.example.com/cb',
    });
    expect((await Browser.of(app, { token: access_token }).get(url)).html).toContain('<h1>Sign in</h1>');
  });

  it("is not possible with a token for one resource, even of the platform's own client", async () => {
    const resource = `${app.url}/v1/mcp`;
    const all = { scope: 'openid platform', resource };
    const { access_token } = await connect(config, Browser.of(app, somebody), all);
    const { url } = await attempt(config);
    expect((await Browser.of(app, { token: access_token }).get(url)).html).toContain('<h1>Sign in</h1>');
  });

  it('is requested again if the application asks for a new one', async () => {
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

  it('is not requested with prompt=none, which answers login_required', async () => {
    const { url } = await attempt(config, { prompt: 'none' });
    const { url: callback } = await new Browser(app).get(url);
    expect(answerOf(callback)).toMatchObject({ error: 'login_required', iss: `${app.url}/oidc` });
  });

  it('ends with the session of the platform', async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    await connect(config, browser);
    await app.request('POST', '/v2/logout', { token: other.token });
    const { url } = await attempt(config);
    expect((await browser.get(url)).html).toContain('<h1>Sign in</h1>');
  });

  it("of another person starts again with consent, and ends nothing of the first person's", async () => {
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
  it('shows which application asks, for what, and where the answer goes', async () => {
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

  it('opens a session of the person for the application, in the audit log and in their list', async () => {
    const other = await person(app);
    const { access_token } = await connect(config, Browser.of(app, other));
    const { body } = await app.request('GET', '/v2/user/sessions', { token: other.token });
    const opened = body.results.find(({ clientId }: { clientId: string }) => clientId === 'console');
    expect(opened).toMatchObject({ current: false });
    const { platformSessionId } = JSON.parse(atob(access_token.split('.')[1] as string));
    expect(opened.id).toBe(platformSessionId);
    expect(await events(app, opened.id)).toEqual(['sessions.created']);
  });

  it('is remembered in this browser until the application asks for more', async () => {
    const other = await person(app);
    const browser = Browser.of(app, other);
    await connect(config, browser);
    const again = await browser.get((await attempt(config)).url);
    expect(answerOf(again.url).code).toBeDefined();
    const more = await browser.get((await attempt(config, { scope: 'openid collections:write' })).url);
    expect(more.html).toContain('Allow Console to connect?');
    expect((await Browser.of(app, other).get((await attempt(config)).url)).html).toContain('Allow Console');
  });

  it("is requested every time by a program on the user's machine, on any port", async () => {
    const tool = await register(app, ['http://127.0.0.1/cb']);
    const browser = Browser.of(app, somebody);
    for (const redirect_uri of ['http://127.0.0.1:50001/cb', 'http://127.0.0.1:50002/cb']) {
      const page = await browser.get((await attempt(tool, { redirect_uri })).url);
      expect(page.html).toContain('to connect?');
      expect((await browser.press(page, 'Allow')).url).toMatch(`${redirect_uri}?code=`);
    }
  });

  it('that is refused is reported to the application, and opens no session', async () => {
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
    ['with another token', { csrf: 'A'.repeat(43) }],
  ])('is refused from a form %s', async (_, forged) => {
    const browser = Browser.of(app, await person(app));
    const page = await browser.get((await attempt(config)).url);
    const answer = await browser.press(page, 'Allow', forged);
    expect([answer.status, JSON.parse(answer.html).error]).toEqual([403, 'CsrfRefused']);
    expect((await browser.press(page, 'Allow')).url).toContain(`${CALLBACK}?code=`);
  });

  it("is refused with the token of another person's page, and from another browser", async () => {
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

  it('is refused when another person has signed in since', async () => {
    const browser = Browser.of(app, await person(app));
    const page = await browser.get((await attempt(config)).url);
    browser.signIn(somebody.token);
    const answer = await browser.press(page, 'Allow');
    expect([answer.status, answer.html.includes('Another user has signed in')]).toEqual([403, true]);
  });

  it('must be one of two decisions', async () => {
    const browser = Browser.of(app, await person(app));
    const page = await browser.get((await attempt(config)).url);
    expect((await browser.press(page, 'Allow', { decision: 'perhaps' })).status).toBe(400);
  });
});

describe('an authorization request', () => {
  it.each<[string, (url: URL) => void]>([
    ['without PKCE', url => url.searchParams.delete('code_challenge')],
    ['with a plain challenge', url => url.searchParams.set('code_challenge_method', 'plain')],
  ])("%s gets invalid_request at the client's redirect address", async (_, change) => {
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
  ])('with the redirect "%s" gets an error page without a redirect', async redirect => {
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
  ])('with %s gets an error page', async (_, change) => {
    const place = await refused(change);
    expect(place.status).toBe(400);
    expect(place.html).not.toContain('<script');
  });

  it.each([
    ['unsupported_response_type', 'response_type', 'token'],
    ['unsupported_response_type', 'response_type', 'code id_token'],
    ['invalid_target', 'resource', 'https://other.example.com'],
    ['invalid_target', 'resource', '#x'],
  ])('gets %s for %s=%s', async (error, name, value) => {
    const { url } = await refused(each => each.searchParams.set(name, value));
    const answer = new URL(url);
    expect(answer.searchParams.get('error') ?? new URLSearchParams(answer.hash.slice(1)).get('error')).toBe(
      error,
    );
  });

  it('does not use its Host header: all addresses begin with PUBLIC_URL', async () => {
    const { url } = await attempt(config);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    });
    expect(response.headers.get('location')).toMatch(/^\/oidc\/interaction\//);
    expect(response.headers.getSetCookie().join()).not.toContain('evil.example');
  });

  it('gets cookies that are invisible to scripts and other sites, and with https limited to https', async () => {
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

  it('with response_mode=form_post is answered by a page that runs only the script to submit the form', async () => {
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
