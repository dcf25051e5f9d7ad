import type { CDPSession, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { openBrowser, skipsBrowser } from '../../harness/chromium.js';
import { person } from '../auth/person.js';

/** What a page of the console does, with nothing but what browsers have. */
const SCRIPT = `
async function post(path, body = {}) {
  const answer = await fetch(path, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}
async function register(options = '/v2/user/passkeys/options', path = '/v2/user/passkeys', body) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON((await post(options, body)).body);
  return post(path, (await navigator.credentials.create({ publicKey })).toJSON());
}
async function logIn() {
  const { body } = await post('/v2/login/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(body);
  return post('/v2/login/passkey', (await navigator.credentials.get({ publicKey })).toJSON());
}
`;

/** Opens a page of the service in a browser with a virtual authenticator. */
async function pageWithAuthenticator(
  app: TestApp,
  test: (page: Page, authenticator: { cdp: CDPSession; authenticatorId: string }) => Promise<void>,
): Promise<void> {
  // The page has no scripts of its own, and its policy allows none.
  const page = await (await openBrowser()).newPage({ bypassCSP: true });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await page.goto(`${app.url}/health/live`);
  await test(page, { cdp, authenticatorId });
}

// A text, because vitest rewrites functions.
const run = (page: Page, code: string): Promise<unknown> =>
  page.evaluate(`(async () => { ${SCRIPT}; return ${code}; })()`);

it.skipIf(skipsBrowser)(
  'a page in Chromium registers a passkey, signs in with it, and cannot when the user is not verified',
  async () => {
    const app = await startOwnApp({ database: 'own' });
    try {
      await pageWithAuthenticator(app, async (page, { cdp, authenticatorId }) => {
        const { token, userId } = await person(app);
        const cookie = { name: 'access-token', value: token, url: app.url, httpOnly: true };
        await page.context().addCookies([cookie]);
        expect(await run(page, 'register()')).toMatchObject({ status: 201, body: { name: 'Passkey' } });
        await page.context().clearCookies();
        expect(await run(page, 'logIn()')).toEqual({ status: 200, body: { userId, active_org: null } });
        expect(await run(page, 'fetch("/v2/me").then(answer => answer.json())')).toMatchObject({
          id: userId,
        });
        const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
        expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);
        await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
        await expect(run(page, 'logIn()')).rejects.toThrow('NotAllowedError');
      });
    } finally {
      await app.close();
    }
  },
);
