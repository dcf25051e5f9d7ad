import { describe, expect } from 'vitest';
import { newHome } from '../../harness/collection.js';
import { cardOf, newOrders, readCharts, tableOf } from '../charts/orders.js';
import { test } from '../support/console-test.js';

describe('somebody with a collection', () => {
  test('draws a chart, saves it, and finds it again with its table', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    const page = await visit(`/collections/${orders.name}/charts`, { as: home.owner });
    await page.getByRole('button', { name: 'New chart' }).click();
    await page.getByLabel('Title').fill('Amount by month');
    await page.getByLabel('Figure').selectOption('Sum');
    await page.getByLabel('Of the column').selectOption('amount');
    await page.getByLabel('For each').selectOption('ordered_at');
    await page.getByLabel('Period').selectOption('Month');
    await page.getByLabel('Drawn as').selectOption('Line');
    await page.getByRole('img', { name: /Amount by month.*from Jan 2024 to Apr 2024/ }).waitFor();
    await page.getByRole('button', { name: 'Save chart' }).click();
    await cardOf(page, 'Amount by month').waitFor();
    await page.reload();
    await cardOf(page, 'Amount by month').getByRole('button', { name: 'Show as table' }).click();
    const rows = await tableOf(page, 'Amount by month');
    expect(rows.map(([month]) => month)).toEqual(['Jan 2024', 'Feb 2024', 'Mar 2024', 'Apr 2024']);
    const [{ aggregate, every }] = await readCharts(app, orders);
    expect({ aggregate, every }).toEqual({
      aggregate: {
        steps: [{ type: 'sum', input_field: 'amount', output_field: 'sum_amount' }],
        group_by: 'ordered_at',
      },
      every: 'month',
    });
  });
});
