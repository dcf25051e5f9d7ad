import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { expectFilter, inAddress, newLibrary, newReader, recordsAt, tool } from './find-page.js';

const SEARCH = { filter: { year: { $gt: 1850 } }, sort: ['-year'], columns: ['title', 'year'] };

const views = (page: Page, name: string | RegExp = 'Views') => tool(page, name).click();
const choose = (page: Page, name: string) => page.getByRole('menuitem', { name }).click();

async function saveAs(page: Page, name: string, audience: 'me' | 'all'): Promise<void> {
  await views(page, /^View/);
  await choose(page, 'Save as a new view…');
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('combobox', { name: 'Who sees it' }).selectOption(audience);
  await page.getByRole('button', { name: 'Save' }).click();
  await tool(page, `View: ${name}`).waitFor();
}

describe('saved views', () => {
  test('open with their filter, sort and columns, also for somebody who may only read', async ({
    app,
    visit,
  }) => {
    const library = await newLibrary(app);
    const page = await visit(recordsAt(SEARCH), { as: library.home.owner });
    await saveAs(page, 'New books', 'all');
    const reader = await visit(recordsAt(), { as: await newReader(app, library) });
    await views(reader);
    await choose(reader, 'New books');
    await expectFilter(reader, SEARCH.filter);
    expect(inAddress(reader, 'sort')).toEqual(SEARCH.sort);
    expect(inAddress(reader, 'columns')).toEqual(SEARCH.columns);
    await views(reader, 'View: New books');
    await reader.getByRole('menuitem', { name: 'Save as a new view…' }).waitFor();
    expect(await reader.getByRole('menuitem', { name: 'Delete…' }).count()).toBe(0);
    await choose(reader, 'Save as a new view…');
    await reader.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await expectAccessible(reader);
    expect(await reader.getByRole('combobox', { name: 'Who sees it' }).count()).toBe(0);
    await reader.getByRole('button', { name: 'Save' }).click();
    await tool(reader, 'View: Mine').waitFor();
  });

  test('of somebody else are not seen, but their link shows the same records', async ({ app, visit }) => {
    const library = await newLibrary(app);
    const page = await visit(recordsAt(SEARCH), { as: library.home.owner });
    await saveAs(page, 'Private', 'me');
    const { pathname, search } = new URL(page.url());
    const reader = await newReader(app, library);
    const other = await visit(pathname.replace('/console', '') + search, { as: reader });
    await tool(other, 'Views').waitFor();
    await expectFilter(other, SEARCH.filter);
    await views(other);
    await other.getByText('There are no saved views yet.').waitFor();
  });

  test('say when the page shows something else, and are saved', async ({ app, visit }) => {
    const library = await newLibrary(app);
    const page = await visit(recordsAt(SEARCH), { as: library.home.owner });
    await saveAs(page, 'Books', 'me');
    await tool(page, 'Clear filter').click();
    await views(page, 'View: Books (changed)');
    await choose(page, 'Save changes');
    await tool(page, 'View: Books').waitFor();
    const listed = await app.request('GET', `${library.books.path}/views`, library.home.owner);
    expect(listed.body.items).toMatchObject([
      { name: 'Books', filter: {}, sort: { year: -1 }, columns: ['title', 'year'] },
    ]);
  });

  test('are renamed and deleted', async ({ app, visit }) => {
    const library = await newLibrary(app);
    const page = await visit(recordsAt(SEARCH), { as: library.home.owner });
    await saveAs(page, 'Books', 'all');
    await views(page, 'View: Books');
    await choose(page, 'Rename…');
    await page.getByRole('textbox', { name: 'Name' }).fill('Novels');
    await page.getByRole('button', { name: 'Save' }).click();
    await views(page, 'View: Novels');
    await choose(page, 'Delete…');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete view' }).click();
    await tool(page, 'Views').waitFor();
    await expectFilter(page, SEARCH.filter);
    const listed = await app.request('GET', `${library.books.path}/views`, library.home.owner);
    expect(listed.body.items).toEqual([]);
  });
});
