import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../../builders/browser.js';
import { callbackOf, newAccount, startWorld, type World } from '../login/world.js';
import { attempt, clientSettings, relyingParty } from './client.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ environment: clientSettings() });
});
afterAll(() => world?.close());

it('a person whom only a provider knows signs in there and comes back to what an application asks', async () => {
  const { app, open } = world;
  const account = open.knows(newAccount());
  const browser = new Browser();
  const { url } = await attempt(await relyingParty(app));
  const interaction = await browser.openUntil(url.href, `${app.url}/oidc/interaction/`);
  const page = await (await browser.open(interaction)).text();
  const [, link] = /href="(\/v2\/login\?provider=open[^"]+)"/.exec(page) as unknown as [string, string];
  const begun = await browser.open(`${app.url}${link.replaceAll('&amp;', '&')}`);
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
