import { expect } from 'vitest';
import { SeenShapes } from '../../../src/features/advice/seen-shapes.service.js';
import type { TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { tool } from '../find/find-page.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';

const ROWS = 3_000;
const SCHEMA = '/collections/books/schema';

/** A collection that is too large to be changed in one transaction. */
async function largeCollection(app: TestApp, home: Home): Promise<TestCollection> {
  const properties = { title: { type: 'text' }, year: { type: 'integer' } };
  const books = await newCollection(app, home, { name: 'books', properties });
  for (let from = 0; from < ROWS; from += 1_000) {
    const numbers = Array.from({ length: 1_000 }, (_, index) => from + index);
    await insert(app, books, ...numbers.map(n => ({ title: 'x'.repeat(300), year: n, shelf: n })));
  }
  return books;
}

test('a change of a large collection shows how far it is, and can be abandoned', async ({ app, visit }) => {
  const home = await newHome(app);
  const { table } = await largeCollection(app, home);
  await app.sql(`
    CREATE FUNCTION ${table}_slow() RETURNS trigger LANGUAGE plpgsql AS
      $f$ BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END $f$;
    CREATE TRIGGER slow BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_slow()`);
  const page = await visit(SCHEMA, { as: home.owner });
  await tool(page, 'Make a column of shelf').click();
  const dialog = page.getByRole('dialog');
  await tool(page, 'Make a column').last().click();
  await page.keyboard.press('Escape');
  await page.getByText(/^The schema is being changed: [\d,]+ of [\d,]+ records\./).waitFor();
  await expectAccessible(page);
  expect(await tool(page, 'Change the column title').count()).toBe(0);
  await tool(page, 'Abandon').click();
  await dialog.getByRole('button', { name: 'Abandon' }).click();
  await tool(page, 'Make a column of shelf').waitFor();
  await expect.poll(() => page.getByText('The schema is being changed').count()).toBe(0);
});

test('advice lists the index that queries lacked, and builds it', async ({ app, visit }) => {
  const home = await newHome(app);
  const books = await largeCollection(app, home);
  const body = { filter: { year: 7 } };
  for (let time = 0; time < 2; time++)
    await app.request('POST', `${books.data}/query`, { ...home.owner, body });
  const shapes = app.nest.get(SeenShapes, { strict: false });
  // Only some shapes are measured at a time, and other files send queries too.
  while ((await shapes.write()).measured > 0);
  const page = await visit(SCHEMA, { as: home.owner });
  await page.getByText(/^2 queries read much more than returned/).waitFor();
  await page.getByText('{"year":"integer"}').waitFor();
  await tool(page, 'Build an index on year').click();
  await tool(page, 'Drop: Index on year').first().waitFor();
  await tool(page, 'Build an index on year').waitFor({ state: 'detached' });
});
