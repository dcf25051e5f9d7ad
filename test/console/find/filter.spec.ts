import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import {
  apply,
  condition,
  expectFilter,
  expectTitles,
  fill,
  newLibrary,
  openFilter,
  recordsAt,
  tool,
  writeJson,
} from './find-page.js';

describe('the filter builder', () => {
  test('writes nested groups, and reads them again', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await openFilter(page);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await fill(page, '1', 'year', 'is at least', '1800');
    await page.getByRole('button', { name: 'Add group' }).click();
    const group = page.getByRole('group', { name: 'Group 2', exact: true });
    await group.getByRole('button', { name: 'Add condition' }).click();
    await fill(page, '2.1', 'title', 'starts with', 'E');
    await group.getByRole('button', { name: 'Add condition' }).click();
    await fill(page, '2.2', 'tags', 'contains', 'dublin');
    await expectAccessible(page);
    await apply(page);
    const filter = { year: { $gte: 1800 }, $or: [{ title: { $regex: '^E' } }, { tags: 'dublin' }] };
    await expectFilter(page, filter);
    await expectTitles(page, 'Emma', 'Ulysses');
    await page.getByRole('button', { name: /^Edit the filter: title starts with/ }).click();
    const value = condition(page, '2.2').getByRole('textbox', { name: 'Value' });
    expect(await value.inputValue()).toBe('dublin');
  });

  test('removes one condition of the active filter, or all', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const filter = { year: { $gt: 1800 }, lent: false };
    const page = await visit(recordsAt({ filter }), { as: home.owner });
    await tool(page, 'Remove “lent is false”').click();
    await expectFilter(page, { year: { $gt: 1800 } });
    await expectTitles(page, 'Emma', 'Middlemarch', 'Ulysses');
    await tool(page, 'Clear filter').click();
    await expectFilter(page, undefined);
    await expectTitles(page, 'Emma', 'Middlemarch', 'Ulysses', '=1+1');
  });

  test('asks for what is missing, and applies nothing before', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await openFilter(page);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await fill(page, '1', 'year', 'is');
    await apply(page);
    await condition(page, '1').getByText('Enter a value.').waitFor();
    await expectFilter(page, undefined);
  });

  test('writes dates counted from now as fixed days', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await openFilter(page);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await fill(page, '1', 'printed', 'is before');
    await condition(page, '1').getByRole('button', { name: 'Choose a date' }).click();
    await page.getByRole('menuitem', { name: 'First day of this year' }).click();
    await apply(page);
    const today = new Date().toLocaleDateString('en-CA', { timeZone: 'Europe/Paris' });
    await expectFilter(page, { printed: { $lt: `${today.slice(0, 4)}-01-01` } });
  });

  test('reads and writes instants in the zone that is chosen', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const filter = { read_at: { $gte: '2026-01-31T09:30:00.000Z' } };
    const page = await visit(recordsAt({ filter }), { as: home.owner });
    await openFilter(page);
    const row = condition(page, '1');
    const value = row.getByLabel('Value', { exact: true });
    // The browser of the tests is in Paris.
    expect(await value.inputValue()).toBe('2026-01-31T10:30');
    await row.getByRole('combobox', { name: 'Time zone' }).selectOption('UTC');
    expect(await value.inputValue()).toBe('2026-01-31T09:30');
    await value.fill('2026-02-01T00:00');
    await apply(page);
    await expectFilter(page, { read_at: { $gte: '2026-02-01T00:00:00.000Z' } });
  });

  test('has fields without a column, with the type that a person chooses', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await openFilter(page);
    await page.getByRole('button', { name: 'Add condition' }).click();
    const row = condition(page, '1');
    await row.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'shelf' });
    await row.getByRole('combobox', { name: 'Type' }).selectOption({ label: 'number' });
    await row.getByRole('combobox', { name: 'Operator' }).selectOption({ label: 'is greater than' });
    await row.getByRole('textbox', { name: 'Value' }).fill('6');
    await page.getByRole('button', { name: 'Add condition' }).click();
    const other = condition(page, '2');
    await other.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'Another field…' });
    await other.getByRole('combobox', { name: 'Name of the field' }).fill('details.city');
    await other.getByRole('textbox', { name: 'Value' }).fill('Paris');
    await apply(page);
    await expectFilter(page, { shelf: { $gt: 6 }, 'details.city': 'Paris' });
  });

  test('keeps what was written when the dialog is closed', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await openFilter(page);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await fill(page, '1', 'title', 'contains (any case)', 'middle');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Conditions' }).waitFor({ state: 'detached' });
    await openFilter(page);
    expect(await condition(page, '1').getByRole('textbox', { name: 'Value' }).inputValue()).toBe('middle');
  });

  test('offers the last filters of the collection', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt({ filter: { year: 1 } }), { as: home.owner });
    await openFilter(page, 'JSON');
    await writeJson(page, '{"year": 1871}');
    await apply(page);
    await expectFilter(page, { year: 1871 });
    await tool(page, 'Clear filter').click();
    await openFilter(page);
    await page.getByRole('button', { name: 'Recent filters' }).click();
    await page.getByRole('menuitem', { name: 'year is 1871' }).click();
    await apply(page);
    await expectFilter(page, { year: 1871 });
  });
});

