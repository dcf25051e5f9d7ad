import { describe, expect } from 'vitest';
import { insert, newCollection, newHome, search } from '../../harness/collection.js';
import { newMember } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';
import { bar, cellAt, expectStored, expectUnsaved, newBooks, save, YEAR } from './edit-page.js';

describe('the form of a new record', () => {
  test('asks for required values, adds other fields, and is refused at the field', async ({ app, visit }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: books.owner });
    await focusByKeyboard(page, page.getByRole('button', { name: 'New record' }));
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'New record' });
    await form.getByLabel('year', { exact: true }).fill('1820');
    await page.keyboard.press('Enter');
    await form.getByText('This column needs a value').waitFor();
    await expectAccessible(page);
    // A stray key or press does not lose what was entered.
    await page.keyboard.press('Escape');
    await form.getByRole('alert').getByText('What you entered is lost').waitFor();
    await page.keyboard.press('Enter');
    await page.mouse.click(5, 5);
    await form.getByRole('button', { name: 'Stay here' }).click();
    expect(await form.getByLabel('year', { exact: true }).inputValue()).toBe('1820');
    await form.getByLabel('title', { exact: true }).fill('Ulysses');
    await form.getByLabel('tags', { exact: true }).fill('novel\nlong');
    await form.getByLabel('Name of the field').fill('shelf');
    await form.getByLabel('Value', { exact: true }).fill('7');
    await form.getByRole('button', { name: 'Add field' }).click();
    await form.getByRole('button', { name: 'Add to the changes' }).click();
    await expectUnsaved(page, 1);
    await save(page);
    await page.getByRole('alert').getByText('Values do not fit the columns').waitFor();
    await bar(page).getByRole('button', { name: 'Review' }).click();
    const review = page.getByRole('dialog', { name: 'Unsaved changes' });
    await review.getByRole('button', { name: 'Edit new record Ulysses' }).click();
    await form.getByLabel('title', { exact: true }).fill('Sanditon');
    await form.getByRole('button', { name: 'Add to the changes' }).click();
    await review.getByText('New record Sanditon').waitFor();
    await review.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Show the new record' }).click();
    await page.getByRole('gridcell', { name: 'Sanditon' }).waitFor();
    const { records } = await search(app, books, { filter: { title: 'Sanditon' } });
    expect(records).toMatchObject([{ year: 1820, tags: ['novel', 'long'], shelf: 7, price: null }]);
    await page.getByRole('button', { name: 'Undo saved changes' }).click();
    await expect
      .poll(async () => (await search(app, books, { filter: { title: 'Sanditon' } })).count)
      .toBe(0);
  });
});

test('the first record of a collection is shown as soon as it is saved', async ({ app, visit }) => {
  const home = await newHome(app);
  const books = await newCollection(app, home, { properties: { title: { type: 'text' } } });
  const page = await visit(`/collections/${books.id}`, { as: home.owner });
  await page.getByRole('button', { name: 'New record' }).click();
  const form = page.getByRole('dialog', { name: 'New record' });
  await form.getByLabel('title', { exact: true }).fill('Emma');
  await form.getByRole('button', { name: 'Add to the changes' }).click();
  await page.getByRole('heading', { name: 'One new record is not saved yet' }).waitFor();
  await save(page);
  await cellAt(page, 1, 1).getByText('Emma').waitFor();
});

test('rows of a spreadsheet are pasted into a collection that has no records, with or without a header', async ({
  app,
  visit,
}) => {
  const home = await newHome(app);
  const columns = { properties: { title: { type: 'text' }, year: { type: 'integer' } } };
  const [books, notes] = [await newCollection(app, home, columns), await newCollection(app, home)];
  const page = await visit(`/collections/${books.id}`, { as: home.owner });
  const paste = async (text: string) => {
    await page.getByRole('heading', { name: /no records yet|not saved yet/ }).waitFor();
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.keyboard.press('Control+v');
  };
  await paste('Year\tTitle\n1815\tEmma\n1817\tPersuasion\n');
  await expectUnsaved(page, 2);
  await paste('Ulysses\t1922\tx');
  await page.getByRole('alert').getByText('2 values pasted, 1 left out').waitFor();
  await expectUnsaved(page, 3);
  await save(page);
  await cellAt(page, 3, 1).getByText('Ulysses').waitFor();
  const { records } = await search(app, books);
  expect(records).toMatchObject([
    { title: 'Emma', year: 1815 },
    { title: 'Persuasion', year: 1817 },
    { title: 'Ulysses', year: 1922 },
  ]);
  await page.goto(page.url().replace(books.id, notes.id));
  await paste('text\tpage\nfirst\t04109');
  await save(page);
  await expect
    .poll(async () => (await search(app, notes)).records)
    .toMatchObject([{ text: 'first', page: '04109' }]);
});

