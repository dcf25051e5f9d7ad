import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome } from '../../harness/collection.js';
import { newMember } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';

async function newBooks(app: TestApp, home: Home) {
  const books = await newCollection(app, home, {
    properties: { title: { type: 'text' }, year: { type: 'integer' } },
  });
  const ids = await insert(app, books, { title: 'Emma', year: 1815 }, { title: 'Ulysses', year: 1922 });
  const request = async (method: string, path: string, body?: object) => {
    const { status, text } = await app.request(method as 'POST', `${books.data}${path}`, {
      ...books.owner,
      body,
    });
    if (status !== 200) throw new Error(`${method} ${path}: ${text}`);
  };
  return {
    ...books,
    ids: ids as [string, string],
    add: (title: string) => request('POST', '', { records: { title, year: 2000 } }),
    rename: (id: string, title: string) => request('PATCH', `/${id}`, { title }),
    remove: (id: string) => request('DELETE', `/${id}`),
  };
}

/** Counts the streams that the pages of a browser open. */
function countStreams(page: Page): { all: number; open: number } {
  const streams = { all: 0, open: 0 };
  const isStream = (headers: Record<string, string>) => headers.accept === 'text/event-stream';
  const context = page.context();
  context.on('request', request => {
    if (!isStream(request.headers())) return;
    streams.all += 1;
    streams.open += 1;
  });
  const ended = (request: { headers: () => Record<string, string> }) => {
    if (isStream(request.headers())) streams.open -= 1;
  };
  context.on('requestfinished', ended);
  context.on('requestfailed', ended);
  return streams;
}

/** A browser that was asked once about a collection is not asked again. */
async function switchOn(page: Page, { asks = true } = {}): Promise<void> {
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  if (asks) {
    const question = page.getByRole('dialog', { name: 'Show changes as they come?' });
    await question.getByRole('button', { name: 'Switch on' }).click();
  }
  await isLive(page);
}

async function isLive(page: Page): Promise<void> {
  await page
    .getByRole('status')
    .filter({ hasText: 'Changes are shown as they come.' })
    .waitFor({ state: 'attached' });
}

const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true });

/** Makes a page hidden or visible, as its browser does when another tab comes to the front. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));`);
}

describe('live changes', () => {
  test('are off until somebody switches them on, knowing what they cost', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newBooks(app, home);
    const page = await visit('/collections', { as: home.owner });
    const requests: string[] = [];
    page.on('request', request => requests.push(request.url()));
    await page.goto(`${app.url}/console/collections/${books.name}`);
    await cell(page, 'Emma').waitFor();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await page.getByRole('dialog').getByText('Every write then also stores its change').waitFor();
    await expectAccessible(page);
    expect(requests.filter(url => url.includes('/changes'))).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('button', { name: 'Live', exact: true }).getAttribute('aria-pressed')).toBe(
      'false',
    );
  });

  test('change rows in place, mark deleted ones, and announce new ones', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newBooks(app, home);
    const page = await visit(`/collections/${books.name}`, { as: home.owner });
    await switchOn(page);
    await books.rename(books.ids[0], 'Emma Woodhouse');
    await cell(page, 'Emma Woodhouse').waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'Emma Woodhouse' })
      .getByText('Changed just now')
      .waitFor({ state: 'attached' });
    await books.remove(books.ids[1]);
    await page
      .getByRole('row')
      .filter({ hasText: 'Ulysses' })
      .getByText('Deleted')
      .waitFor({ state: 'attached' });
    for (const title of ['Persuasion', 'Sanditon', 'Middlemarch']) await books.add(title);
    await page.getByText('3 new records').waitFor();
    expect(await cell(page, 'Persuasion').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await cell(page, 'Middlemarch').waitFor();
    await expect.poll(() => page.getByText('3 new records').count()).toBe(0);
    await page.getByRole('button', { name: 'Changes 5' }).click();
    const list = page.getByRole('list', { name: 'Changes' });
    await list
      .getByRole('listitem')
      .first()
      .filter({ hasText: /^Added.*Middlemarch.* · you$/ })
      .waitFor();
    await list.getByText('Emma Woodhouse').waitFor();
    await expectAccessible(page);
  });

  test('announce only new records that match the filter', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newBooks(app, home);
    const filter = encodeURIComponent(JSON.stringify({ title: { $regex: '^E' } }));
    const page = await visit(`/collections/${books.name}?filter=${filter}`, { as: home.owner });
    await switchOn(page);
    await books.add('Sanditon');
    await books.add('Evelina');
    await page.getByText('One new record').waitFor();
  });

  test('use one stream for all tabs; another tab goes on when its tab closes', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newBooks(app, home);
    const first = await visit(`/collections/${books.name}`, { as: home.owner });
    const streams = countStreams(first);
    await switchOn(first);
    const second = await first.context().newPage();
    await second.goto(first.url());
    await switchOn(second, { asks: false });
    await books.rename(books.ids[0], 'Seen by both');
    await cell(first, 'Seen by both').waitFor();
    await cell(second, 'Seen by both').waitFor();
    expect(streams.all).toBe(1);
    await first.close();
    await books.rename(books.ids[0], 'Seen by the other');
    await books.add('Not missed');
    await cell(second, 'Seen by the other').waitFor();
    await second.getByText('One new record').waitFor();
    await second.getByRole('button', { name: 'Changes 3' }).waitFor();
    expect(streams.all).toBe(2);
  });

  test('close their stream while the tab is hidden, and catch up afterwards', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newBooks(app, home);
    const page = await visit(`/collections/${books.name}`, { as: home.owner });
    const streams = countStreams(page);
    await switchOn(page);
    await expect.poll(() => streams.open).toBe(1);
    await setHidden(page, true);
    await expect.poll(() => streams.open).toBe(0);
    await books.rename(books.ids[0], 'Written meanwhile');
    await books.add('Added meanwhile');
    expect(streams.all).toBe(1);
    await setHidden(page, false);
    await cell(page, 'Written meanwhile').waitFor();
    await page.getByText('One new record').waitFor();
    await isLive(page);
    expect(streams.all).toBe(2);
  });

  test('say why they end when the collection is no longer shared', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newBooks(app, home);
    const { token, userId } = await newMember(app, home.org);
    const body = { principal_type: 'user', principal_id: userId, role: 'reader' };
    await app.request('POST', `${books.path}/access`, { ...books.owner, body });
    const page = await visit(`/collections/${books.id}`, { as: { token } });
    await switchOn(page);
    await app.request('DELETE', `${books.path}/access/user/${userId}`, books.owner);
    await page.getByRole('status').filter({ hasText: 'Not following' }).waitFor();
    await page
      .getByRole('alert')
      .getByText('There is no such collection, or you may not see it')
      .first()
      .waitFor();
  });

  test('are reached by the keyboard, on a phone too', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newBooks(app, home);
    const page = await visit(`/collections/${books.name}`, { as: home.owner, phone: true });
    await focusByKeyboard(page, page.getByRole('button', { name: 'Live', exact: true }));
    await page.keyboard.press('Enter');
    await focusByKeyboard(page, page.getByRole('button', { name: 'Switch on' }));
    await page.keyboard.press('Enter');
    await isLive(page);
    await books.add('Sanditon');
    await focusByKeyboard(page, page.getByRole('button', { name: 'Changes 1' }));
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Changes' }).getByText('Sanditon').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });
});