test('a filter that is too long for an address survives a reload, and another tab says that it lacks it', async ({
  app,
  visit,
}) => {
  const { home } = await newLibrary(app);
  const page = await visit(recordsAt(), { as: home.owner });
  const titles = ['Ulysses', ...Array.from({ length: 900 }, (_, index) => `No book ${index} of these`)];
  await openFilter(page, 'JSON');
  await writeJson(page, JSON.stringify({ title: { $in: titles } }));
  await apply(page);
  await expectTitles(page, 'Ulysses');
  expect(page.url().length).toBeLessThan(500);
  await page.reload();
  await expectTitles(page, 'Ulysses');
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByText('The filter of this link was too long for an address.').waitFor();
  await other.getByRole('gridcell', { name: 'Middlemarch' }).waitFor();
});

describe('a filter as JSON', () => {
  test('is edited, and shown as conditions again', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt({ filter: { year: { $gt: 1900 } } }), { as: home.owner });
    await openFilter(page, 'JSON');
    await writeJson(page, '{"year": {"$gt": 1800}, "$nor": [{"lent": true}]}');
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Conditions' }).click();
    const value = condition(page, '1').getByRole('textbox', { name: 'Value' });
    await expect.poll(() => value.inputValue()).toBe('1800');
    await value.fill('1850');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('textbox', { name: 'Filter as JSON' }).getByText('1850').waitFor();
    await apply(page);
    await expectFilter(page, { year: { $gt: 1850 }, $nor: [{ lent: true }] });
  });

  test('suggests columns and their operators', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await openFilter(page, 'JSON');
    await writeJson(page, '{');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: '"title"' }).waitFor();
    await page.keyboard.type('"tag');
    await chooseSuggestion(page, '"tags"');
    await page.keyboard.type('{"$si');
    await chooseSuggestion(page, '"$size"');
    await page.keyboard.type('2');
    await apply(page);
    await expectFilter(page, { tags: { $size: 2 } });
  });

  test('says in which line it is not JSON, and what would be lost', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await openFilter(page, 'JSON');
    await writeJson(page, '{"year": 1,\n"year": 12345678901234567890}');
    await page.getByText('Line 2: This name is there twice').waitFor();
    await page.getByText('Line 2: This number would lose digits.').waitFor();
    await apply(page);
    await expectFilter(page, undefined);
  });

  test('shows the refusal of the service at the place that it names', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await openFilter(page, 'JSON');
    await writeJson(page, '{\n"year": 1,\n"tags": {"$size": -1}\n}');
    await apply(page);
    await page.getByRole('alert').getByText('$size needs an integer from 0').waitFor();
    await page.getByText('Line 3: $size needs an integer from 0').waitFor();
    await page.getByRole('tab', { name: 'Conditions' }).click();
    await condition(page, '2').getByText('Refused: $size needs an integer from 0').waitFor();
    await expectFilter(page, undefined);
  });

  test('is left by the keyboard, and Escape keeps the dialog', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await openFilter(page, 'JSON');
    await writeJson(page, '{"year": 1815}');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    const isInEditor = () =>
      page.evaluate(
        `document.activeElement?.shadowRoot !== null && document.activeElement?.shadowRoot !== undefined`,
      );
    expect(await isInEditor()).toBe(false);
    expect(await page.getByRole('tab', { name: 'JSON' }).isVisible()).toBe(true);
  });
});

test('a part that the conditions cannot show stays as it is', async ({ app, visit }) => {
  const { home } = await newLibrary(app);
  const filter = { shelf: { $type: ['int', 'string'] }, year: { $gt: 1800 } };
  const page = await visit(recordsAt({ filter }), { as: home.owner });
  await openFilter(page);
  await page.getByText('The conditions cannot show every part').waitFor();
  await condition(page, '1').getByText('Written as JSON').waitFor();
  await condition(page, '2').getByRole('textbox', { name: 'Value' }).fill('1850');
  await apply(page);
  await expectFilter(page, { shelf: { $type: ['int', 'string'] }, year: { $gt: 1850 } });
  await openFilter(page);
  const json = condition(page, '1').getByRole('textbox', { name: 'Written as JSON' });
  await json.fill('{"shelf": {"$type": ["int"');
  await apply(page);
  await condition(page, '1').getByText('Write a JSON object').waitFor();
  await json.fill('{"shelf": {"$type": ["int"]}}');
  await apply(page);
  await expectFilter(page, { shelf: { $type: ['int'] }, year: { $gt: 1850 } });
});

test('going back shows the filter before, and a shared link the same filter', async ({ app, visit }) => {
  const library = await newLibrary(app);
  const page = await visit(recordsAt(), { as: library.home.owner });
  for (const year of ['1815', '1871']) {
    await openFilter(page, 'JSON');
    await writeJson(page, `{"year": ${year}}`);
    await apply(page);
    await expectFilter(page, { year: Number(year) });
  }
  await page.goBack();
  await expectFilter(page, { year: 1815 });
  await page.getByRole('button', { name: 'Remove “year is 1815”' }).waitFor();
  await page.goForward();
  await page.getByRole('button', { name: 'Remove “year is 1871”' }).waitFor();
  const { pathname, search } = new URL(page.url());
  const other = await visit(pathname.replace('/console', '') + search, { as: library.home.owner });
  await other.getByRole('button', { name: 'Remove “year is 1871”' }).waitFor();
  await expectTitles(other, 'Middlemarch');
});

/** The editor ignores a click while it still narrows the list to what was typed. */
async function chooseSuggestion(page: Page, name: string): Promise<void> {
  const options = page.getByRole('option');
  await expect.poll(() => options.allTextContents()).toHaveLength(1);
  await options.filter({ hasText: name }).click();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Filter as JSON' }).textContent())
    .toContain(name);
}
