import { describe, expect } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';
import {
  apply,
  condition,
  expectFilter,
  fill,
  newLibrary,
  openFilter,
  recordsAt,
  tool,
} from './find-page.js';

describe('by keyboard alone', () => {
  test('a filter is built, applied, edited as JSON and removed', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    const { keyboard } = page;
    await focusByKeyboard(page, tool(page, 'Filter'));
    await keyboard.press('Enter');
    await focusByKeyboard(page, page.getByRole('button', { name: 'Add condition' }));
    await keyboard.press('Enter');
    await focusByKeyboard(page, condition(page, '1').getByRole('combobox', { name: 'Field' }));
    // A native list chooses by the letters that are typed.
    await keyboard.type('year');
    await focusByKeyboard(page, condition(page, '1').getByRole('combobox', { name: 'Operator' }));
    await keyboard.type('is at least');
    await focusByKeyboard(page, condition(page, '1').getByRole('textbox', { name: 'Value' }));
    await keyboard.type('1850');
    await focusByKeyboard(page, page.getByRole('tab', { name: 'Conditions' }), 'Shift+Tab');
    await keyboard.press('ArrowRight');
    await keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: 'Filter as JSON' });
    await focusByKeyboard(page, editor);
    await editor.getByText('1850').waitFor();
    await keyboard.press('Control+Enter');
    await expectFilter(page, { year: { $gte: 1850 } });
    await focusByKeyboard(page, tool(page, /^Remove “year/));
    await keyboard.press('Enter');
    await expectFilter(page, undefined);
  });

  test('a closed dialog gives the focus back', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    for (const name of ['Filter', 'Ask', 'Export', 'Code']) {
      await focusByKeyboard(page, tool(page, name));
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const focused = () =>
        page.evaluate<string | null>(`document.activeElement?.getAttribute('aria-label')`);
      await expect.poll(focused).toBe(name);
    }
  });
});

describe('at 360 pixels', () => {
  test('a nested filter fits the screen', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const filter = {
      title: { $regex: 'a long pattern, longer than the screen is wide', $options: 'i' },
      read_at: { $gte: '2026-01-31T09:30:00.000Z' },
      $or: [{ year: 1 }, { loans: { $elemMatch: { by: 'ada', days: { $gt: 20 } } } }],
    };
    const page = await visit(recordsAt({ filter }), { as: home.owner, phone: true });
    const overflow = () =>
      page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    await tool(page, /^Filter/).waitFor();
    expect(await overflow()).toBe(0);
    await openFilter(page);
    await condition(page, '3.2').waitFor();
    const cut = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[role=dialog] *')].filter(({ scrollWidth, clientWidth, tagName }) =>
        !['INPUT', 'SELECT', 'TEXTAREA', 'OPTION', 'SPAN', 'LEGEND'].includes(tagName) && clientWidth > 1 && scrollWidth > clientWidth + 1).map(({ outerHTML }) => outerHTML.slice(0, 200))`,
    );
    expect(cut).toEqual([]);
    await expectAccessible(page);
    await fill(page, '3.1', 'year', 'is', '1815');
    await apply(page);
    await expectFilter(page, { ...filter, $or: [{ year: 1815 }, filter.$or[1]] });
  });
});
