import type { Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { read, search } from '../../harness/collection.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';
import {
  bar,
  cellAt,
  enter,
  expectStored,
  expectUnsaved,
  newBooks,
  PRICE,
  save,
  TITLE,
  YEAR,
} from './edit-page.js';

describe('two browsers that change one record', () => {
  test('see both values, and choose one for each field that both changed', async ({ app, visit }) => {
    const books = await newBooks(app);
    const [emma = '', persuasion = ''] = books.ids;
    const address = `/collections/${books.id}`;
    const [page, other] = await Promise.all([
      visit(address, { as: books.owner }),
      visit(address, { as: books.owner }),
    ]);
    await enter(page, cellAt(page, 1, YEAR), '1816');
    await enter(page, cellAt(page, 1, PRICE), '9.5');
    await enter(page, cellAt(page, 2, YEAR), '1817');
    await enter(other, cellAt(other, 1, YEAR), '1900');
    await enter(other, cellAt(other, 1, TITLE), 'Emma, theirs');
    await save(other);
    await expectStored(app, books, emma, { year: 1900 });
    await other.getByRole('button', { name: 'Undo saved changes' }).waitFor();
    await save(page);
    const dialog = page.getByRole('dialog', { name: 'Somebody else changed a record' });
    await dialog.getByText('Only you changed price').waitFor();
    const year = dialog.getByRole('group', { name: 'year' });
    expect(await year.textContent()).toMatch(/1800.*1900.*1816/);
    expect(await dialog.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    expect(await read(app, books, persuasion)).toMatchObject({ year: 1801 });
    await focusByKeyboard(page, year.getByRole('radio', { name: /Theirs/ }));
    await page.keyboard.press('Space');
    await focusByKeyboard(page, dialog.getByRole('button', { name: 'Apply' }));
    await page.keyboard.press('Enter');
    await expectUnsaved(page, 2);
    await save(page);
    await expectStored(app, books, persuasion, { year: 1817 });
    expect(await read(app, books, emma)).toMatchObject({ title: 'Emma, theirs', year: 1900, price: 9.5 });
    await cellAt(page, 1, TITLE).getByText('Emma, theirs').waitFor();
    await other.getByRole('button', { name: 'Undo saved changes' }).click();
    await other.getByRole('status').filter({ hasText: 'somebody has changed Emma since' }).waitFor();
    expect(await read(app, books, emma)).toMatchObject({ title: 'Emma, theirs' });
  });

  test('keep what is typed when a change of the other arrives or the record is gone', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const [emma = '', persuasion = ''] = books.ids;
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: /^Changes/ }).waitFor();
    await enter(page, cellAt(page, 1, YEAR), '1816');
    await enter(page, cellAt(page, 2, YEAR), '1817');
    await app.request('PATCH', `${books.data}/${emma}`, { ...books.owner, body: { price: 7 } });
    await cellAt(page, 1, YEAR).getByText('somebody else has saved this record meanwhile').waitFor();
    await cellAt(page, 1, PRICE).getByText('7', { exact: true }).waitFor();
    await cellAt(page, 1, YEAR).getByText('1816').waitFor();
    await app.request('DELETE', `${books.data}/${persuasion}`, books.owner);
    await save(page);
    const dialog = page.getByRole('dialog', { name: 'Somebody else changed 2 records' });
    await dialog.getByText('Somebody has deleted this record').waitFor();
    await dialog.getByText('Only you changed year').waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expectUnsaved(page, 1);
    await save(page);
    await expectStored(app, books, emma, { year: 1816, price: 7 });
  });
});

