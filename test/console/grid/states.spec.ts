import { describe, expect } from 'vitest';
import { EMMA, insert, newCollection, newHome, newTypedCollection } from '../../harness/collection.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { addressOf, cell, columnNames, gridOf, newNumbers, searchOf } from './grid-page.js';

describe('the grid', () => {
  test('of a collection without records shows how to insert one', async ({ app, visit }) => {
    const home = await newHome(app);
    const empty = await newCollection(app, home, {
      properties: { title: { type: 'text', nullable: false } },
    });
    const page = await visit(addressOf(empty), { as: home.owner });
    await page.getByRole('heading', { name: 'This collection has no records yet' }).waitFor();
    const curl = page.getByRole('region', { name: 'curl', exact: true });
    expect(await curl.textContent()).toContain(`${app.url}/v1/collections/${empty.name}/data`);
    expect(await curl.textContent()).toContain('{"records":[{"title":"text"}]}');
    await expectAccessible(page);
    await insert(app, empty, { title: 'Emma' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await cell(page, 'Emma').waitFor();
  });

  test('of a filter that finds nothing offers to clear it', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 3);
    const page = await visit(addressOf(numbers, { filter: { n: 99 } }), { as: numbers.owner });
    await page.getByRole('heading', { name: 'No record matches the filter' }).waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await cell(page, '2').waitFor();
    expect(searchOf(page).filter).toBeUndefined();
  });

  test('says why the service refuses a filter', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 3);
    const page = await visit(addressOf(numbers, { filter: { n: { $near: 5 } } }), { as: numbers.owner });
    await page.getByRole('alert').getByText('$near').waitFor();
  });

  test('waits for a slow service without jumping, and reads again what failed', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 30);
    const page = await visit('/account', { as: numbers.owner });
    let answer: (() => void) | undefined;
    let isRefused = false;
    const held = new Promise<void>(resolve => {
      answer = resolve;
    });
    await page.route(/\/data\/query/, async route => {
      if (isRefused) return route.continue();
      await held;
      isRefused = true;
      await route.fulfill({
        status: 400,
        json: { error: 'InvalidArguments', message: 'refused for the test' },
      });
    });
    await page.goto(`${app.url}/console${addressOf(numbers)}`);
    await gridOf(page).getByRole('row').nth(3).waitFor();
    const waiting = await gridOf(page).boundingBox();
    expect(await gridOf(page).getAttribute('aria-busy')).toBe('true');
    answer?.();
    await page.getByRole('alert').getByText('refused for the test').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await cell(page, '5').waitFor();
    await expect.poll(() => gridOf(page).boundingBox()).toEqual(waiting);
  });

  test('shows a changed schema when it is refreshed', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newTypedCollection(app, home);
    await insert(app, books, EMMA);
    const page = await visit(addressOf(books), { as: home.owner });
    await cell(page, 'Emma').waitFor();
    const body = { properties: { shelf: { type: 'integer' } } };
    const { status, text } = await app.request('PATCH', `${books.path}/schema`, { ...home.owner, body });
    expect(status, text).toBe(200);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(async () => (await columnNames(page)).includes('shelf')).toBe(true);
    await cell(page, '7').waitFor();
  });

  test('says that the collection was deleted meanwhile', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 3);
    const page = await visit(addressOf(numbers), { as: numbers.owner });
    await cell(page, '2').waitFor();
    await app.request('DELETE', numbers.path, numbers.owner);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('heading', { name: 'This collection is no longer there' }).waitFor();
    await page.getByRole('link', { name: 'Collections' }).first().waitFor();
  });
});
