import { describe, expect } from 'vitest';
import { newCollection, newHome, search } from '../../harness/collection.js';
import { newLibrary, newReader, tool } from '../find/find-page.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { downloaded } from '../support/downloads.js';
import { focusByKeyboard } from '../support/keyboard.js';
import { chooseFile } from './import-page.js';

const IMPORT = '/collections/books/import';

describe('an import', () => {
  test('maps headers, checks, names refused rows, imports them once corrected, and is undone with them', async ({
    app,
    visit,
  }) => {
    const { home, books } = await newLibrary(app);
    const page = await visit(IMPORT, { as: home.owner });
    await page.getByText('Drop a file here').waitFor();
    await expectAccessible(page);
    await chooseFile(
      page,
      'more.csv',
      'Title,YEAR,Shelf mark,Note\nPersuasion,1817,C3,x\nSanditon,soon,C4,x\nBroken,1\nSylvia,1863,C5,x\n',
    );
    const where = (name: string) => page.getByRole('combobox', { name: `Where ${name} goes` });
    await expect.poll(() => where('Title').inputValue()).toBe('title');
    expect(await where('YEAR').inputValue()).toBe('year');
    expect(await where('Shelf mark').inputValue()).toBe('Shelf mark');
    await where('Note').selectOption({ label: 'Leave out' });
    await where('Shelf mark').selectOption('title');
    await page.getByText('Two fields go to title.').waitFor();
    expect(await tool(page, 'Import').isDisabled()).toBe(true);
    await where('Shelf mark').selectOption({ label: 'Field Shelf mark' });
    await expectAccessible(page);
    await tool(page, 'Check the file').click();
    await page.getByText('The check is complete. Nothing was written.').waitFor();
    await page.getByText('2 records would be new, 0 would be updated, 2 rows would be left out.').waitFor();
    expect((await search(app, books)).count).toBe(4);
    await tool(page, 'Import').click();
    await page.getByText('The import is complete').waitFor();
    await page.getByText('2 records are new, 0 were updated, 2 rows were left out.').waitFor();
    const refused = page.getByRole('region', { name: 'Rows that were left out' });
    await refused.getByText('has 2 fields, the header has 4').waitFor();
    await refused.getByText(/^year: expects an integer/).waitFor();
    await expectAccessible(page);
    expect(await downloaded(page, () => tool(page, 'Download these rows').click())).toEqual({
      name: 'more-refused.csv',
      text: 'Title,YEAR,Shelf mark,Note\nSanditon,soon,C4,x\nBroken,1\n',
    });
    await page.getByRole('textbox', { name: 'year of row 2' }).fill('1817');
    await tool(page, 'Send the corrected row').click();
    await page.getByText('3 records are new, 0 were updated, one row was left out.').waitFor();
    await page.getByRole('textbox', { name: 'Text of row 3' }).fill('Broken,1,C9,x');
    await tool(page, 'Send the corrected row').click();
    await page.getByText('4 records are new, 0 were updated, 0 rows were left out.').waitFor();
    const { records } = await search(app, books, {
      filter: { 'Shelf mark': { $exists: true } },
      sort: { title: 1 },
    });
    expect(records).toMatchObject([
      { title: 'Broken', year: 1, 'Shelf mark': 'C9' },
      { title: 'Persuasion', year: 1817, 'Shelf mark': 'C3' },
      { title: 'Sanditon', year: 1817, 'Shelf mark': 'C4' },
      { title: 'Sylvia', year: 1863, 'Shelf mark': 'C5' },
    ]);
    expect(records[0]).not.toHaveProperty('Note');

    await tool(page, 'Undo…').click();
    const preview = page.getByRole('dialog', { name: 'Undo: import of 4 records' });
    await preview.getByRole('button', { name: 'Undo the changes of 4 records' }).click();
    await preview.getByText('4 records are as they were before.').waitFor();
    await expectAccessible(page);
    await preview.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('heading', { name: 'The import is undone' }).waitFor();
    expect((await search(app, books)).count).toBe(4);
    expect(await tool(page, 'Undo…').count()).toBe(0);
  });

  test('finds the header below a title, and tells repeated headers apart', async ({ app, visit }) => {
    const { home, books } = await newLibrary(app);
    const page = await visit(IMPORT, { as: home.owner });
    await chooseFile(
      page,
      'report.csv',
      'Books; all\n\nTitle;Year;Year\nPersuasion;1817;1818\nSanditon;;1\n',
    );
    const where = (name: string) => page.getByRole('combobox', { name: `Where ${name} goes` });
    const names = page.getByRole('combobox', { name: 'Names of the fields' });
    await expect.poll(() => names.inputValue()).toBe('3');
    await names.selectOption({ label: 'Line 1: Books; all' });
    await where('Books').waitFor();
    await names.selectOption({ label: 'Line 3: Title;Year;Year' });
    await expect.poll(() => where('Year').inputValue()).toBe('year');
    await where('Year (2)').selectOption({ label: 'Leave out' });
    await expectAccessible(page);
    await tool(page, 'Import').click();
    await page.getByText('2 records are new, 0 were updated, 0 rows were left out.').waitFor();
    const { records } = await search(app, books, { filter: { title: 'Persuasion' } });
    expect(records).toMatchObject([{ year: 1817 }]);
  });

  test('updates records by a unique column, all rows or none', async ({ app, visit }) => {
    const home = await newHome(app);
    const properties = { isbn: { type: 'text', nullable: false }, year: { type: 'integer' } };
    const books = await newCollection(app, home, {
      name: 'books',
      properties,
      uniques: [{ properties: ['isbn'] }],
    });
    const page = await visit(IMPORT, { as: home.owner });
    const records = [
      { isbn: '1', year: 1815 },
      { isbn: '2', year: 'soon' },
      { isbn: '3', year: 1922 },
    ];
    await chooseFile(page, 'books.json', JSON.stringify(records, null, 2));
    const where = page.getByRole('combobox', { name: 'Where isbn goes' });
    await where.selectOption({ label: 'Leave out' });
    await page.getByText('No field goes to isbn, which needs a value.').waitFor();
    await where.selectOption('isbn');
    await page.getByRole('combobox', { name: 'Rows that do not fit' }).selectOption('all');
    await tool(page, 'Import').click();
    await page.getByText('Nothing was imported, because rows do not fit').waitFor();
    await page.getByText(/^year: expects an integer/).waitFor();
    expect((await search(app, books)).count).toBe(0);
    await tool(page, 'Choose another file').click();
    await chooseFile(page, 'books.ndjson', '{"isbn":"1","year":1815}\n{"isbn":"1","year":1816}\n');
    await page.getByRole('combobox', { name: 'Records that are there already' }).selectOption('isbn');
    await tool(page, 'Import').click();
    await page.getByText('The import is complete').waitFor();
    expect((await search(app, books)).records).toMatchObject([{ isbn: '1', year: 1816 }]);
  });

  test('waits when the collection is full, and goes on when its limit was raised', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newCollection(app, home, {
      name: 'books',
      properties: { title: { type: 'text' } },
      settings: { max_records: 2 },
    });
    const page = await visit(IMPORT, { as: home.owner });
    await chooseFile(page, 'books.csv', 'title\nEmma\nUlysses\nSylvia\n');
    await tool(page, 'Import').click();
    await page.getByRole('alert').getByText('it takes at most 2 records').waitFor();
    await expectAccessible(page);
    await page.getByRole('spinbutton', { name: 'New limit' }).fill('10');
    await tool(page, 'Raise the limit and go on').click();
    await page.getByText('The import is complete').waitFor();
    expect((await search(app, books)).count).toBe(3);
    await page.getByRole('link', { name: 'Open the records' }).click();
    await page.getByRole('gridcell', { name: 'Sylvia' }).waitFor();
  });

  test('that breaks off goes on where it was', async ({ app, visit }) => {
    const { home, books } = await newLibrary(app);
    const page = await visit(IMPORT, { as: home.owner });
    await page.route('**/import?**', route => route.abort());
    await chooseFile(page, 'books.csv', 'title\nEmma II\nSylvia\n');
    await tool(page, 'Import').click();
    await page.getByText('The import failed').waitFor();
    expect(await tool(page, 'Import').isDisabled()).toBe(true);
    await page.unroute('**/import?**');
    await tool(page, 'Continue').click();
    await page.getByText('The import is complete').waitFor();
    expect((await search(app, books, { filter: { title: { $in: ['Emma II', 'Sylvia'] } } })).count).toBe(2);
  });

  test('that is stopped says what is written', async ({ app, visit }) => {
    const { home, books } = await newLibrary(app);
    const page = await visit(IMPORT, { as: home.owner });
    let release = () => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/import?**', async route => {
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    });
    const row = `${'x'.repeat(5_000)}\n`;
    await chooseFile(page, 'large.csv', `title\n${row.repeat(2_000)}`);
    await tool(page, 'Import').click();
    await page.getByRole('link', { name: 'Charts' }).click();
    await page.getByRole('dialog', { name: 'The import is still running' }).waitFor();
    await tool(page, 'Stay').click();
    await tool(page, 'Stop').click();
    await page.getByText('Stopping after the rows that are on their way').waitFor();
    release();
    await page.getByText('Stopped. What is written stays.').waitFor();
    const { count } = (await app.request('GET', `${books.data}/count`, home.owner)).body;
    expect(count).toBeGreaterThan(4);
    expect(count).toBeLessThan(2_004);
    await page.getByText(`${(count - 4).toLocaleString('en')} records are new`).waitFor();
  });

  test('renames the fields of a JSON list, and says what the service did with others', async ({
    app,
    visit,
  }) => {
    const { home, books } = await newLibrary(app);
    const page = await visit(IMPORT, { as: home.owner });
    await chooseFile(page, 'books.json', '[{"name":"Sylvia","_id":7,"long":12345678901234567890,"note":1}]');
    const where = (name: string) => page.getByRole('combobox', { name: `Where ${name} goes` });
    await where('name').selectOption('title');
    await where('note').selectOption({ label: 'Leave out' });
    await where('long').selectOption({ label: 'Field long' });
    await tool(page, 'Import').click();
    await page.getByText('One record is new').waitFor();
    await page.getByText(/^Whole numbers of more than 15 digits lose digits.*: long\.$/).waitFor();
    const { records } = await search(app, books, { filter: { title: 'Sylvia' } });
    expect(records).toHaveLength(1);
    for (const name of ['name', 'note']) expect(records[0]).not.toHaveProperty(name);

    await tool(page, 'Choose another file').click();
    await chooseFile(page, 'books.csv', 'title,created_at,pages\nEmma II,1815,320\n');
    await where('created_at').selectOption({ label: 'Field created_at' });
    await tool(page, 'Check the file').click();
    await page.getByText(/^Not imported, because the service sets .*: created_at\.$/).waitFor();
    await page.getByText(/^Stored as texts, .*: pages\.$/).waitFor();
  });

  test('is not offered to readers', async ({ app, visit }) => {
    const library = await newLibrary(app);
    const page = await visit(IMPORT, { as: await newReader(app, library) });
    await page.getByText('You may not add records to this collection').waitFor();
    expect(await page.getByRole('link', { name: 'Import' }).count()).toBe(0);
    await expectAccessible(page);
  });
});