describe('unsaved changes', () => {
  test('survive a reload and a session that ends, and are asked about on leaving', async ({ app, visit }) => {
    const books = await newBooks(app);
    const [emma = ''] = books.ids;
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await enter(page, cellAt(page, 1, YEAR), '1816');
    await expectUnsaved(page, 1);
    const asked: string[] = [];
    page.on('dialog', dialog => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
    await expectUnsaved(page, 1);
    await cellAt(page, 1, YEAR).getByText('1816').waitFor();
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await expectUnsaved(tab, 1);
    await enter(tab, cellAt(tab, 2, YEAR), '1817');
    await expectUnsaved(page, 2);
    await tab.keyboard.press('Control+z');
    await expectUnsaved(page, 1);
    await tab.close();
    await page.getByRole('link', { name: 'Charts' }).click();
    const leave = page.getByRole('dialog', { name: 'Some changes are not saved' });
    await leave.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('link', { name: 'Charts' }).click();
    await leave.getByRole('button', { name: 'Keep and leave' }).click();
    await page.getByRole('link', { name: 'Records' }).click();
    await expectUnsaved(page, 1);

    await page.context().clearCookies();
    await save(page);
    await page.getByRole('dialog', { name: 'Your session ended' }).waitFor();
    await page.keyboard.press('Escape');
    const redirect = `/console/collections/${books.id}`;
    const minted = await app.request('POST', '/v2/user/webSessionTicket', {
      ...books.owner,
      body: { redirect },
    });
    await page.goto(minted.body.url);
    await expectUnsaved(page, 1);
    await save(page);
    await expectStored(app, books, emma, { year: 1816 });
  });

  test('of two tabs at one moment stay, are undone by the tab that made them, and are saved once', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await Promise.all([enter(page, cellAt(page, 1, YEAR), '1816'), enter(tab, cellAt(tab, 2, YEAR), '1817')]);
    await Promise.all([expectUnsaved(page, 2), expectUnsaved(tab, 2)]);
    await page.keyboard.press('Control+z');
    await expectUnsaved(tab, 1);
    await cellAt(page, 2, YEAR).getByText('1817').waitFor();
    await page.evaluate("navigator.clipboard.writeText('Carmilla\\t1872\\nThe Monk\\t1796')");
    await cellAt(page, 5, TITLE).click();
    await page.keyboard.press('Control+v');
    await Promise.all([expectUnsaved(page, 4), expectUnsaved(tab, 4)]);

    const batches: Route[] = [];
    await page.context().route('**/data/batch', route => void batches.push(route));
    await save(page);
    await expect.poll(() => batches.length).toBe(1);
    await save(tab);
    await bar(tab).getByRole('button', { name: 'Saving…' }).waitFor();
    await batches[0]?.continue();
    await page.getByRole('status').filter({ hasText: '3 records are saved' }).waitFor();
    await expect.poll(() => bar(tab).getByRole('button', { name: 'Saving…' }).count()).toBe(0);
    expect(batches).toHaveLength(1);
    expect((await search(app, books)).count).toBe(6);
  });

  test('whose answer was lost are saved once, also after a reload', async ({ app, visit }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    page.on('dialog', dialog => void dialog.accept());
    await enter(page, cellAt(page, 1, YEAR), '1816');
    await page.evaluate("navigator.clipboard.writeText('Dracula\\t1804\\nCarmilla\\t1872')");
    await cellAt(page, 5, TITLE).click();
    await page.keyboard.press('Control+v');
    await expectUnsaved(page, 2);
    const keys: (string | undefined)[] = [];
    await page.route('**/data/batch', async route => {
      const response = await route.fetch();
      keys.push(route.request().headers()['idempotency-key']);
      // The first answer never arrives.
      if (keys.length > 1) await route.fulfill({ response });
    });
    await save(page);
    await expect.poll(() => keys.length).toBe(1);
    await page.reload();
    await expectUnsaved(page, 2);
    await save(page);
    await page.getByRole('status').filter({ hasText: '2 records are saved' }).waitFor();
    expect(keys).toEqual([keys[0], keys[0]]);
    expect((await search(app, books)).count).toBe(6);
  });

  test('are forgotten when somebody signs out, after a question', async ({ app, visit }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await enter(page, cellAt(page, 1, YEAR), '1816');
    await expectUnsaved(page, 1);
    const asked: string[] = [];
    page.on('dialog', dialog => {
      asked.push(dialog.type());
      void (asked.length === 1 ? dialog.dismiss() : dialog.accept());
    });
    const signOut = async () => {
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    await signOut();
    await expect.poll(() => asked).toEqual(['confirm']);
    await bar(page).waitFor();
    await signOut();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(asked).toEqual(['confirm', 'confirm']);
    const stored = await page.evaluate<string[]>('Object.keys(localStorage)');
    expect(stored.filter(key => key.includes('edits'))).toEqual([]);
  });
});
