import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { insert, newCollection, newHome, search } from '../../harness/collection.js';
import { newLibrary, newReader, recordsAt, tool } from '../find/find-page.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { expectFocus, focusByKeyboard } from '../support/keyboard.js';

const SCHEMA = '/collections/books/schema';

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}\\b`) });
const dialog = (page: Page) => page.getByRole('dialog');

describe('the schema of a collection', () => {
  test('gets a column of a field, after the records that do not fit were shown', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(SCHEMA, { as: home.owner });
    await tool(page, 'Make a column of shelf').click();
    await dialog(page).getByRole('combobox', { name: 'Type' }).selectOption('integer');
    await tool(page, 'Check values').click();
    const misfits = page.getByRole('table', { name: 'Records whose values do not fit' });
    await misfits.getByText(/^does not fit/).waitFor();
    expect(await misfits.getByRole('link').count()).toBe(1);
    await expectAccessible(page);
    await dialog(page).getByRole('combobox', { name: 'Type' }).selectOption('json');
    await misfits.waitFor({ state: 'detached' });
    await tool(page, 'Check values').click();
    await page.getByText('Every value fits. 3 records get their values in this column.').waitFor();
    await tool(page, 'Make a column').last().click();
    await row(page, 'shelf').getByText('JSON').waitFor();
    await page.getByRole('button', { name: 'Make a column of shelf' }).waitFor({ state: 'detached' });
    await page.getByText('Columns are never renamed or removed').waitFor();
    await expectAccessible(page);
  });

  test('keeps a column that values would not fit, and names these records', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(SCHEMA, { as: home.owner });
    await tool(page, 'Change the column title').click();
    await dialog(page).getByRole('combobox', { name: 'Type' }).selectOption('integer');
    await tool(page, 'Change column').click();
    await dialog(page).getByRole('alert').getByText('Nothing was changed').waitFor();
    await dialog(page).getByText('does not convert from text to integer without loss').first().waitFor();
    await dialog(page).getByRole('combobox', { name: 'Type' }).selectOption('text');
    await dialog(page).getByRole('checkbox', { name: 'Every record must have a value' }).check();
    await tool(page, 'Change column').click();
    await row(page, 'title').getByText('required').waitFor();
  });

  test('rewrites texts as people write them before their column gets another type, or nothing', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const orders = await newCollection(app, home, {
      properties: { amount: { type: 'text' }, n: { type: 'integer' } },
    });
    const [, , wrong = ''] = await insert(
      app,
      orders,
      { amount: '1.234,50' },
      { amount: '' },
      { amount: 'k. A.' },
    );
    const page = await visit(`/collections/${orders.id}/schema`, { as: home.owner });
    await tool(page, 'Change the column amount').click();
    await dialog(page).getByRole('combobox', { name: 'Type' }).selectOption('double');
    await tool(page, 'Check values').click();
    const rewrite = dialog(page).getByRole('button', { name: 'Rewrite the texts and change the column' });
    await rewrite.click();
    await dialog(page).getByRole('row', { name: wrong }).getByText('“k. A.” cannot be read').waitFor();
    const amounts = async () =>
      (await search(app, orders)).records.map(({ amount }: { amount: unknown }) => amount);
    expect(await amounts()).toEqual(['1.234,50', '', 'k. A.']);
    await app.request('PATCH', `${orders.data}/${wrong}`, { ...home.owner, body: { $set: { amount: '7' } } });
    await tool(page, 'Check values').click();
    await rewrite.click();
    await row(page, 'amount').getByText('number').waitFor();
    expect(await amounts()).toEqual([1234.5, null, 7]);
    // The column keeps its place.
    await page.getByRole('table', { name: 'Columns' }).getByRole('row').nth(1).getByText('amount').waitFor();
  });

  test('refuses a unique constraint with the equal values, and builds and drops indexes', async ({
    app,
    visit,
  }) => {
    const { home, books } = await newLibrary(app);
    await insert(app, books, { title: 'Emma', year: 2020 });
    const page = await visit(SCHEMA, { as: home.owner });
    await tool(page, 'Add index').click();
    await dialog(page).getByRole('combobox', { name: 'Kind' }).selectOption('unique');
    await dialog(page).getByRole('combobox', { name: 'Add a column or field' }).selectOption('title');
    await tool(page, 'Build').click();
    const equal = page.getByRole('table', { name: 'Values that several records have' });
    await equal.getByText('{"title":"Emma"}').waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('combobox', { name: 'Kind' }).selectOption('ordered');
    await dialog(page).getByRole('combobox', { name: 'Add a column or field' }).selectOption('year');
    await tool(page, 'Move year up').click();
    await tool(page, 'Build').click();
    await row(page, 'year, title').getByText('Index').waitFor();
    await tool(page, 'Drop: Index on year, title').click();
    await dialog(page).getByText('Queries that use it become slower.').waitFor();
    await dialog(page).getByRole('button', { name: 'Drop' }).click();
    await page.getByText('There is no index.').waitFor();
    await tool(page, 'Add index').click();
    await dialog(page).getByRole('combobox', { name: 'Add a column or field' }).selectOption('details.city');
    await tool(page, 'Build').click();
    await row(page, 'details.city').getByText('Index').waitFor();
  });

  test('has settings, and a new name leads to the new address', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(SCHEMA, { as: home.owner });
    await page.getByRole('textbox', { name: 'Description' }).fill('Novels');
    await page.getByRole('spinbutton', { name: 'Most records' }).fill('5000');
    await page.getByRole('textbox', { name: 'Name' }).fill('novels');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.waitForURL('**/console/collections/novels/schema');
    const { body } = await app.request('GET', '/v1/collections/novels', home.owner);
    expect(body).toMatchObject({ description: 'Novels', settings: { max_records: 5000, ttl_days: 0 } });
  });

  test('is changed by the keyboard alone, at 360 pixels', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(SCHEMA, { as: home.owner, phone: true });
    await focusByKeyboard(page, page.getByRole('button', { name: 'Add column' }));
    await page.keyboard.press('Enter');
    await expectFocus(page.getByRole('textbox', { name: 'Name' }));
    await page.keyboard.type('pages');
    await page.keyboard.press('Enter');
    await row(page, 'pages').waitFor();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    await expectAccessible(page);
  });

  test('is read only for readers', async ({ app, visit }) => {
    const library = await newLibrary(app);
    const page = await visit(SCHEMA, { as: await newReader(app, library) });
    await page.getByText('You can read the schema.').waitFor();
    await row(page, 'title').waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    await expectAccessible(page);
  });
});

test('why a query is slow is shown, and the index that is advised is built', async ({ app, visit }) => {
  const library = await newLibrary(app);
  const { home, books } = library;
  const many = Array.from({ length: 5_000 }, (_, n) => ({ title: `Book ${n}`, year: n }));
  const answer = await app.request('POST', `${books.data}/bulk`, { ...home.owner, body: { records: many } });
  expect(answer.status).toBe(201);
  const slow = recordsAt({ filter: { year: 4321 } });
  const reader = await visit(slow, { as: await newReader(app, library) });
  await tool(reader, /Why is it slow/).click();
  await reader.getByText('Administrators of the collection can build it.').waitFor();
  const page = await visit(slow, { as: home.owner });
  await tool(page, /Why is it slow/).click();
  await page.getByText(/^5,004 records read to return 1,/).waitFor();
  await page.getByText('An index would help: year').waitFor();
  await expectAccessible(page);
  await tool(page, 'Build this index').click();
  await page.getByText('Index used: year.').waitFor();
  await page.getByText(/^One record read to return 1,/).waitFor();
});
