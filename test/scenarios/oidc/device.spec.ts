import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { events, type Person, person } from '../auth/person.js';
import { Browser, type Place } from './browser.js';
import { attempt, clientSettings, exchange, register, relyingParty, startOidcApp } from './client.js';

const CLIENT = 'typed-collections-cli';
const SCOPE = 'platform offline_access';

let app: TestApp;
let somebody: Person;
let config: oauth.Configuration;
beforeAll(async () => {
  app = await startOidcApp();
  somebody = await person(app);
  config = await relyingParty(app, CLIENT);
});

const begin = () => oauth.initiateDeviceAuthorization(config, { scope: SCOPE });

/** One poll of the token endpoint, without waiting for the interval. */
async function poll(device_code: string, client_id = CLIENT) {
  const answer = await fetch(`${app.url}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      ...{ device_code, client_id },
    }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

async function enter(browser: Browser, code: string): Promise<Place> {
  return browser.press(await browser.get(`${app.url}/oidc/device`), 'Continue', { user_code: code });
}

/** Signs in a device completely, in a browser where the person is signed in. */
async function approve(browser: Browser, code: string): Promise<Place> {
  const consent = await browser.press(await enter(browser, code), 'Continue');
  return browser.press(consent, 'Allow');
}

describe('the device flow', () => {
  it('signs in a device whose code a person enters and allows', async () => {
    const device = await begin();
    expect(device.user_code).toMatch(/^[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}$/);
    expect(device.expires_in).toBe(600);
    expect(device.verification_uri).toBe(`${app.url}/oidc/device`);
    expect(await poll(device.device_code)).toMatchObject({
      status: 400,
      body: { error: 'authorization_pending' },
    });
    const browser = Browser.of(app, somebody);
    const confirm = await enter(browser, device.user_code);
    expect(confirm.html).toContain('Typed Collections CLI');
    expect(confirm.html).toContain(device.user_code);
    expect(confirm.html).toContain('127.0.0.1');
    expect(confirm.html).toContain('the computer that runs this service');
    const consent = await browser.press(confirm, 'Continue');
    expect(consent.html).toContain('Do everything that you can do on this platform');
    expect(consent.html).toContain('The device that shows your code gets this access.');
    expect(await poll(device.device_code)).toMatchObject({ body: { error: 'authorization_pending' } });
    const done = await browser.press(consent, 'Allow');
    expect(done.html).toContain('<h1>Connected</h1>');

    const tokens = await oauth.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.1 });
    expect(tokens.refresh_token).toBeDefined();
    const me = await app.request('GET', '/v2/me', { token: tokens.access_token });
    expect(me).toMatchObject({ status: 200, body: { id: somebody.userId } });
    const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token as string);
    expect(refreshed.access_token).not.toBe(tokens.access_token);
    const { platformSessionId } = JSON.parse(
      Buffer.from(tokens.access_token.split('.')[1] as string, 'base64url').toString(),
    );
    expect(await events(app, platformSessionId)).toEqual(['sessions.created']);
  });

  it('accepts the code in lower case and without its dash', async () => {
    const device = await begin();
    const typed = device.user_code.toLowerCase().replace('-', ' ');
    expect((await approve(Browser.of(app, somebody), typed)).html).toContain('<h1>Connected</h1>');
  });

  it('asks for a sign-in in a browser where nobody is signed in', async () => {
    const device = await begin();
    const browser = new Browser(app);
    const page = await browser.press(await enter(browser, device.user_code), 'Continue');
    expect(page.html).toContain('<h1>Sign in</h1>');
    browser.signIn(somebody.token);
    const done = await browser.press(await browser.get(page.url), 'Allow');
    expect(done.html).toContain('<h1>Connected</h1>');
    expect((await poll(device.device_code)).status).toBe(200);
  });

  it('connects the person who is signed in now, after somebody else used the browser', async () => {
    const browser = Browser.of(app, await person(app));
    await approve(browser, (await begin()).user_code);
    browser.signIn(somebody.token);
    const device = await begin();
    expect((await approve(browser, device.user_code)).html).toContain('<h1>Connected</h1>');
    const { body } = await poll(device.device_code);
    expect((await app.request('GET', '/v2/me', { token: body.access_token })).body.id).toBe(somebody.userId);
  });

  it('opens with the code filled in from the complete address', async () => {
    const device = await begin();
    const browser = Browser.of(app, somebody);
    const page = await browser.get(device.verification_uri_complete as string);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(
      (
        await browser.press(
          { ...page, html: page.html.replace(/\s*<button autofocus/, '<button') },
          'Continue',
        )
      ).html,
    ).toContain(device.user_code);
  });

  it('gives nothing to a device that the person did not start', async () => {
    const device = await begin();
    const browser = Browser.of(app, somebody);
    const page = await browser.press(await enter(browser, device.user_code), 'I did not start this');
    expect(page.html).toContain('The device does not get access.');
    expect(await poll(device.device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } });
  });

  it('gives nothing to a device whose access the person does not allow', async () => {
    const device = await begin();
    const browser = Browser.of(app, somebody);
    const consent = await browser.press(await enter(browser, device.user_code), 'Continue');
    expect((await browser.press(consent, 'Do not allow')).html).toContain('The device does not get access.');
    expect(await poll(device.device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } });
  });

  it('accepts a user code once', async () => {
    const device = await begin();
    await approve(Browser.of(app, somebody), device.user_code);
    const again = await enter(Browser.of(app, await person(app)), device.user_code);
    expect(again.html).toContain('This code was used already.');
  });

  it('gives tokens for a device code once, and ends the access at a second use', async () => {
    const device = await begin();
    await approve(Browser.of(app, somebody), device.user_code);
    const first = await poll(device.device_code);
    expect(first.status).toBe(200);
    expect(await poll(device.device_code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const { access_token: token } = first.body;
    expect((await app.request('GET', '/v2/me', { token })).status).toBe(401);
  });

  it('refuses unknown codes, an empty code and the device code of another client', async () => {
    const browser = Browser.of(app, somebody);
    expect((await enter(browser, 'BBBB-BBBB')).html).toContain('This code is unknown or has expired.');
    expect((await enter(browser, '')).html).toContain('Enter the code that your device shows.');
    const device = await begin();
    expect(await poll(device.device_code, 'console')).toMatchObject({ status: 400 });
    expect((await poll(device.device_code)).body.error).toBe('authorization_pending');
  });

  it('refuses a form that was sent from somewhere else', async () => {
    const device = await begin();
    const browser = Browser.of(app, somebody);
    const page = await browser.get(`${app.url}/oidc/device`);
    const refused = await browser.press(page, 'Continue', {
      user_code: device.user_code,
      confirm: 'yes',
      xsrf: 'x',
    });
    expect(refused.html).toContain('This page was open for too long.');
    expect((await poll(device.device_code)).body.error).toBe('authorization_pending');
  });

  it('begins again in a browser that has not opened the page before', async () => {
    const { user_code } = await begin();
    const address = `${app.url}/oidc/device`;
    const form = { method: 'POST', body: new URLSearchParams({ user_code, xsrf: '' }) };
    for (const [url, init, cookie] of [
      [address, form, ''],
      [address, form, 'oidc-session=unknown'],
      [`${address}/unknown`, {}, ''],
    ] as const) {
      const answer = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/oidc/device']);
    }
  });

  it('shows its codes to nobody who reads the database', async () => {
    const device = await begin();
    const rows = await app.sql('SELECT * FROM oidc_payloads');
    const text = JSON.stringify(rows);
    expect(text).not.toContain(device.user_code.replace('-', ''));
    expect(text).not.toContain(device.device_code);
  });
});

describe('who may use the device flow', () => {
  it('refuses clients that registered themselves', async () => {
    const grant_types = ['urn:ietf:params:oauth:grant-type:device_code'];
    await expect(register(app, ['http://127.0.0.1/cb'], { grant_types })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
  });

  it('refuses clients of the platform that are not registered for it', async () => {
    const console_ = await relyingParty(app, 'console');
    await expect(oauth.initiateDeviceAuthorization(console_, { scope: SCOPE })).rejects.toMatchObject({
      error: 'invalid_request',
    });
  });
});

it('counts the codes that an address enters', async () => {
  const environment = { ...clientSettings(), RATE_LIMITS: 'on', RATE_LIMIT_DEVICE_CODES: '3' };
  const limited = await startOwnApp({ database: 'own', environment });
  const browser = new Browser(limited);
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++) {
    const page = await browser.get(`${limited.url}/oidc/device`);
    statuses.push((await browser.press(page, 'Continue', { user_code: 'BBBB-BBBB' })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
  await limited.close();
});

describe('the client of the command line', () => {
  it('signs in through a browser with a redirect to any port of the own machine', async () => {
    for (const redirect_uri of ['http://127.0.0.1:53121/', 'http://[::1]:8/', 'http://localhost:40000/']) {
      const { url, checks } = await attempt(config, { redirect_uri, scope: 'platform offline_access' });
      const browser = Browser.of(app, somebody);
      const { url: callback } = await browser.press(await browser.get(url), 'Allow');
      expect(callback.startsWith(redirect_uri)).toBe(true);
      const tokens = await exchange(config, callback, checks, { scope: 'platform offline_access' });
      expect(tokens.refresh_token).toBeDefined();
    }
  });

  it('is sent to no other machine', async () => {
    const { url } = await attempt(config, { redirect_uri: 'https://evil.example.com/', scope: 'platform' });
    expect((await Browser.of(app, somebody).get(url)).html).toContain('invalid_redirect_uri');
  });

  it('can be replaced by an entry of OIDC_CLIENTS_FILE', async () => {
    const own = { client_id: CLIENT, client_name: 'Ours', redirect_uris: ['https://ours.example.com/'] };
    const replaced = await startOwnApp({ database: 'own', environment: clientSettings([own]) });
    const there = await relyingParty(replaced, CLIENT);
    await expect(oauth.initiateDeviceAuthorization(there, { scope: SCOPE })).rejects.toMatchObject({
      error: 'invalid_request',
    });
    await replaced.close();
  });
});
