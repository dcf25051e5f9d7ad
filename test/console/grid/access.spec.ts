import { describe, expect } from 'vitest';
import { EMMA, insert, newHome, newTypedCollection } from '../../harness/collection.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { expectFocus, focusByKeyboard } from '../support/keyboard.js';
import { addressOf, cell, columnNames, gridOf, header, newNumbers, searchOf } from './grid-page.js';

describe('the grid by keyboard alone', () => {
  test('is one tab stop, and its keys move, sort, resize, open and return', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    const records = Array.from({ length: 60 }, (_, index) => ({
      ...EMMA,
      title: `Book ${index}`,
      year: index,
    }));
    await insert(app, books, ...records);
    const page = await visit(addressOf(books), { as: home.owner });
    await cell(page, 'Book 3').waitFor();
    const active = () => page.evaluate<string>('document.activeElement.textContent');
    await focusByKeyboard(page, gridOf(page));
    expect(await gridOf(page).locator('[tabindex="0"]').count()).toBe(1);
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    expect(await active()).toBe('Book 1');
    await page.keyboard.press('PageDown');
    expect(await active()).not.toBe('Book 1');
    await page.keyboard.press('Control+End');
    await expect.poll(active).toBe('Book 59');
    await page.keyboard.press('Control+Home');
    await expect.poll(active).toBe('Book 0');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await expectFocus(header(page, 'year'));
    await page.keyboard.press('Enter');
    await expect.poll(() => searchOf(page).sort).toEqual(['year']);
    const before = (await header(page, 'year').boundingBox())?.width ?? 0;
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(async () => (await header(page, 'year').boundingBox())?.width).toBe(before + 24);
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await expect.poll(async () => (await columnNames(page)).slice(0, 2)).toEqual(['year', 'title']);
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('menuitemradio', { name: 'Descending' }).waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(header(page, 'year'));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await expectFocus(page.getByRole('complementary', { name: 'Record' }));
    await page.keyboard.press('Escape');
    await expect.poll(active).toBe('0');
  });

  test('keeps the focus when its row leaves the visible part', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 3000);
    const page = await visit(addressOf(numbers), { as: numbers.owner });
    await cell(page, '3').click();
    const toTheEnd = 'document.querySelector("[role=grid]").scrollTop = 1e7';
    await expect
      .poll(async () => {
        await page.evaluate(toTheEnd);
        return cell(page, '2999').count();
      })
      .toBe(1);
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('gridcell');
    await page.keyboard.press('ArrowDown');
    await cell(page, '4').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('4');
  });
});

describe('the grid and the panel of a record', () => {
  test('are accessible in light and in dark', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    const [id] = await insert(app, books, EMMA, { title: '' });
    const page = await visit(
      addressOf(books, { columns: ['title', 'year', 'shelf'], record: id, sort: ['year'] }),
      {
        as: home.owner,
      },
    );
    await page.getByText('Highbury').waitFor();
    await cell(page, 'Emma').waitFor();
    await expectAccessible(page);
  });

  test('fit a phone: the grid scrolls, and the panel has the whole width', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    await insert(app, books, EMMA);
    const page = await visit(addressOf(books), { as: home.owner, phone: true });
    await cell(page, 'Emma').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    const isWider = '(grid => grid.scrollWidth > grid.clientWidth)(document.querySelector("[role=grid]"))';
    expect(await page.evaluate(isWider)).toBe(true);
    await expectAccessible(page);
    await cell(page, 'Emma').tap();
    const panel = page.getByRole('dialog', { name: 'Record' });
    await panel.getByText('Highbury').waitFor();
    expect((await panel.boundingBox())?.width).toBe(360);
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Close' }).tap();
    await panel.waitFor({ state: 'detached' });
  });
});
