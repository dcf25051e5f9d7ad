import type { Locator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { insert, read } from '../../harness/collection.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { compose, expectFocus } from '../support/keyboard.js';
import {
  bar,
  cellAt,
  enter,
  expectStored,
  expectUnsaved,
  LENT,
  newBooks,
  PRICE,
  PRINTED,
  save,
  TAGS,
  TITLE,
  YEAR,
} from './edit-page.js';

describe('a cell', () => {
  test('is edited by its type; nothing is saved before Save, and Undo takes the saved changes back', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const [emma = '', persuasion = ''] = books.ids;
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await enter(page, cellAt(page, 1, TITLE), 'Emma, again');
    await enter(page, cellAt(page, 1, YEAR), '1,816');
    await cellAt(page, 1, LENT).dblclick();
    await cellAt(page, 1, LENT).getByRole('combobox').selectOption('true');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await cellAt(page, 1, PRINTED).getByLabel('printed').fill('1815-12-23');
    await page.keyboard.press('Enter');
    await enter(page, cellAt(page, 2, PRICE), '2,25');
    await expectUnsaved(page, 5);
    await expectAccessible(page);
    expect(await read(app, books, emma)).toMatchObject({ title: 'Emma', year: 1800 });
    await save(page);
    await page.getByRole('status').filter({ hasText: '2 records are saved' }).waitFor();
    await expectStored(app, books, emma, {
      ...{ title: 'Emma, again', year: 1816, lent: true, printed: '1815-12-23' },
    });
    await expectStored(app, books, persuasion, { price: 2.25 });
    await page.getByRole('button', { name: 'Undo saved changes' }).click();
    await page.getByRole('status').filter({ hasText: 'The changes are undone' }).waitFor();
    await expectStored(app, books, emma, { title: 'Emma', year: 1800, lent: false, printed: null });
    await cellAt(page, 1, TITLE).getByText('Emma', { exact: true }).waitFor();
  });

  test('is edited by the keyboard alone: Escape keeps the value, stray keys change nothing', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await cellAt(page, 1, TITLE).click();
    for (const key of ['x', '7', 'Delete', 'Backspace']) await page.keyboard.press(key);
    await page.keyboard.press('F2');
    await page.keyboard.type('Nobody');
    await page.keyboard.press('Escape');
    await expectFocus(cellAt(page, 1, TITLE));
    expect(await bar(page).getByRole('button').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Emma II');
    await page.keyboard.press('Enter');
    await expectFocus(cellAt(page, 2, TITLE));
    await expectUnsaved(page, 1);
    await page.keyboard.press('Control+z');
    await cellAt(page, 1, TITLE).getByText('Emma', { exact: true }).waitFor();
    await page.keyboard.press('Control+Shift+z');
    await expectUnsaved(page, 1);
    await page.keyboard.press('Control+s');
    await expectStored(app, books, books.ids[0] as string, { title: 'Emma II' });
    await cellAt(page, 1, TITLE).click();
    await page.keyboard.press('Enter');
    await page.keyboard.type('Emma III');
    await page.keyboard.press('Control+s');
    await expectFocus(cellAt(page, 1, TITLE));
    await expectStored(app, books, books.ids[0] as string, { title: 'Emma III' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').waitFor();
  });

  test('takes the text of an input method: its Enter and Escape are not those of an editor or a dialog', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}?record=${books.ids[1]}`, { as: books.owner });
    const composed = async (key: 'Enter' | 'Escape', editor: Locator, text: string) => {
      await compose(page, text, key);
      await expectFocus(editor);
    };
    await cellAt(page, 1, TITLE).click();
    await page.keyboard.press('F2');
    const editor = cellAt(page, 1, TITLE).getByRole('textbox');
    await composed('Enter', editor, 'えま');
    await composed('Escape', editor, 'えま');
    await page.keyboard.insertText('エマ');
    await page.keyboard.press('Enter');
    await expectUnsaved(page, 1);
    await cellAt(page, 1, TITLE).getByText('エマ', { exact: true }).waitFor();

    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Edit title' }).click();
    const field = panel.getByRole('textbox', { name: 'title' });
    await composed('Escape', field, 'せつ');
    await composed('Enter', field, 'せつ');
    await expectUnsaved(page, 1);

    await page.getByRole('button', { name: 'Ask' }).click();
    const question = page.getByRole('textbox', { name: 'Question about these records' });
    await composed('Enter', question, 'なんさつ');
    expect(await page.getByRole('region', { name: 'Answer' }).count()).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('ControlOrMeta+K');
    const palette = page.getByRole('combobox', { name: 'Collection, page or action' });
    await expectFocus(palette);
    await composed('Enter', palette, 'しょ');
  });

  test('whose value is read whole opens only for somebody who is still there, and only as the last one', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const long = (title: string) => title.repeat(100);
    for (const [index, id] of books.ids.slice(0, 2).entries()) {
      const body = { title: long(['Emma', 'Persuasion'][index] as string) };
      await app.request('PATCH', `${books.data}/${id}`, { ...books.owner, body: { $set: body } });
    }
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await cellAt(page, 2, TITLE).getByText('Persuasion').waitFor();
    const answers: (() => Promise<void>)[] = [];
    await page.route('**/data/query', route => void answers.push(() => route.continue()));
    const asked = (count: number) => expect.poll(() => answers.length).toBe(count);
    await cellAt(page, 1, TITLE).click();
    await page.keyboard.press('Enter');
    await asked(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await asked(2);
    await answers[1]?.();
    const editor = page.getByRole('grid').getByRole('textbox');
    await expect.poll(() => editor.inputValue()).toBe(long('Persuasion'));
    const late = page.waitForResponse('**/data/query');
    await answers[0]?.();
    await late;
    await expectFocus(editor);
    expect(await editor.inputValue()).toBe(long('Persuasion'));
    expect(await cellAt(page, 1, TITLE).getByRole('textbox').count()).toBe(0);
  });

  test('has no value while a part of its date is missing', async ({ app, visit }) => {
    const books = await newBooks(app);
    await insert(app, books, { title: 'Frankenstein', printed: '1818-01-01' });
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    for (const [row, key] of [
      [6, 'Backspace'],
      [1, '7'],
    ] as const) {
      await cellAt(page, row, PRINTED).click();
      await page.keyboard.press('Enter');
      await page.keyboard.press(key);
      await page.keyboard.press('Enter');
      await cellAt(page, row, PRINTED).getByText('This is not a date').waitFor();
      await page.keyboard.press('Escape');
      expect(await bar(page).getByRole('button').count()).toBe(0);
    }
  });

  test('says why a value does not fit, before and after it was sent', async ({ app, visit }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await enter(page, cellAt(page, 1, YEAR), 'soon');
    await cellAt(page, 1, YEAR).getByText('This is not a whole number').waitFor();
    await cellAt(page, 3, TITLE).click();
    await expectUnsaved(page, 1);
    await save(page);
    const review = page.getByRole('dialog', { name: 'Unsaved changes' });
    await review.getByText('This is not a whole number').waitFor();
    expect(await review.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await review.getByRole('button', { name: 'Discard the change of year of Emma' }).click();
    await review.getByText('All changes are saved or discarded').waitFor();
    await page.keyboard.press('Escape');
    await enter(page, cellAt(page, 1, TITLE), 'Ulysses');
    await save(page);
    await page.getByRole('alert').getByText('Values do not fit the columns').waitFor();
    await cellAt(page, 1, TITLE).getByText('There is a record with the same title already').waitFor();
    await expectUnsaved(page, 1);
    expect(await read(app, books, books.ids[0] as string)).toMatchObject({ title: 'Emma' });
    await enter(page, cellAt(page, 1, TITLE), 'Ulysses II');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    // A service that was away for a moment: the message goes when it is back, and the changes stay.
    for (const path of ['**/batch', '**/v2/me']) await page.route(path, route => route.abort());
    await save(page);
    await page.getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/v2/me');
    await expect.poll(() => page.getByText('The service cannot be reached').count()).toBe(0);
    await expectUnsaved(page, 1);
    await page.unroute('**/batch');
    await save(page);
    await expectStored(app, books, books.ids[0] as string, { title: 'Ulysses II' });
    // The editor of a wide value is inside the grid.
    await page.setViewportSize({ width: 800, height: 800 });
    await cellAt(page, 2, TAGS).click();
    await page.keyboard.press('Enter');
    const [grid, editor] = [page.getByRole('grid'), cellAt(page, 2, TAGS).getByRole('textbox')];
    await editor.fill('a list of texts of which one is as long as this one is, and then some more');
    const [around, inside] = [await grid.boundingBox(), await editor.boundingBox()];
    expect((inside?.x ?? 0) + (inside?.width ?? 0)).toBeLessThanOrEqual(
      (around?.x ?? 0) + (around?.width ?? 0),
    );
  });

  test('stays at its place after it is saved, until the records are read again', async ({ app, visit }) => {
    const books = await newBooks(app);
    const search = new URLSearchParams({ sort: '["year"]', filter: '{"year":{"$lt":1900}}' });
    const page = await visit(`/collections/${books.id}?${search}`, { as: books.owner });
    await enter(page, cellAt(page, 1, YEAR), '1999');
    await enter(page, cellAt(page, 2, YEAR), '1850');
    await save(page);
    await page.getByRole('status').filter({ hasText: '2 records are saved' }).waitFor();
    await expect.poll(() => cellAt(page, 1, YEAR).textContent()).toBe('1999');
    await expect.poll(() => cellAt(page, 2, YEAR).textContent()).toBe('1850');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => cellAt(page, 1, TITLE).textContent()).toBe('Ulysses');
    await expect.poll(() => cellAt(page, 4, TITLE).textContent()).toBe('Persuasion');
  });
});
