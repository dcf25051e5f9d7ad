import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { EMMA, insert, newCollection, newHome, newTypedCollection } from '../../harness/collection.js';
import { test } from '../support/console-test.js';
import { expectFocus, focusByKeyboard } from '../support/keyboard.js';
import { addressOf, cell, cellsOf, columnNames, gridOf, header, newNumbers, searchOf } from './grid-page.js';

async function columnMenu(page: Page, name: string): Promise<void> {
  await header(page, name)
    .getByRole('button', { name: `Column ${name}` })
    .click();
}

async function widthOf(page: Page, name: string): Promise<number> {
  return (await header(page, name).boundingBox())?.width ?? 0;
}

describe('the columns of the grid', () => {
  test('sort by their header: ascending, descending, not at all', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 30);
    const page = await visit(addressOf(numbers), { as: numbers.owner });
    await cell(page, '0').waitFor();
    const sorted = () => header(page, 'n').getAttribute('aria-sort');
    expect(await sorted()).toBe('none');
    await header(page, 'n').click();
    await expect.poll(sorted).toBe('ascending');
    expect(searchOf(page).sort).toEqual(['n']);
    await header(page, 'n').click();
    await expect.poll(() => cellsOf(page, 2).first().textContent()).toBe('29');
    expect(await sorted()).toBe('descending');
    expect(searchOf(page).sort).toEqual(['-n']);
    await header(page, 'n').click();
    await expect.poll(() => cellsOf(page, 2).first().textContent()).toBe('0');
    expect(searchOf(page).sort).toBeUndefined();
    await page.goBack();
    await expect.poll(() => cellsOf(page, 2).first().textContent()).toBe('29');
  });

  test('have menus for the keyboard, as cells do, and each menu gives the focus back', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    await insert(app, books, EMMA);
    const page = await visit(addressOf(books), { as: home.owner });
    await cell(page, 'Emma').click();
    await page.keyboard.press('Shift+F10');
    await expectFocus(page.getByRole('menu'));
    await page.keyboard.press('End');
    await expectFocus(page.getByRole('menuitem', { name: 'Delete record' }));
    await page.keyboard.press('Home');
    await expectFocus(page.getByRole('menuitem', { name: 'Open record' }));
    await page.keyboard.press('Escape');
    await expectFocus(cell(page, 'Emma'));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Alt+ArrowDown');
    await expectFocus(page.getByRole('menu', { name: 'Column title' }));
    await page.keyboard.type('hi');
    await expectFocus(page.getByRole('menuitem', { name: 'Hide column' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => columnNames(page)).not.toContain('title');
    await expectFocus(header(page, 'year'));

    await page.setViewportSize({ width: 1280, height: 300 });
    await focusByKeyboard(page, page.getByRole('button', { name: 'Account' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    const last = page.getByRole('menuitem', { name: 'Sign out' });
    await expectFocus(last);
    const { y = 0, height = 0 } = (await last.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(300);
  });

  test('stay hidden, moved, resized and pinned after the page is loaded again', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    await insert(app, books, EMMA);
    const page = await visit(addressOf(books), { as: home.owner });
    await cell(page, 'Emma').waitFor();
    await columnMenu(page, 'year');
    await page.getByRole('menuitem', { name: 'Hide column' }).click();
    await columnMenu(page, 'lent');
    await page.getByRole('menuitem', { name: 'Move left' }).click();
    await page.keyboard.press('Escape');
    await columnMenu(page, 'price');
    await page.getByRole('menuitem', { name: 'Pin at the left' }).click();
    const box = await header(page, 'title').boundingBox();
    const edge = { x: (box?.x ?? 0) + (box?.width ?? 0) - 3, y: (box?.y ?? 0) + 10 };
    await page.mouse.move(edge.x, edge.y);
    await page.mouse.down();
    await page.mouse.move(edge.x + 80, edge.y, { steps: 4 });
    await page.mouse.up();
    const names = ['price', 'title', 'lent', 'printed', 'read_at', 'details', 'tags'];
    await expect.poll(() => columnNames(page)).toEqual(names);
    await expect.poll(() => widthOf(page, 'title')).toBe((box?.width ?? 0) + 80);
    expect(searchOf(page).sort).toBeUndefined();
    await page.reload();
    await cell(page, 'Emma').waitFor();
    expect(await columnNames(page)).toEqual(names);
    expect(await widthOf(page, 'title')).toBe((box?.width ?? 0) + 80);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Show the default columns' }).click();
    await expect.poll(async () => (await columnNames(page)).includes('year')).toBe(true);
  });

  test('tell null, an absent field and an empty text apart', async ({ app, visit }) => {
    const home = await newHome(app);
    const notes = await newCollection(app, home, { properties: { title: { type: 'text' } } });
    await insert(app, notes, { title: null, note: null }, { title: '', note: '' }, { title: 'null' });
    const page = await visit(addressOf(notes, { columns: ['title', 'note'] }), { as: home.owner });
    await cell(page, 'null').waitFor();
    expect(await cellsOf(page, 2).allTextContents()).toEqual(['nullnull value', '""empty text', 'null']);
    expect(await cellsOf(page, 3).allTextContents()).toEqual([
      'nullnull value',
      '""empty text',
      '—field is absent',
    ]);
    expect(await gridOf(page).getByRole('gridcell', { name: 'field is absent' }).count()).toBe(1);
    expect(await gridOf(page).getByRole('gridcell', { name: 'empty text' }).count()).toBe(2);
    expect(await gridOf(page).getByRole('gridcell', { name: 'null value' }).count()).toBe(2);
  });

  test('show each type as it is', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    await insert(app, books, EMMA);
    const page = await visit(addressOf(books), { as: home.owner });
    await cell(page, 'Emma').waitFor();
    const texts = await gridOf(page).getByRole('row').nth(1).getByRole('gridcell').allInnerTexts();
    expect(texts.slice(1)).toEqual([
      'Emma',
      '1815',
      '12.5',
      'false',
      '1815-12-23',
      '2026-01-31 10:30:00.250 GMT+1',
      '{"pages":[120,340],"publisher":{"city":"London","name":"Murray"}}',
      '["novel","england"]',
    ]);
    const alignment = (element: unknown) =>
      // biome-ignore lint/suspicious/noExplicitAny: this runs in the page
      (globalThis as any).getComputedStyle(element).justifyContent;
    expect(await cell(page, '1815').evaluate(alignment)).toBe('flex-end');
    expect(await cell(page, 'Emma').evaluate(alignment)).not.toBe('flex-end');
  });

  test('can be flexible fields and fields of the service', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    const [id] = await insert(app, books, EMMA);
    const page = await visit(addressOf(books, { columns: ['title'] }), { as: home.owner });
    await cell(page, 'Emma').waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'shelf' }).click();
    await page.getByRole('menuitemcheckbox', { name: '_id' }).click();
    await page.keyboard.press('Escape');
    await cell(page, '7').waitFor();
    await cell(page, id as string).waitFor();
    expect(searchOf(page).columns).toEqual(['title', 'shelf', '_id']);
  });

  test('are many: only those in view are drawn, and the keyboard reaches the others', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const names = Array.from({ length: 80 }, (_, index) => `column_${index}`);
    const wide = await newCollection(app, home, {
      properties: Object.fromEntries(names.map(name => [name, { type: 'text' }])),
    });
    await insert(app, wide, Object.fromEntries(names.map(name => [name, `value of ${name}`])));
    const page = await visit(addressOf(wide), { as: home.owner });
    await cell(page, 'value of column_0').click();
    expect(await gridOf(page).getByRole('columnheader').count()).toBeLessThan(30);
    await page.keyboard.press('End');
    await cell(page, 'value of column_79').waitFor();
    await expectFocus(cell(page, 'value of column_79'));
    await page.keyboard.press('Home');
    await expect.poll(() => page.evaluate('document.activeElement.dataset.place')).toBe('0');
  });
});
