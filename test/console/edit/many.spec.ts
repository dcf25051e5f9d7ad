import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { startOwnApp } from '../../harness/app.js';
import { insert, newCollection, newHome, search } from '../../harness/collection.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { isFocused } from '../support/keyboard.js';
import {
  cellAt,
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

const CLIPBOARD = 'navigator.clipboard.readText()';

/** Refuses the clipboard after the event of the key or the click that asks for it, as WebKit does. */
const GESTURES = `{
  let isGesture = false;
  for (const type of ['keydown', 'click']) {
    addEventListener(type, () => { isGesture = true; setTimeout(() => { isGesture = false; }); }, true);
  }
  for (const name of ['write', 'writeText']) {
    const write = navigator.clipboard[name].bind(navigator.clipboard);
    navigator.clipboard[name] = async value => {
      if (!isGesture) throw new DOMException('not in a gesture', 'NotAllowedError');
      return write(value);
    };
  }
}`;

const notice = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });

/** What an undo does not change. */
const lasting = ({ updated_at: _, ...rest }: Record<string, unknown>) => rest;

/** Undoes the last write by the button of its notice, after a preview that says how many records it concerns. */
async function undo(page: Page, what: 'change' | 'deletion', records: number): Promise<void> {
  await page.getByRole('button', { name: 'Undo…' }).click();
  const preview = page.getByRole('dialog', { name: `Undo: ${what} of ${records} records` });
  await preview.getByText(`${records} records become what they were before.`).waitFor();
  await preview.getByRole('button', { name: `Undo the changes of ${records} records` }).click();
  await preview.getByText(`${records} records are as they were before.`).waitFor();
  await preview.getByRole('button', { name: 'Close' }).last().click();
  await notice(page, 'The changes are undone').waitFor();
}

describe('many records', () => {
  test('get a value in one field as unsaved changes, and all that match after a dry run, which is undone', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    const chosen = page.getByRole('region', { name: 'Chosen records' });
    await page.getByRole('checkbox', { name: 'Choose record 1' }).click();
    await page.getByRole('checkbox', { name: 'Choose record 3' }).click({ modifiers: ['Shift'] });
    await chosen.getByText('3 records chosen').waitFor();
    await expectAccessible(page);
    await chosen.getByRole('button', { name: 'Edit a field' }).click();
    const form = page.getByRole('dialog', { name: 'Edit a field of 3 records' });
    await form.getByLabel('Field').selectOption('year');
    await form.getByLabel('New value').fill('1801');
    await form.getByRole('button', { name: 'Add to the changes' }).click();
    await expectUnsaved(page, 2);
    await save(page);
    await expectStored(app, books, books.ids[2] as string, { year: 1801 });

    await chosen.getByRole('button', { name: 'Choose all that match' }).click();
    await chosen.getByRole('button', { name: 'Edit a field' }).click();
    const all = page.getByRole('dialog', { name: 'Edit a field of all records that match' });
    await all.getByLabel('Field').selectOption('lent');
    await all.getByLabel('New value').selectOption('true');
    await all.getByRole('button', { name: 'Check' }).click();
    await all.getByText('5 records match, 5 would change').waitFor();
    expect((await search(app, books, { filter: { lent: true } })).count).toBe(0);
    await expectAccessible(page);
    await all.getByRole('button', { name: 'Change 5 records' }).click();
    await notice(page, '5 records are changed').waitFor();
    expect((await search(app, books, { filter: { lent: true } })).count).toBe(5);
    await undo(page, 'change', 5);
    expect((await search(app, books, { filter: { lent: true } })).count).toBe(0);
    await expect.poll(() => cellAt(page, 1, LENT).textContent()).toBe('false');
  });

  test('are deleted after a question that names them, and come back with their ids', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const before = (await search(app, books)).records.map(lasting);
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await cellAt(page, 2, TITLE).click();
    await page.keyboard.press('Shift+Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Space');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Delete 2 records?' });
    await question.getByText('Persuasion').waitFor();
    await question.getByText('Ulysses').waitFor();
    await question.getByText('After that you can undo it.').waitFor();
    expect(await isFocused(question.getByRole('button', { name: 'Delete 2 records' }))).toBe(false);
    await question.getByRole('button', { name: 'Delete 2 records' }).click();
    await notice(page, '2 records are deleted').waitFor();
    expect((await search(app, books)).count).toBe(3);
    await undo(page, 'deletion', 2);
    expect((await search(app, books)).records.map(lasting)).toEqual(before);
    await cellAt(page, 5, TITLE).getByText('Dracula').waitFor();
    await cellAt(page, 1, TITLE).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete record' }).click();
    await page.getByRole('dialog', { name: 'Delete one record?' }).getByText('Emma').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await search(app, books)).count).toBe(5);
  });

  test('are inserted again with new ids if the collection keeps no history', async ({ app, visit }) => {
    const books = await newBooks(app, { history_days: 0 });
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await cellAt(page, 3, TITLE).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete record' }).click();
    const question = page.getByRole('dialog', { name: 'Delete one record?' });
    await question.getByText('with new ids').waitFor();
    await question.getByRole('button', { name: 'Delete one record' }).click();
    await page.getByRole('button', { name: 'Insert again' }).click();
    const ulysses = async () => (await search(app, books, { filter: { title: 'Ulysses' } })).records;
    await expect.poll(ulysses).toMatchObject([{ year: 1802 }]);
    expect((await ulysses())[0]._id).not.toBe(books.ids[2]);
    await page.getByRole('checkbox', { name: 'Choose record 1' }).click();
    await page.getByRole('button', { name: 'Choose all that match' }).click();
    await page.getByRole('button', { name: 'Edit a field' }).click();
    const all = page.getByRole('dialog', { name: 'Edit a field of all records that match' });
    await all.getByLabel('Field').selectOption('year');
    await all.getByLabel('New value').fill('1');
    await all.getByRole('button', { name: 'Check' }).click();
    await all.getByText('this cannot be undone here').waitFor();
    await all.getByRole('button', { name: 'Change 5 records' }).click();
    await notice(page, '5 records are changed').waitFor();
    expect(await page.getByRole('button', { name: 'Undo…' }).count()).toBe(0);
  });
});

