import type { Page } from 'playwright-core';
import type { TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, type TestCollection } from '../../harness/collection.js';

const CITIES = ['Bath', 'London', null, 'York'];

/** A collection of orders with a text of few values, a number, and dates of several months with a gap. */
export async function newOrders(app: TestApp, home: Home): Promise<TestCollection> {
  const orders = await newCollection(app, home, {
    properties: {
      city: { type: 'text' },
      is_paid: { type: 'boolean' },
      amount: { type: 'double' },
      ordered_at: { type: 'datetime' },
    },
  });
  const records = Array.from({ length: 60 }, (_, index) => ({
    city: CITIES[(index % 7) % 4],
    is_paid: index % 3 === 0,
    amount: (index * 37) % 101,
    ordered_at: new Date(Date.UTC(2024, [0, 1, 3][index % 3] as number, 1 + (index % 28), 9)).toISOString(),
  }));
  await insert(app, orders, ...records);
  return orders;
}

export const COUNT = [{ type: 'count', output_field: 'count' }] as const;

export function barChart(id: string, title: string, more: object = {}) {
  return { id, title, type: 'bar', aggregate: { steps: COUNT, group_by: 'city' }, ...more };
}

export async function saveCharts(app: TestApp, { path, owner }: TestCollection, charts: object[]) {
  const { status, text } = await app.request('PUT', `${path}/charts`, { ...owner, body: { charts } });
  if (status !== 200) throw new Error(`the charts were not saved: ${text}`);
}

export async function readCharts(app: TestApp, { path, owner }: TestCollection) {
  return (await app.request('GET', `${path}/charts`, owner)).body.charts;
}

export async function aggregate(app: TestApp, { data, owner }: TestCollection, body: object) {
  return (await app.request('POST', `${data}/aggregate`, { ...owner, body })).body.results;
}

/** The card of the chart with this title. */
export function cardOf(page: Page, title: string) {
  return page.getByRole('article', { name: title, exact: true });
}

/** The cells of the table of a chart, row by row, without its head. */
export async function tableOf(page: Page, title: string): Promise<string[][]> {
  const rows = page.getByRole('region', { name: `Table of ${title}`, exact: true }).locator('tbody tr');
  await rows.first().waitFor();
  const texts = await rows.evaluateAll(found =>
    found.map(row => [...row.children].map(cell => cell.textContent)),
  );
  return texts as string[][];
}
