import { describe, expect } from 'vitest';
import { newCollection, newHome } from '../../harness/collection.js';
import { test } from '../support/console-test.js';

describe('somebody who looks for a record', () => {
  test('sorts, scrolls to it, opens it, and shares its link', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newCollection(app, home, {
      properties: { customer: { type: 'text' }, total: { type: 'integer' } },
    });
    const records = Array.from({ length: 400 }, (_, index) => ({
      customer: `Customer ${index}`,
      total: index * 3,
    }));
    await app.request('POST', `${orders.data}/bulk`, { ...home.owner, body: { records } });
    const page = await visit(`/collections/${orders.id}`, { as: home.owner });
    const grid = page.getByRole('grid');
    await grid.getByText('Customer 0', { exact: true }).waitFor();
    const total = grid.getByRole('columnheader', { name: /^total / });
    for (const order of ['ascending', 'descending']) {
      await total.click();
      await expect.poll(() => total.getAttribute('aria-sort')).toBe(order);
    }
    await grid.getByText('Customer 399').hover();
    const wanted = grid.getByText('Customer 250', { exact: true });
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 500);
        return wanted.isVisible();
      })
      .toBe(true);
    await wanted.click();
    await page.keyboard.press('Space');
    await page.getByRole('complementary', { name: 'Record' }).getByText('750', { exact: true }).waitFor();
    const shared = await visit(page.url().split('/console')[1] as string, { as: home.owner });
    await shared.getByRole('complementary', { name: 'Record' }).getByText('Customer 250').waitFor();
  });
});
