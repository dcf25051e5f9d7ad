import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Person, person } from '../auth/person.js';
import { Browser, type Place } from './browser.js';
import { attempt, clientSettings, exchange, relyingParty } from './client.js';

let app: TestApp;
let somebody: Person;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment: clientSettings() });
  somebody = await person(app);
});
afterAll(() => app?.close());

/** The page to which the sign-in page of the console leads afterwards. */
function nextOf({ url }: Place): string {
  const { pathname, searchParams } = new URL(url);
  expect(pathname).toBe('/console/sign-in');
  expect(searchParams.get('again')).toBe('true');
  const next = searchParams.get('next') as string;
  expect(next).toMatch(/^\/oidc\/interaction\/[\w-]+$/);
  return next;
}

describe('somebody who must sign in for an application', () => {
  it('is sent to the sign-in page of the console, and from there to consent', async () => {
    const browser = new Browser(app);
    const config = await relyingParty(app);
    const { url, checks } = await attempt(config);
    const next = nextOf(await browser.get(url));
    browser.signIn(somebody.token);
    const { url: callback } = await browser.press(await browser.get(next), 'Allow');
    expect((await exchange(config, callback, checks)).claims()?.sub).toBe(somebody.userId);
  });

  it('is sent there again until the sign-in is good: by name, and recent if the application asks for it', async () => {
    const { body } = await app.request('POST', '/v2/login/anonymous');
    const config = await relyingParty(app);
    nextOf(await Browser.of(app, body).get((await attempt(config)).url));
    await app.sql(`UPDATE sessions SET created_at = created_at - interval '1 minute' WHERE id = $1`, [
      somebody.sessionId,
    ]);
    nextOf(await Browser.of(app, somebody).get((await attempt(config, { prompt: 'login' })).url));
  });

  it('approves a device after signing in', async () => {
    const config = await relyingParty(app, 'typed-collections-cli');
    const device = await oauth.initiateDeviceAuthorization(config, { scope: 'platform' });
    const browser = new Browser(app);
    const entered = await browser.press(await browser.get('/oidc/device'), 'Continue', {
      user_code: device.user_code,
    });
    const next = nextOf(await browser.press(entered, 'Continue'));
    browser.signIn(somebody.token);
    const done = await browser.press(await browser.get(next), 'Allow');
    expect(done.html).toContain('<h1>Connected</h1>');
  });

  it('is not led anywhere by a forged address of an interaction', async () => {
    for (const path of [
      '/oidc/interaction/https:%2F%2Fevil.example',
      '/oidc/interaction/%2F%2Fevil.example',
    ]) {
      const place = await new Browser(app).get(path);
      expect([place.status, place.headers.get('location')]).toEqual([400, null]);
      expect(place.html).toContain('The request has expired');
    }
  });
});
