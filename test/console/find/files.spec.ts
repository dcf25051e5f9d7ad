import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { downloaded, withoutFileAccess } from '../support/downloads.js';
import { newLibrary, recordsAt, tool } from './find-page.js';

/** The dialog of the system cannot be operated here: the file goes into the storage of the page. */
const WITH_FILES = `window.showSaveFilePicker = async ({ suggestedName }) =>
  (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`;

const start = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true });

describe('an export', () => {
  test('has the records of the filter in the order of the sort, safe for spreadsheets', async ({
    app,
    visit,
  }) => {
    const { home } = await newLibrary(app);
    const search = {
      filter: { $or: [{ year: { $gt: 1850 } }, { year: -5 }] },
      sort: ['year'],
      columns: ['title', 'year'],
    };
    const page = await visit(recordsAt(search), { as: home.owner });
    await withoutFileAccess(page);
    await tool(page, 'Export').click();
    await page.getByText('This browser keeps the file in memory').waitFor();
    await expectAccessible(page);
    const { name, text } = await downloaded(page, () => start(page).click());
    expect(name).toBe('books.csv');
    const rows = text.split('\r\n').map(line => line.split(',').slice(-2).join(','));
    expect(rows).toEqual(['title,year', "'=1+1,-5", 'Middlemarch,1871', 'Ulysses,1922', '']);
    await page.getByText(/^Done: 3 records/).waitFor();
  });

  test('leaves formulas if that is asked for, and has the fields that are chosen', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt({ filter: { year: -5 } }), { as: home.owner });
    await withoutFileAccess(page);
    await tool(page, 'Export').click();
    await page.getByRole('checkbox', { name: 'Leave formulas as they are' }).check();
    await page.getByRole('radio', { name: 'These fields' }).check();
    expect(await start(page).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'title' }).check();
    const { text } = await downloaded(page, () => start(page).click());
    expect(text.split('\r\n').map(line => line.split(',').at(-1))).toEqual(['title', '=1+1', '']);
  });

  test('as JSON is written to a file as it comes', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt({ filter: { lent: false }, sort: ['title'] }), { as: home.owner });
    await page.evaluate(WITH_FILES);
    await tool(page, 'Export').click();
    await page.getByRole('combobox', { name: 'Format' }).selectOption('json');
    await start(page).click();
    await page.getByText(/^Done: 2 records/).waitFor();
    const text = await page.evaluate<string>(
      `navigator.storage.getDirectory().then(root => root.getFileHandle('books.json')).then(handle => handle.getFile()).then(file => file.text())`,
    );
    expect(JSON.parse(text).map(({ title }: { title: string }) => title)).toEqual(['Emma', 'Ulysses']);
  });

  test('that is stopped leaves no file', async ({ app, visit }) => {
    const { home, books } = await newLibrary(app);
    const many = Array.from({ length: 1_000 }, (_, n) => ({ title: `${n} ${'x'.repeat(20_000)}` }));
    for (const part of [many.slice(0, 500), many.slice(500)]) {
      const answer = await app.request('POST', books.data, { ...home.owner, body: { records: part } });
      expect(answer.status).toBe(200);
    }
    const page = await visit(recordsAt(), { as: home.owner });
    // Each write waits until the test lets it go on.
    await page.evaluate(`window.showSaveFilePicker = async () => ({ createWritable: async () => ({
      write: () => new Promise(done => { window.goOn = done; }), close: async () => { window.ended = 'closed'; },
      abort: async () => { window.ended = 'aborted'; } }) })`);
    await tool(page, 'Export').click();
    await start(page).click();
    await expect.poll(() => page.evaluate('typeof window.goOn')).toBe('function');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.evaluate('window.goOn()');
    await page.getByText('Stopped. No file was kept.').waitFor();
    expect(await page.evaluate('window.ended')).toBe('aborted');
  });
});
