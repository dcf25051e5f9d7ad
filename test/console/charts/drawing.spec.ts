import { describe, expect } from 'vitest';
import { newHome } from '../../harness/collection.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';
import { aggregate, barChart, COUNT, cardOf, newOrders, saveCharts, tableOf } from './orders.js';

const steps = [{ type: 'avg', input_field: 'amount', output_field: 'avg_amount' }];
const chart = (type: string, body: object, every?: string) => ({
  id: type,
  title: `Orders as ${type}`,
  type,
  aggregate: body,
  ...(every && { every }),
});

describe('a chart', () => {
  test('of every kind has a table with the figures that the service computes', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    const charts = [
      chart('bar', { steps: COUNT, group_by: 'city', sort: { count: -1 } }),
      chart('line', { steps, group_by: ['city', 'is_paid'] }),
      chart('area', { steps: COUNT, group_by: ['city', 'is_paid'] }),
      chart('pie', { steps: COUNT, group_by: 'city', filter: { is_paid: true } }),
      chart('table', { steps, group_by: 'city', limit: 2 }),
      chart('number', { steps }),
    ];
    await saveCharts(app, orders, charts);
    const page = await visit(`/collections/${orders.name}/charts`, { as: home.owner });
    for (const { type, title, aggregate: body } of charts) {
      const card = cardOf(page, title);
      await card.scrollIntoViewIfNeeded();
      if (type !== 'table') await card.getByRole('button', { name: 'Show as table' }).click();
      const results: Record<string, unknown>[] = await aggregate(app, orders, body);
      const expected = results.map(row =>
        Object.values(row).map(value => (value === null ? '(no value)' : String(value))),
      );
      const shown = await tableOf(page, title);
      expect(shown.map(row => row.map(rounded))).toEqual(expected.map(row => row.map(rounded)));
    }
  });

  test('of periods counts each period, also those without records', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    await saveCharts(app, orders, [chart('line', { steps: COUNT, group_by: 'ordered_at' }, 'month')]);
    const page = await visit(`/collections/${orders.name}/charts`, { as: home.owner });
    const drawing = page.getByRole('img', { name: /Orders as line.*4 groups, from Jan 2024 to Apr 2024/ });
    await drawing.waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    expect(await tableOf(page, 'Orders as line')).toEqual([
      ['Jan 2024', '20'],
      ['Feb 2024', '20'],
      ['Mar 2024', '0'],
      ['Apr 2024', '20'],
    ]);
  });

  test('says its values group by group to the keyboard', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    await saveCharts(app, orders, [barChart('a', 'By city')]);
    const page = await visit(`/collections/${orders.name}/charts`, { as: home.owner });
    const values = page.getByRole('slider', { name: 'Values of By city' });
    await focusByKeyboard(page, values);
    const said = [await values.getAttribute('aria-valuetext')];
    for (let step = 0; step < 3; step++) {
      await page.keyboard.press('ArrowRight');
      said.push(await values.getAttribute('aria-valuetext'));
    }
    const results: { city: string | null; count: number }[] = await aggregate(app, orders, {
      steps: COUNT,
      group_by: 'city',
    });
    expect(said).toEqual(results.map(({ city, count }) => `${city ?? '(no value)'}: ${count}`));
  });

  test('that is refused says why, and the others stay', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    await saveCharts(app, orders, [
      barChart('a', 'Refused', {
        aggregate: { steps: [{ type: 'sum', input_field: 'city', output_field: 'n' }] },
      }),
      barChart('b', 'Drawn'),
    ]);
    const page = await visit(`/collections/${orders.name}/charts`, { as: home.owner });
    await cardOf(page, 'Drawn').getByRole('img').waitFor();
    const refusal = cardOf(page, 'Refused').getByRole('alert');
    expect(await refusal.textContent()).toContain("sum of 'city' needs numbers");
  });

  test('is requested when it comes into view, at most four requests at a time', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    const charts = Array.from({ length: 30 }, (_, index) =>
      barChart(`c${index}`, `Chart ${index}`, {
        aggregate: { steps: COUNT, group_by: 'city', filter: { amount: { $gte: index } } },
      }),
    );
    await saveCharts(app, orders, charts);
    const page = await visit('/collections', { as: home.owner });
    let [open, most, all] = [0, 0, 0];
    // The first request is answered when a second one was sent, so that a fast machine does not answer one by one.
    let isSecond = () => {};
    const second = new Promise<void>(resolve => {
      isSecond = resolve;
    });
    await page.route('**/data/aggregate', async route => {
      open += 1;
      all += 1;
      most = Math.max(most, open);
      if (open > 1) isSecond();
      await second;
      const response = await route.fetch();
      open -= 1;
      await route.fulfill({ response });
    });
    await page.goto(`${app.url}/console/collections/${orders.name}/charts`);
    await cardOf(page, 'Chart 0').getByRole('img').waitFor();
    await cardOf(page, 'Chart 5').getByRole('img').waitFor();
    expect(all).toBeLessThan(30);
    await cardOf(page, 'Chart 29').scrollIntoViewIfNeeded();
    await cardOf(page, 'Chart 29').getByRole('img').waitFor();
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('is read again by the refresh button, and not by itself', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    await saveCharts(app, orders, [{ ...barChart('a', 'All'), type: 'number', aggregate: { steps: COUNT } }]);
    const page = await visit(`/collections/${orders.name}/charts`, { as: home.owner });
    await cardOf(page, 'All').getByText('60', { exact: true }).waitFor();
    await app.request('POST', orders.data, { ...home.owner, body: { records: { amount: 1 } } });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await cardOf(page, 'All').getByText('61', { exact: true }).waitFor();
  });

  test('is accessible, in light and dark, wide and on a phone', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    await saveCharts(app, orders, [
      barChart('a', 'Bars', { aggregate: { steps: COUNT, group_by: ['city', 'is_paid'] } }),
      barChart('b', 'Pie', { type: 'pie' }),
      barChart('c', 'Line', {
        type: 'line',
        aggregate: { steps: COUNT, group_by: 'ordered_at' },
        every: 'month',
      }),
      barChart('d', 'Table', { type: 'table' }),
      { title: 'Of another program', spec: { a: 1 } },
    ]);
    for (const phone of [undefined, true] as const) {
      const page = await visit(`/collections/${orders.name}/charts`, {
        as: home.owner,
        ...(phone && { phone }),
      });
      for (const title of ['Bars', 'Pie', 'Line']) {
        await cardOf(page, title).scrollIntoViewIfNeeded();
        await cardOf(page, title).getByRole('img').waitFor();
      }
      await cardOf(page, 'Table').scrollIntoViewIfNeeded();
      await tableOf(page, 'Table');
      await page.getByText('Of another program', { exact: true }).click();
      await expectAccessible(page);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
    }
  });
});

/** Figures in the table have up to ten decimals. */
function rounded(cell: string): string {
  const number = Number(cell.replaceAll(',', ''));
  return cell === '' || Number.isNaN(number) ? cell : number.toFixed(8);
}
