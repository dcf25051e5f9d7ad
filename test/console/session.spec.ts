import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { TestApp } from '../harness/app.js';
import { newCollection, newHome } from '../harness/collection.js';
import { type Person, signIn } from '../scenarios/auth/person.js';
import { expectAccessible } from './support/axe.js';
import { test } from './support/console-test.js';

/** Opens a one-time link in another tab of the same browser, as somebody does who signs in again. */
async function signInElsewhere(app: TestApp, page: Page, token: string): Promise<void> {
  const body = { redirect: '/console/signed-in' };
  const { body: link } = await app.request('POST', '/v2/user/webSessionTicket', { token, body });
  const tab = await page.context().newPage();
  await tab.goto(link.url);
  await tab.getByRole('heading', { level: 1, name: 'You are signed in' }).waitFor();
}

async function endSession(app: TestApp, { sessionId, token }: Person): Promise<void> {
  const { status } = await app.request('DELETE', `/v2/user/sessions/${sessionId}`, { token });
  expect(status).toBe(204);
}

describe('a session that ends under an open page', () => {
  test('is begun again in another window, and nothing typed is lost', async ({ app, visit }) => {
    const home = await newHome(app);
    await newCollection(app, home, { name: 'orders' });
    const page = await visit('/collections?create=true', { as: home.owner });
    const dialog = page.getByRole('dialog', { name: 'New collection' });
    await dialog.getByLabel('Name', { exact: true }).fill('unsaved');
    await endSession(app, home.org.owner);
    const again = await signIn(app, home.org.owner.userId);
    const ended = page.getByRole('dialog', { name: 'Your session ended' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await ended.waitFor();
    await expectAccessible(page);
    const link = ended.getByRole('link', { name: 'Sign in again' });
    expect(await link.getAttribute('href')).toBe('/console/sign-in?next=%2Fconsole%2Fsigned-in');
    await signInElsewhere(app, page, again.token);
    await expect.poll(() => ended.count()).toBe(0);
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('unsaved');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'unsaved' }).waitFor();
  });

  test('of somebody else loads the page again, as what it shows is not theirs', async ({ app, visit }) => {
    const home = await newHome(app);
    await newCollection(app, home, { name: 'private' });
    const page = await visit('/collections', { as: home.owner });
    await page.getByRole('link', { name: 'private' }).waitFor();
    await endSession(app, home.org.owner);
    await page.getByRole('button', { name: 'Mine' }).click();
    await page.getByRole('dialog', { name: 'Your session ended' }).waitFor();
    const other = await newHome(app);
    await signInElsewhere(app, page, (await signIn(app, other.org.owner.userId)).token);
    await page.getByText('You have no collection of your own').waitFor();
    expect(await page.getByText('private').count()).toBe(0);
  });
});

test('a page that needs somebody who is signed in leads to the sign-in page, which knows the way back', async ({
  visit,
}) => {
  const page = await visit('/collections?q=orders');
  await page.waitForURL('**/console/sign-in?*');
  expect(new URL(page.url()).searchParams.get('next')).toBe('/console/collections?q=orders');
});

test('a page follows who signs out and in on another page of the browser, without a request of its own', async ({
  app,
  visit,
}) => {
  const home = await newHome(app);
  await newCollection(app, home, { name: 'private' });
  const page = await visit('/collections', { as: home.owner });
  await page.getByRole('link', { name: 'private' }).waitFor();
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await tab.getByRole('button', { name: 'Account' }).click();
  await tab.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('dialog', { name: 'Your session ended' }).waitFor();
  const other = await newHome(app);
  await signInElsewhere(app, page, (await signIn(app, other.org.owner.userId)).token);
  await page.getByRole('heading', { name: 'There is no collection yet' }).waitFor();
  expect(await page.getByText('private').count()).toBe(0);
});
