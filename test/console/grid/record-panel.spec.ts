import { describe, expect } from 'vitest';
import { EMMA, insert, newHome, newTypedCollection } from '../../harness/collection.js';
import { test } from '../support/console-test.js';
import { expectFocus } from '../support/keyboard.js';
import { addressOf, cell, gridOf, newNumbers, searchOf } from './grid-page.js';

const CLIPBOARD = 'navigator.clipboard.readText()';

describe('the panel of a record', () => {
  test('is opened by its link, shows each field by its type, and the record as JSON', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    const [id] = await insert(app, books, { ...EMMA, note: '' });
    const page = await visit(addressOf(books, { record: id }), { as: home.owner });
    const panel = page.getByRole('complementary', { name: 'Record' });
    await panel.getByText('2026-01-31 10:30:00.250 GMT+1').waitFor();
    await panel.getByText('"city": "London"').waitFor();
    await panel.getByText('empty text').waitFor();
    await panel.getByRole('button', { name: 'JSON', exact: true }).click();
    await panel.getByText('"read_at": "2026-01-31T09:30:00.250Z"').waitFor();
    await panel.getByRole('button', { name: 'Copy as JSON' }).click();
    await expect
      .poll(async () => JSON.parse((await page.evaluate<string>(CLIPBOARD)) || 'null'))
      .toMatchObject({ _id: id, ...EMMA });
    await panel.getByRole('button', { name: 'Copy link' }).click();
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe(page.url());
  });

  test('is opened by Space, and Escape returns to the cell', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 50);
    const page = await visit(addressOf(numbers), { as: numbers.owner });
    await cell(page, '7').click();
    await page.keyboard.press('Space');
    const panel = page.getByRole('complementary', { name: 'Record' });
    await expectFocus(panel);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await expectFocus(cell(page, '7'));
    await expect.poll(() => searchOf(page).record).toBeUndefined();
  });

  test('goes to the previous and the next record', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 50);
    const page = await visit(addressOf(numbers), { as: numbers.owner });
    await cell(page, '7').click();
    await page.keyboard.press('Space');
    const panel = page.getByRole('complementary', { name: 'Record' });
    const value = panel.getByRole('definition').first();
    await expect.poll(() => value.textContent()).toBe('7');
    await panel.getByRole('button', { name: 'Next record' }).click();
    await expect.poll(() => value.textContent()).toBe('8');
    await panel.getByRole('button', { name: 'Previous record' }).click();
    await panel.getByRole('button', { name: 'Previous record' }).click();
    await expect.poll(() => value.textContent()).toBe('6');
    const opened = gridOf(page).locator('[role=row][aria-current=true]');
    await expect.poll(() => opened.getByRole('gridcell').last().textContent()).toBe('6');
    // An open record is not chosen, and each row says so.
    expect(await opened.getAttribute('aria-selected')).toBe('false');
    await page.getByRole('checkbox', { name: 'Choose record 2', exact: true }).click();
    await gridOf(page).getByRole('row', { selected: true }).waitFor();
  });

  test('shows a record that is not among the loaded ones', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 900);
    const [id] = await insert(app, numbers, { n: 12345 });
    const page = await visit(addressOf(numbers, { record: id }), { as: numbers.owner });
    const panel = page.getByRole('complementary', { name: 'Record' });
    await panel.getByText('12345').waitFor();
    expect(await panel.getByRole('button', { name: 'Next record' }).isDisabled()).toBe(true);
  });

  test('says that a record is not there', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 3);
    const record = '019a3c1e-7f00-7000-8000-000000000000';
    const page = await visit(addressOf(numbers, { record }), { as: numbers.owner });
    await page.getByRole('heading', { name: 'There is no such record' }).waitFor();
    await page.getByText(record).first().waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await cell(page, '2').waitFor();
  });

  test('uses a value as a filter, beside the filter that is there', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    await insert(
      app,
      books,
      EMMA,
      { ...EMMA, title: 'Persuasion' },
      { ...EMMA, title: 'Ulysses', year: 1922 },
    );
    const page = await visit(addressOf(books, { filter: { lent: false } }), { as: home.owner });
    await cell(page, 'Ulysses').waitFor();
    await cell(page, 'Emma').click();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Use year as filter' }).click();
    await cell(page, 'Ulysses').waitFor({ state: 'detached' });
    await cell(page, 'Persuasion').waitFor();
    expect(searchOf(page).filter).toEqual({ lent: false, year: 1815 });
    await page.goBack();
    await cell(page, 'Ulysses').waitFor();
  });
});

describe('a cell', () => {
  test('is copied with its whole value', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    const title = `A title ${'that is long '.repeat(100)}`;
    await insert(app, books, { ...EMMA, title });
    const page = await visit(addressOf(books), { as: home.owner });
    await gridOf(page).getByText('A title').click();
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe(title);
    await cell(page, '1815').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy value' }).click();
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe('1815');
    await cell(page, '1815').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Use as filter' }).click();
    await expect.poll(() => searchOf(page).filter).toEqual({ year: 1815 });
  });
});
