import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../harness/app.js';
import { openBrowser, skipsBrowser } from '../harness/chromium.js';
import { insert } from '../harness/collection.js';
import { testPort } from '../harness/port.js';
import { buildClientBefore, newShelf, start } from './program.js';

buildClientBefore();

/** The address that the server of the page prints. */
async function serve(environment: Record<string, string>): Promise<string> {
  const server = start('live-list/serve.mjs', [], environment);
  await expect.poll(() => server.out).toMatch(/\n$/);
  return server.out.trim();
}

async function open(address: string, app: TestApp, token?: string): Promise<Page> {
  const context = await (await openBrowser()).newContext();
  if (token !== undefined) await context.addCookies([{ name: 'access-token', value: token, url: app.url }]);
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

const titles = (page: Page) => () => page.locator('#list li').allTextContents();
const connect = (page: Page) => page.getByRole('button', { name: 'Connect' }).click();

describe.skipIf(skipsBrowser)('the live list', () => {
  it('shows the records, adds one, and follows the changes of others', async () => {
    const { app, books, environment } = await newShelf();
    const [emma] = await insert(app, books, { title: 'Emma' });
    const page = await open(await serve({ TC_URL: app.url, PORT: '0' }), app);
    await page.getByLabel('Key').fill(environment.TC_KEY);
    await connect(page);
    await expect.poll(titles(page)).toEqual(['Emma']);
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Following changes.');

    await page.getByLabel('Title').fill('Ulysses');
    await page.getByRole('button', { name: 'Add' }).click();
    await expect.poll(titles(page)).toEqual(['Emma', 'Ulysses']);
    await insert(app, books, { title: '<b>Persuasion</b>' });
    await expect.poll(titles(page)).toEqual(['Emma', 'Ulysses', '<b>Persuasion</b>']);
    const body = { title: 'Emma, 2nd edition' };
    await app.request('PATCH', `${books.data}/${emma}`, { ...books.owner, body });
    await expect.poll(titles(page)).toEqual(['Emma, 2nd edition', 'Ulysses', '<b>Persuasion</b>']);
    await app.request('DELETE', `${books.data}/${emma}`, books.owner);
    await expect.poll(titles(page)).toEqual(['Ulysses', '<b>Persuasion</b>']);
  });

  it('shows why the service refuses a key', async () => {
    const { app } = await newShelf();
    const page = await open(await serve({ TC_URL: app.url, PORT: '0' }), app);
    await page.getByLabel('Key').fill('iak_wrong');
    await connect(page);
    await expect.poll(() => page.getByRole('status').textContent()).toMatch(/^UnauthorizedError: /);
  });

  it('uses the cookie of the service without a key, from an origin that the service trusts', async () => {
    const port = String(await testPort());
    const environment = { PLATFORM_ORIGINS: `http://localhost:${port}` };
    const app = await startOwnApp({ database: 'own', environment });
    try {
      const { books, home } = await newShelf(app);
      await insert(app, books, { title: 'Emma' });
      const page = await open(await serve({ TC_URL: app.url, PORT: port }), app, home.owner.token);
      await connect(page);
      await expect.poll(titles(page)).toEqual(['Emma']);
      await page.close();
    } finally {
      await app.close();
    }
  });
});

it('the server of the live list serves nothing outside of its two folders', async () => {
  const { origin } = new URL(await serve({ PORT: '0' }));
  const statuses = async (paths: string[]) =>
    Promise.all(paths.map(async path => (await fetch(origin + path)).status));
  expect(await statuses(['/', '/live-list.mjs', '/client/index.js'])).toEqual([200, 200, 200]);
  const outside = ['/../run.mjs', '/..%2frun.mjs', '/%2e%2e/run.mjs', '/client/..%2f..%2f..%2fpackage.json'];
  expect(await statuses([...outside, '//etc/passwd', '/none.js'])).toEqual([404, 404, 404, 404, 404, 404]);
});
