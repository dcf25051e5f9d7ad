import { expect } from 'vitest';
import {
  apply,
  expectFilter,
  expectTitles,
  fill,
  newLibrary,
  openFilter,
  recordsAt,
  tool,
} from '../find/find-page.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { downloaded, withoutFileAccess } from '../support/downloads.js';

test('somebody filters records, saves the view and exports what it shows', async ({ app, visit }) => {
  const { home } = await newLibrary(app);
  const page = await visit(recordsAt(), { as: home.owner });
  await withoutFileAccess(page);
  await openFilter(page);
  await page.getByRole('button', { name: 'Add condition' }).click();
  await fill(page, '1', 'year', 'is less than', '1900');
  await apply(page);
  await expectFilter(page, { year: { $lt: 1900 } });
  await expectTitles(page, 'Emma', 'Middlemarch', '=1+1');

  await tool(page, 'Views').click();
  await page.getByRole('menuitem', { name: 'Save as a new view…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Old books');
  await page.getByRole('button', { name: 'Save' }).click();
  await tool(page, 'View: Old books').waitFor();
  await expectAccessible(page);

  await tool(page, 'Export').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Format' }).selectOption('ndjson');
  const { text } = await downloaded(page, () =>
    dialog.getByRole('button', { name: 'Export', exact: true }).click(),
  );
  const lines = text.trim().split('\n');
  expect(lines.map(line => JSON.parse(line).title)).toEqual(['Emma', 'Middlemarch', '=1+1']);
});
