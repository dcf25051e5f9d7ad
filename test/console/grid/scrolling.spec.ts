import { describe, expect } from 'vitest';
import { insert } from '../../harness/collection.js';
import { test } from '../support/console-test.js';
import {
  addressOf,
  cell,
  cellsOf,
  gridOf,
  newNumbers,
  requestsOf,
  searchOf,
  textsWhileScrolling,
} from './grid-page.js';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => String(index));

describe('the grid over many records', () => {
  test('shows every record once and in order, down to the end and back up', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 2600);
    const page = await visit(addressOf(numbers), { as: numbers.owner });
    await page.setViewportSize({ width: 1280, height: 2400 });
    await cell(page, '0').waitFor();
    expect(await textsWhileScrolling(page, 1)).toEqual(upTo(2600));
    expect(await textsWhileScrolling(page, -1)).toEqual(upTo(2600).reverse());
  });

  test('goes to the end, reads backward from there, and goes back to the beginning', async ({
    app,
    visit,
  }) => {
    const numbers = await newNumbers(app, 1500);
    const page = await visit(addressOf(numbers), { as: numbers.owner });
    await page.setViewportSize({ width: 1280, height: 2400 });
    await cell(page, '0').waitFor();
    await page.getByRole('button', { name: 'Last records' }).click();
    await cell(page, '1499').waitFor();
    expect(await cell(page, '0').count()).toBe(0);
    expect(await textsWhileScrolling(page, -1)).toEqual(upTo(1500).reverse());
    await page.getByRole('button', { name: 'Last records' }).click();
    await cell(page, '1499').waitFor();
    await page.getByRole('button', { name: 'First records' }).click();
    await cell(page, '0').waitFor();
  });

  test('keeps the text of an open editor while its row is out of sight and out of memory', async ({
    app,
    visit,
  }) => {
    const numbers = await newNumbers(app, 1500);
    const page = await visit(addressOf(numbers), { as: numbers.owner });
    await cell(page, '3').click();
    await page.keyboard.press('F2');
    const editor = gridOf(page).getByRole('textbox', { name: 'n' });
    await editor.fill('34567');
    await expect
      .poll(async () => {
        await gridOf(page).evaluate(grid => grid.scrollTo(0, grid.scrollHeight));
        return cell(page, '1499').count();
      })
      .toBe(1);
    await page.keyboard.type('8');
    await gridOf(page).evaluate(grid => grid.scrollTo(0, 0));
    await cell(page, '0').waitFor();
    expect(await editor.inputValue()).toBe('345678');
    await page.keyboard.press('Enter');
    await gridOf(page).getByText('345678', { exact: true }).waitFor();
  });

  test('goes to a value of the sorted column, and on in both directions', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 1500);
    const page = await visit(addressOf(numbers, { sort: ['-n'] }), { as: numbers.owner });
    await page.setViewportSize({ width: 1280, height: 2400 });
    await cell(page, '1499').waitFor();
    const field = page.getByRole('textbox', { name: 'Go to n' });
    await field.fill('many');
    await field.press('Enter');
    await page.getByRole('alert').getByText('Enter a value of the type integer').waitFor();
    await field.fill('700');
    await field.press('Enter');
    await cell(page, '700').waitFor();
    await expect.poll(() => cell(page, '702').count()).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await textsWhileScrolling(page, 1)).toEqual(upTo(702).reverse());
    expect((await textsWhileScrolling(page, -1)).slice(-800)).toEqual(upTo(1500).slice(-800));
  });

  test('counts nothing until it is asked to', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 450);
    const page = await visit('/account', { as: numbers.owner });
    const requests = requestsOf(page, /\/v1\//);
    await page.goto(`${app.url}/console${addressOf(numbers)}`);
    await cell(page, '0').waitFor();
    expect(await gridOf(page).getAttribute('aria-rowcount')).toBe('-1');
    const counts = () =>
      requests.filter(
        request => /count/.test(request.url()) || /with_total|with_counts/.test(request.postData() ?? ''),
      );
    expect(counts()).toEqual([]);
    await page.getByRole('button', { name: 'Count all' }).click();
    await page.getByText('450 records', { exact: true }).waitFor();
    expect(counts()).toHaveLength(1);
    expect(await gridOf(page).getAttribute('aria-rowcount')).toBe('451');
  });

  test('stops counting when it is told to', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 450);
    const page = await visit(addressOf(numbers), { as: numbers.owner });
    await cell(page, '0').waitFor();
    // The count is never answered.
    await page.route(/\/data\/count/, () => undefined);
    const failed = page.waitForEvent('requestfailed', request => request.url().includes('/count'));
    await page.getByRole('button', { name: 'Count all' }).click();
    await page.getByRole('button', { name: 'Counting… Stop' }).click();
    await failed;
    await page.getByRole('button', { name: 'Count all' }).waitFor();
  });

  test('reads no whole value of 5 MB until its record is opened', async ({ app, visit }) => {
    const numbers = await newNumbers(app, 300);
    const [id] = await insert(app, numbers, { n: -1, essay: 'x'.repeat(5_000_000) });
    const address = addressOf(numbers, { sort: ['n'], columns: ['n', 'essay'] });
    const page = await visit('/account', { as: numbers.owner });
    let bytes = 0;
    page.on('response', async response => {
      if (/\/v1\//.test(response.url())) bytes += (await response.body().catch(() => '')).length;
    });
    await page.goto(`${app.url}/console${address}`);
    await cell(page, '-1').waitFor();
    expect(await cellsOf(page, 3).first().textContent()).toMatch(/^x{200}/);
    await expect.poll(() => bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThan(500_000);
    await page.getByRole('button', { name: 'Open record' }).first().click();
    await page.getByText('10,000 of 5,000,000 characters').waitFor();
    expect(searchOf(page).record).toBe(id);
    await expect.poll(() => bytes).toBeGreaterThan(5_000_000);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('essay.txt');
  });
});
