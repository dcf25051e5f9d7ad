import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../../harness/browser.js';
import { type Person, person } from '../auth/person.js';
import { callbackOf, newAccount, startWorld, type World, whoIs } from '../login/world.js';
import { attempt, clientSettings, relyingParty } from './client.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ environment: clientSettings() });
});
afterAll(() => world?.close());

/**
 * The address of the interaction to which an application's request leads, and the address at which the sign-in page of the
 * console begins a sign-in at a provider.
 */
async function signInPage(browser: Browser, parameters: Record<string, string> = {}) {
  const { app } = world;
  const { url } = await attempt(await relyingParty(app), parameters);
  const interaction = await browser.openUntil(url.href, `${app.url}/oidc/interaction/`);
  const signIn = new URL((await browser.open(interaction)).headers.get('location') as string, app.url);
  expect(signIn.pathname).toBe('/console/sign-in');
  const redirect = signIn.searchParams.get('next') as string;
  const link = `${app.url}/v2/login?${new URLSearchParams({ provider: 'open', redirect })}`;
  return { interaction, link };
}

it('a person whom only a provider knows signs in there and returns to the consent page of the application', async () => {
  const { app, open } = world;
  const account = open.knows(newAccount());
  const browser = new Browser();
  const { interaction, link } = await signInPage(browser);
  const begun = await browser.open(link);
  const callback = await callbackOf(app, browser, begun.headers.get('location') as string, account.sub);
  const back = await browser.open(callback);
  expect(back.headers.get('location')).toBe(interaction);
  const resumed = await browser.open(interaction);
  const consent = await browser.openUntil(
    resumed.headers.get('location') as string,
    `${app.url}/oidc/interaction/`,
  );
  const text = await (await browser.open(consent)).text();
  expect(text).toContain('Allow Console to connect?');
  expect(text).toContain(`You are signed in as <strong>${account.email}</strong>`);
});

it('a sign-in for an application does not link the identity to the account signed in to the browser', async () => {
  const { app, open } = world;
  const planted: Person = await person(app);
  const account = open.knows(newAccount());
  const browser = new Browser();
  browser.set(app.url, 'access-token', planted.token);
  await app.sql(`UPDATE sessions SET created_at = created_at - interval '1 minute' WHERE id = $1`, [
    planted.sessionId,
  ]);
  const { link } = await signInPage(browser, { prompt: 'login' });
  const begun = await browser.open(link, { 'sec-fetch-site': 'same-origin' });
  const callback = await callbackOf(app, browser, begun.headers.get('location') as string, account.sub);
  expect((await browser.open(callback)).status).toBe(302);
  const { id, email } = await whoIs(app, browser);
  expect(email).toBe(account.email);
  expect(id).not.toBe(planted.userId);
});