describe('the panel of a record', () => {
  test('edits each field on a phone, in French: null, empty, other fields', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newCollection(app, home, {
      properties: { title: { type: 'text' }, price: { type: 'double' }, details: { type: 'json' } },
    });
    const [id = ''] = await insert(app, books, { title: 'Emma', price: 1, details: { a: 1 }, shelf: 7 });
    const page = await visit(`/collections/${books.id}?record=${id}`, {
      ...{ as: home.owner, phone: true, language: 'fr' as const },
    });
    const panel = page.getByRole('dialog', { name: 'Enregistrement' });
    await panel.getByRole('button', { name: 'Modifier price' }).click();
    await panel.getByLabel('price', { exact: true }).fill('1 234,5');
    await page.keyboard.press('Enter');
    await panel.getByRole('button', { name: 'Modifier title' }).click();
    await panel.getByRole('button', { name: 'null', exact: true }).click();
    await panel.getByRole('button', { name: 'Appliquer' }).click();
    await panel.getByRole('button', { name: 'Modifier details' }).click();
    await panel.getByLabel('details', { exact: true }).fill('{"a": ');
    await panel.getByText('Ce n’est pas du JSON').waitFor();
    await panel.getByLabel('details', { exact: true }).fill('{"a": [2]}');
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Appliquer' }).click();
    await panel.getByRole('button', { name: 'Supprimer le champ shelf' }).click();
    await panel.getByLabel('Nom du champ').fill('note');
    await panel.getByRole('button', { name: 'Ajouter le champ' }).click();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await panel.getByRole('button', { name: 'Fermer' }).click();
    await page.getByText('5 modifications non enregistrées').first().waitFor();
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expectStored(app, books, id, { title: null, price: 1234.5, details: { a: [2] }, note: '' });
    const record = (await search(app, books)).records[0];
    expect(Object.keys(record)).not.toContain('shelf');
  });

  test('keeps what was entered in a field when another field or record is opened', async ({ app, visit }) => {
    const books = await newBooks(app);
    const page = await visit(`/collections/${books.id}?record=${books.ids[0]}`, { as: books.owner });
    const panel = page.getByRole('complementary', { name: 'Record' });
    await panel.getByRole('button', { name: 'Edit title' }).click();
    await panel.getByLabel('title', { exact: true }).fill('Emma II');
    await panel.getByRole('button', { name: 'Edit year' }).click();
    await expectUnsaved(page, 1);
    await panel.getByLabel('year', { exact: true }).fill('soon');
    await panel.getByRole('button', { name: 'Next record' }).click();
    await panel.getByText('Persuasion').waitFor();
    await expectUnsaved(page, 2);
    await cellAt(page, 1, YEAR).getByText('soon').waitFor();
    await panel.getByRole('button', { name: 'Edit price' }).click();
    await panel.getByLabel('price', { exact: true }).fill('7');
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: 'Edit year' }).click();
    await panel.getByLabel('year', { exact: true }).fill('1819');
    await panel.getByRole('button', { name: 'Close' }).click();
    await expectUnsaved(page, 3);
  });

  test('offers readers nothing that changes records', async ({ app, visit }) => {
    const books = await newBooks(app);
    const { token, userId } = await newMember(app, books.home.org);
    const body = { principal_type: 'user', principal_id: userId, role: 'reader' };
    await app.request('POST', `${books.path}/access`, { ...books.owner, body });
    const page = await visit(`/collections/${books.id}`, { as: { token } });
    await cellAt(page, 1, YEAR).click();
    await page.keyboard.press('F2');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Record' });
    await panel.getByText('1800').waitFor();
    for (const name of [/^Edit/, /^Add/, /^Remove/, 'New record', 'Save']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
  });
});
