import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { insert, newCollection, newHome } from '../harness/collection.js';
import { newMember, newOrg } from '../scenarios/orgs/org.js';
import { grant, withUser } from '../scenarios/sharing/sharing.js';
import { expectAccessible } from './support/axe.js';
import { test } from './support/console-test.js';
import { focusByKeyboard } from './support/keyboard.js';

const names = (page: Page) => page.getByRole('rowheader').getByRole('link').allTextContents();

describe('the list of collections', () => {
  test('shows own and shared collections with owner and role, and counts records only when asked', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const member = await newMember(app, home.org);
    const me = { token: member.token };
    const description = 'What we were asked to pay';
    const mine = await newCollection(app, { org: home.org, owner: me }, { name: 'invoices', description });
    await insert(app, mine, { a: 1 }, { a: 2 }, { a: 3 });
    const theirs = await newCollection(app, home, { name: 'contracts' });
    const share = await grant(app, theirs, withUser(member), 'reader');
    expect(share.status, share.text).toBe(201);

    const page = await visit('/collections', { as: me });
    const counts: string[] = [];
    page.on('request', request => void (request.url().includes('/count') && counts.push(request.url())));
    await page.getByRole('link', { name: 'invoices' }).waitFor();
    expect(await names(page)).toEqual(['contracts', 'invoices']);
    expect(await page.getByRole('row', { name: 'contracts' }).textContent()).toContain('Reader');
    await expectAccessible(page);
    expect(counts).toEqual([]);
    await page.getByRole('button', { name: 'Count the records of invoices' }).click();
    await page.getByRole('row', { name: 'invoices' }).getByText('3', { exact: true }).waitFor();
    expect(counts).toHaveLength(1);

    await page.getByRole('button', { name: 'Mine' }).click();
    await expect.poll(() => names(page)).toEqual(['invoices']);
    await page.getByRole('button', { name: 'Shared with me' }).click();
    await expect.poll(() => names(page)).toEqual(['contracts']);
    await page.goBack();
    await page.goForward();
    await expect.poll(() => names(page)).toEqual(['contracts']);
  });

  test('keeps search, order and page in the address', async ({ app, visit }) => {
    const home = await newHome(app);
    for (let index = 0; index < 27; index++)
      await newCollection(app, home, { name: `c-${String(index).padStart(2, '0')}` });
    await newCollection(app, home, { name: 'zebra', description: 'Striped' });
    const page = await visit('/collections', { as: home.owner });
    await page.getByText('1 to 25 of 28').waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await expect.poll(() => names(page)).toEqual(['c-25', 'c-26', 'zebra']);
    expect(new URL(page.url()).searchParams.get('page')).toBe('2');
    await page.getByRole('searchbox').fill('striped');
    await expect.poll(() => names(page)).toEqual(['zebra']);
    await expect.poll(() => new URL(page.url()).search).toBe('?q=striped');
    await page.getByRole('searchbox').fill('c-0');
    await page.getByLabel('Order').selectOption('Name, Z to A');
    await expect.poll(async () => (await names(page))[0]).toBe('c-09');
    await page.reload();
    await expect.poll(async () => (await names(page))[0]).toBe('c-09');
    expect(await page.getByRole('searchbox').inputValue()).toBe('c-0');
    await page.getByRole('searchbox').fill('no such thing');
    await page.getByText('No collection matches "no such thing"').waitFor();
    await page.getByRole('link', { name: 'Show all collections' }).click();
    await expect.poll(() => names(page)).toHaveLength(25);
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('');
  });

  test('offers no new collection to somebody who may not create one', async ({ app, visit }) => {
    const org = await newOrg(app);
    const reader = await newMember(app, org, { permissions: ['collections:read'] });
    const page = await visit('/collections?create=true', { as: reader });
    await page.getByText('Nobody has shared a collection with you yet').waitFor();
    expect(await page.getByRole('button', { name: 'New collection' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Load sample data' }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('says why it cannot be shown, and tries again', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    const page = await visit('/account', { as: owner });
    const refusal = { status: 403, json: { error: 'Forbidden', message: 'Not today.' } };
    await page.route('**/v1/collections?*', route => route.fulfill(refusal));
    await page.getByRole('link', { name: 'Typed Collections' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('You may not do this').waitFor();
    await alert.getByText('Not today.').waitFor();
    await page.unroute('**/v1/collections?*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Load sample data' }).waitFor();
  });
});

describe('somebody without a collection', () => {
  test('gets three ways to begin, with the address of the service filled in, on a phone too', async ({
    app,
    visit,
  }) => {
    const { owner } = await newHome(app);
    const page = await visit('/collections', { as: owner, phone: true });
    await page.getByRole('heading', { name: 'Three ways to begin' }).waitFor();
    await expectAccessible(page);
    const way = page.locator('section').filter({ has: page.getByRole('heading', { name: 'By API' }) });
    for (const language of ['tcol', 'TypeScript', 'curl']) {
      await way.getByLabel('Language of the example').selectOption(language);
      expect(await way.getByRole('region', { name: 'By API' }).textContent()).toContain(app.url);
    }
    await way.getByRole('button', { name: 'Copy' }).click();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toContain(`curl "${app.url}/v1/collections"`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  test('loads sample data with one click', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    const page = await visit('/collections', { as: owner });
    await page.getByRole('button', { name: 'Load sample data' }).click();
    await page.getByRole('heading', { level: 1, name: 'sample-orders' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const count = await app.request('GET', `/v1/collections/${id}/data/count`, owner);
    expect(count.body.count).toBe(200);
    const { body } = await app.request('GET', `/v1/collections/${id}`, owner);
    expect(Object.keys(body.schema)).toContain('ordered_at');
  });
});

describe('a new collection', () => {
  test('gets the columns that the service suggests from a description, after they were changed', async ({
    app,
    visit,
  }) => {
    const { owner } = await newHome(app);
    const page = await visit('/collections?create=true', { as: owner });
    const dialog = page.getByRole('dialog', { name: 'New collection' });
    await dialog.getByLabel('Description').fill('Customers with name, email and date of birth');
    await dialog.getByRole('button', { name: 'Suggest columns' }).click();
    await dialog.getByRole('textbox', { name: 'Name of the column date_of_birth' }).fill('born');
    await dialog.getByRole('textbox', { name: 'Name of the column email' }).fill('born');
    await dialog.getByText('Another column has this name.').first().waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('button', { name: 'Remove the column born' }).last().click();
    await expectAccessible(page);
    await dialog.getByLabel('Name', { exact: true }).fill('people');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'people' }).waitFor();
    const { body } = await app.request('GET', '/v1/collections/people', owner);
    expect(body.description).toBe('Customers with name, email and date of birth');
    expect(Object.keys(body.schema)).toEqual(['name', 'born']);
  });

  test('is created by the keyboard alone; a name that is taken is said beside the field', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    await newCollection(app, home, { name: 'taken' });
    const page = await visit('/collections', { as: home.owner });
    await page.getByRole('link', { name: 'taken' }).waitFor();
    await focusByKeyboard(page, page.getByRole('button', { name: 'New collection' }));
    await page.keyboard.press('Enter');
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
    await name.waitFor();
    await focusByKeyboard(page, name);
    await page.keyboard.type('taken');
    await page.keyboard.press('Enter');
    await page.getByText('You have a collection of this name. Choose another one.').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await focusByKeyboard(page, name, 'Shift+Tab');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('free');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'free' }).waitFor();
    await expect.poll(() => page.title()).toBe('free – Typed Collections');
  });
});

describe('the frame of a collection', () => {
  test('shows what it is, leads to its parts and back to the list', async ({ app, visit }) => {
    const home = await newHome(app);
    const { id } = await newCollection(app, home, { name: 'orders', description: 'What was bought' });
    const page = await visit(`/collections/${id}`, { as: home.owner });
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    await page.getByText('What was bought').waitFor();
    const parts = page.getByRole('navigation', { name: 'Parts of the collection' });
    expect(await parts.getByRole('link', { name: 'Records' }).getAttribute('aria-current')).toBe('page');
    await parts.getByRole('link', { name: 'Charts' }).click();
    await expect
      .poll(() => parts.getByRole('link', { name: 'Charts' }).getAttribute('aria-current'))
      .toBe('page');
    expect(await parts.getByRole('link', { name: 'Records' }).getAttribute('aria-current')).toBeNull();
    await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor();
    await expect.poll(() => page.title()).toBe('Collections – Typed Collections');
  });

  test('opens by name, and says so if there is no such collection', async ({ app, visit }) => {
    const home = await newHome(app);
    await newCollection(app, home, { name: 'orders' });
    const page = await visit('/collections/orders', { as: home.owner });
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    const missing = await visit('/collections/none', { as: home.owner });
    await missing.getByText('There is no such collection, or you may not see it').first().waitFor();
    await expectAccessible(missing);
    await missing.getByRole('link', { name: 'Show all collections' }).click();
    await missing.getByRole('link', { name: 'orders' }).waitFor();
  });
});
