import { describe, expect } from 'vitest';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { expectFilter, inAddress, newLibrary, recordsAt, tool } from './find-page.js';

describe('a question', () => {
  test('finds records: the address shows the filter and the sort of its plan', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await tool(page, 'Ask').click();
    await page
      .getByRole('textbox', { name: 'Question about these records' })
      .fill('list the books of year 1871');
    await page.keyboard.press('Enter');
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('The grid shows these records.').waitFor();
    await answer.getByText('where year is 1871').waitFor();
    await answer.getByText('Planned by rules, without a language model.').waitFor();
    await expectFilter(page, { year: 1871 });
    await expectAccessible(page);
  });

  test('counts: the answer is a figure, and its records can be shown', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner });
    await tool(page, 'Ask').click();
    await page
      .getByRole('textbox', { name: 'Question about these records' })
      .fill('how many books with year over 1850?');
    await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).click();
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('2', { exact: true }).waitFor();
    expect(inAddress(page, 'filter')).toBeUndefined();
    await answer.getByRole('button', { name: 'Show the records in the grid' }).click();
    await expect.poll(() => inAddress(page, 'filter')).toHaveProperty('year');
  });

  test('in French gets a table and its texts in French', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt(), { as: home.owner, language: 'fr' });
    await tool(page, 'Demander').click();
    await page
      .getByRole('textbox', { name: 'Question sur ces enregistrements' })
      .fill('combien de livres par year ?');
    await page.keyboard.press('Enter');
    const table = page.getByRole('region', { name: 'Réponse' }).getByRole('table');
    await table.getByRole('row', { name: '1922 1' }).waitFor();
    await page.getByText('Planifié par des règles, sans modèle de langage.').waitFor();
  });

  test('that is refused shows the hint of the service and changes nothing', async ({ app, visit }) => {
    const { home } = await newLibrary(app);
    const page = await visit(recordsAt({ filter: { year: 1815 } }), { as: home.owner });
    await tool(page, 'Ask').click();
    await page
      .getByRole('textbox', { name: 'Question about these records' })
      .fill('how many unicorns are there?');
    await page.keyboard.press('Enter');
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByRole('heading', { name: 'This question cannot be answered' }).waitFor();
    await answer.getByText('unicorns').waitFor();
    await expectFilter(page, { year: 1815 });
  });
});