test('all records that match are deleted where the service allows it, and come back', async ({ visit }) => {
  const app = await startOwnApp({ environment: { ALLOW_BULK_DELETE: 'true' } });
  onTestFinished(() => app.close());
  const books = await newBooks(app);
  const page = await visit(`/collections/${books.id}?filter={"year":{"$gt":1801}}`, {
    as: books.owner,
    app,
  });
  await page.getByRole('checkbox', { name: 'Choose record 1' }).click();
  await page.getByRole('button', { name: 'Choose all that match' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Delete 3 records?' });
  await question.getByRole('button', { name: 'Delete 3 records' }).click();
  await notice(page, '3 records are deleted').waitFor();
  expect((await search(app, books)).count).toBe(2);
  let release = () => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  await page.route('**/undo', async route => {
    if (!route.request().postData()?.includes('"dry_run":true')) await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Undo…' }).click();
  await page.getByRole('button', { name: 'Undo the changes of 3 records' }).click();
  // The undo goes on when its dialog is closed before it is done.
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  release();
  await notice(page, 'The changes are undone').waitFor();
  expect((await search(app, books)).count).toBe(5);
  await cellAt(page, 3, TITLE).getByText('Dracula').waitFor();
});

test('records whose values fill several answers are all changed', async ({ app, visit }) => {
  const books = await newBooks(app);
  const page = await visit(`/collections/${books.id}`, { as: books.owner });
  await page.getByRole('checkbox', { name: 'Choose record 1' }).click();
  await page.getByRole('checkbox', { name: 'Choose record 3' }).click({ modifiers: ['Shift'] });
  // As the service does when records are large: a page ends early, and its cursor goes on.
  await page.route('**/data/query', route => {
    const body = route.request().postDataJSON();
    return route.continue({ postData: JSON.stringify({ ...body, limit: 1 }) });
  });
  await page.getByRole('button', { name: 'Edit a field' }).click();
  const form = page.getByRole('dialog', { name: 'Edit a field of 3 records' });
  await form.getByLabel('Field').selectOption('price');
  await form.getByLabel('New value').fill('7');
  await form.getByRole('button', { name: 'Add to the changes' }).click();
  await expectUnsaved(page, 3);
  await save(page);
  await notice(page, '3 records are saved').waitFor();
  for (const row of [1, 2, 3]) await cellAt(page, row, PRICE).getByText('7', { exact: true }).waitFor();
  expect(await page.getByText('Deleted', { exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Delete 3 records?' });
  await question.getByText('Ulysses').waitFor();
});

describe('cells', () => {
  test('whose values are read before they are copied are copied within the gesture, as WebKit wants it', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const essay = 'all of it '.repeat(50);
    await insert(app, books, { title: essay });
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await page.evaluate(GESTURES);
    await cellAt(page, 6, TITLE).click();
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe(essay);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe(`${essay}\t`);
    await cellAt(page, 6, TITLE).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy as JSON' }).click();
    await expect.poll(() => page.evaluate(CLIPBOARD)).toContain(`"title": "${essay}"`);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('are copied to a spreadsheet and pasted from one, by locale; misfits are marked', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: books.owner, language: 'fr' });
    await cellAt(page, 1, YEAR).click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe('1800\t0,5\n1801\t1,5');
    await cellAt(page, 2, PRICE).click();
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe('1,5');
    await page.evaluate(
      'navigator.clipboard.writeText("1 850\\t2,25\\tvrai\\t31/12/1850\\nbientôt\\t3,5\\n")',
    );
    await cellAt(page, 4, YEAR).click();
    await page.keyboard.press('Control+v');
    await cellAt(page, 5, YEAR).getByText('bientôt').waitFor();
    await cellAt(page, 5, YEAR).getByText('Ce n’est pas un nombre entier').waitFor();
    const unsaved = page.getByRole('region', { name: 'Modifications non enregistrées' });
    await unsaved.getByText('6 modifications non enregistrées').waitFor();
    await cellAt(page, 5, YEAR).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Abandonner la modification' }).click();
    await unsaved.getByRole('button', { name: 'Enregistrer' }).click();
    await expectStored(app, books, books.ids[3] as string, {
      ...{ year: 1850, price: 2.25, lent: true, printed: '1850-12-31' },
    });
    await expectStored(app, books, books.ids[4] as string, { year: 1804, price: 3.5 });
  });

  test('are filled with one value, and rows below the last one become new records', async ({
    app,
    visit,
  }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await page.evaluate('navigator.clipboard.writeText("2026-01-31\\tx\\ty")');
    await cellAt(page, 1, TAGS).click();
    await page.keyboard.press('Control+v');
    await page.getByRole('alert').getByText('One value pasted, 2 left out').waitFor();
    await page.keyboard.press('Control+z');
    await page.evaluate('navigator.clipboard.writeText("2026-01-31")');
    await cellAt(page, 1, PRINTED).click();
    await cellAt(page, 3, PRINTED).click({ modifiers: ['Shift'] });
    await page.keyboard.press('Control+v');
    await expectUnsaved(page, 3);
    await page.evaluate(
      'navigator.clipboard.writeText("Dracula II\\t1897\\nCarmilla\\t1872\\nThe Monk\\t1796")',
    );
    await cellAt(page, 5, TITLE).click();
    await page.keyboard.press('Control+v');
    await expectUnsaved(page, 7);
    await page.keyboard.press('Control+z');
    await expectUnsaved(page, 3);
    await page.keyboard.press('Control+y');
    await save(page);
    await expect.poll(async () => (await search(app, books)).count).toBe(7);
    const { records } = await search(app, books, { filter: { title: 'Carmilla' } });
    expect(records).toMatchObject([{ year: 1872 }]);
    await expectStored(app, books, books.ids[1] as string, { printed: '2026-01-31' });
    await cellAt(page, 1, PRICE).waitFor();
  });

  test('are chosen by dragging with the mouse, also beyond the edge of the grid', async ({ app, visit }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, {
      properties: { title: { type: 'text' }, number: { type: 'integer' } },
    });
    const records = Array.from({ length: 60 }, (_, index) => ({ title: `title ${index}`, number: index }));
    await insert(app, collection, ...records);
    const page = await visit(`/collections/${collection.id}`, { as: home.owner });
    const [title, number] = [1, 2];
    await cellAt(page, 2, number).hover();
    await page.mouse.down();
    await cellAt(page, 4, number).hover();
    await cellAt(page, 3, title).hover();
    await page.mouse.up();
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe('title 1\t1\ntitle 2\t2');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate(CLIPBOARD)).toBe('title 1\t1\ntitle 2\t2\ntitle 3\t3');

    await cellAt(page, 5, title).hover({ position: { x: 10, y: 16 } });
    await page.mouse.down();
    await cellAt(page, 5, title).hover({ position: { x: 200, y: 16 } });
    await page.mouse.up();
    expect(await page.evaluate('getSelection().toString()')).toBe('title 4');

    await cellAt(page, 1, number).hover();
    await page.mouse.down();
    const grid = await page.getByRole('grid').boundingBox();
    if (grid === null) throw new Error('the grid is not visible');
    await page.mouse.move(grid.x + 400, grid.y + grid.height + 40);
    await cellAt(page, 60, number).waitFor();
    await expect
      .poll(() => page.evaluate(`document.activeElement.closest('[role=row]').ariaRowIndex`))
      .toBe('61');
    await page.mouse.up();
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate<string>(CLIPBOARD).then(text => text.split('\n').length)).toBe(60);
  });
});
