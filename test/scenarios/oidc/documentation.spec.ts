import { readFile } from 'node:fs/promises';
import * as oauth from 'openid-client';
import { expect, it } from 'vitest';
import { SETTINGS } from '../../../src/platform/config/settings.js';
import { examplesOf, filledIn, run, tablesOf } from '../../conformance/examples.js';
import { person } from '../auth/person.js';
import { Browser } from './browser.js';
import { register, startOidcApp } from './client.js';

const page = await readFile('docs/authorization-server.md', 'utf8');

it('docs/authorization-server.md states the actual answers of its commands', async () => {
  const { url } = await startOidcApp();
  const examples = examplesOf(page);
  const { printed } = await run(examples, { URL: url }, []);
  expect(examples.length).toBeGreaterThan(2);
  for (const [n, { commands, json, text }] of examples.entries()) {
    const real = printed[n]!.trim();
    if (json === undefined) expect(real, commands).toBe(text);
    else expect(JSON.parse(real), commands).toEqual(filledIn(json, JSON.parse(real)));
  }
});

it('the program in docs/authorization-server.md completes the flow with a generic library', async () => {
  const app = await startOidcApp();
  const [, program] = /^```js\n([\s\S]*?)^```/m.exec(page) as unknown as [string, string];
  const config = await register(app, ['https://reports.example.com/callback']);
  const browser = Browser.of(app, await person(app));
  const openInBrowser = async (url: URL) =>
    new URL((await browser.press(await browser.get(url), 'Allow')).url);
  const values = {
    ...{ oauth, openInBrowser, URL_OF_SERVICE: app.url, CLIENT_ID: config.clientMetadata().client_id },
    OPTIONS: { execute: [oauth.allowInsecureRequests] },
  };
  const body = `${program.replace(/^import .*$/m, '')} return { tokens, later };`;
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const { tokens, later } = await new AsyncFunction(...Object.keys(values), body)(...Object.values(values));
  expect(tokens.scope).toBe('collections:read');
  expect(later.refresh_token).not.toBe(tokens.refresh_token);
  expect((await app.request('POST', '/v1/mcp', { token: later.access_token, body: {} })).status).toBe(401);
});

it('the settings table in docs/authorization-server.md equals the code', () => {
  const rows = tablesOf(page).find(({ header }) => header[0] === 'Setting')?.rows ?? [];
  const settings = Object.assign({}, ...Object.values(SETTINGS)) as Record<string, { fallback: unknown }>;
  expect(rows).toHaveLength(7);
  for (const [name, value] of rows) {
    const { fallback } = settings[name!.replaceAll('`', '')]!;
    expect([name, value]).toEqual([
      name,
      Array.isArray(fallback) ? '' : expect.stringContaining(String(fallback)),
    ]);
  }
});
