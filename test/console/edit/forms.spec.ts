import { describe, expect } from 'vitest';
import { insert, newCollection, newHome, search } from '../../builders/collection.js';
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