describe('a new collection', () => {
  test('is made from a file of a French spreadsheet, with columns that fit', async ({ app, visit }) => {
    const home = await newHome(app);
    const page = await visit('/import', { as: home.owner });
    await chooseFile(page, 'classeur.xlsx', 'PK\x03\x04');
    await page.getByRole('alert').getByText('This is not a text file.').waitFor();
    const rows = ['Prénom;Prix;Acheté le;Poids;Remarque', 'Émile;1 234,50;31/12/2026;0,125;x'];
    rows.push('Zoé;2,5;01/02/2026;7;', 'Léa;3;02/02/2026;1,5;', 'Ada;4;03/02/2026;inconnu;', '');
    const text = rows.join('\n');
    await chooseFile(page, 'Achats été.csv', Buffer.from(text, 'latin1'));
    expect(await page.getByRole('combobox', { name: 'Characters' }).inputValue()).toBe('windows-1252');
    expect(await page.getByRole('combobox', { name: 'Separator' }).inputValue()).toBe(';');
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Achats-ete');
    const type = (name: string) => page.getByRole('combobox', { name: `Type of ${name}` });
    await type('Prix').waitFor();
    expect(await type('Prix').inputValue()).toBe('double');
    expect(await type('Acheté le').inputValue()).toBe('date');
    // One value of another kind does not decide in silence.
    await page.getByText('3 of the first 4 values fit the type number.').waitFor();
    await type('Poids').selectOption('double');
    await page.getByRole('checkbox', { name: 'Remarque', exact: true }).uncheck();
    await page.getByRole('textbox', { name: 'Column for Prénom' }).fill('first_name');
    await expectAccessible(page);
    await tool(page, 'Create and import').click();
    await page.getByText('The import is complete').waitFor();
    await page.getByRole('link', { name: 'Open the records' }).click();
    await page.getByRole('gridcell', { name: 'Émile' }).waitFor();
    const answer = await app.request('POST', '/v1/collections/Achats-ete/data/query', {
      ...home.owner,
      body: {},
    });
    expect(answer.body.records).toMatchObject([
      { first_name: 'Émile', Prix: 1234.5, achete_le: '2026-12-31', Poids: 0.125 },
      { first_name: 'Zoé', Prix: 2.5, achete_le: '2026-02-01', Poids: 7 },
      { first_name: 'Léa', Prix: 3, achete_le: '2026-02-02', Poids: 1.5 },
    ]);
  });

  test('is made by the keyboard alone, at 360 pixels', async ({ app, visit }) => {
    const home = await newHome(app);
    await newCollection(app, home, { name: 'books' });
    const page = await visit('/import', { as: home.owner, phone: true });
    const choose = page.getByRole('button', { name: 'Choose a file' });
    // The browser needs a moment until it tells of the dialog instead of opening it.
    const choosing = page.waitForEvent('filechooser');
    await focusByKeyboard(page, choose);
    await page.keyboard.press('Enter');
    await (await choosing).setFiles({
      name: 'books.tsv',
      mimeType: '',
      buffer: Buffer.from('title\tyear\nEmma\t1815\n'),
    });
    await page.getByRole('textbox', { name: 'Column for title' }).waitFor();
    await expectAccessible(page);
    const create = page.getByRole('button', { name: 'Create and import' });
    await focusByKeyboard(page, create);
    await page.keyboard.press('Enter');
    await page.getByText('You have a collection of this name.').waitFor();
    await focusByKeyboard(page, page.getByRole('textbox', { name: 'Name' }), 'Shift+Tab');
    await page.keyboard.type('novels');
    await page.keyboard.press('Enter');
    await page.getByText('The import is complete').waitFor();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
  });
});
