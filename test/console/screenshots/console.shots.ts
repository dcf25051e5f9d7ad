import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  SAMPLE_COLUMNS,
  sampleRecords,
} from '../../../packages/console/src/features/collections/first-steps/sample-data.js';
import { insert, newCollection, newHome } from '../../harness/collection.js';
import { newOrg } from '../../scenarios/orgs/org.js';
import { guest } from '../../scenarios/sharing/sharing.js';
import { chooseFile } from '../import/import-page.js';
import { test } from '../support/console-test.js';

/** Where the pictures of the documentation are. */
const IMAGES = join(process.cwd(), 'docs/images');

/** The date of the sample data, so that the pictures stay the same from day to day. */
const NOW = Date.parse('2026-11-22T12:00:00Z');

const CHARTS = [
  {
    id: '01a20000-0000-7000-8000-000000000001',
    title: 'Turnover by month',
    type: 'area',
    aggregate: {
      steps: [{ type: 'sum', input_field: 'amount', output_field: 'turnover' }],
      group_by: 'ordered_at',
    },
    every: 'month',
  },
  {
    id: '01a20000-0000-7000-8000-000000000002',
    title: 'Orders for each city',
    type: 'bar',
    aggregate: { steps: [{ type: 'count', output_field: 'orders' }], group_by: 'city', sort: { orders: -1 } },
  },
  {
    id: '01a20000-0000-7000-8000-000000000003',
    title: 'Where they are now',
    type: 'pie',
    aggregate: {
      steps: [{ type: 'count', output_field: 'orders' }],
      group_by: 'status',
      sort: { orders: -1 },
    },
  },
  {
    id: '01a20000-0000-7000-8000-000000000004',
    title: 'Average amount',
    type: 'number',
    aggregate: { steps: [{ type: 'avg', input_field: 'amount', output_field: 'average' }] },
  },
];

/** A file of a spreadsheet whose headers and numbers are those of another language than the page. */
const ORDERS_FILE = `Order number;Customer;Status;Ordered at;Items;Amount;Express;Remark
S-2001;Léa Martin;paid;21/11/2026 09:30;3;1 249,90;no;call first
S-2002;Jonas Weber;shipped;21/11/2026 11:05;1;18,50;yes;
S-2003;Mei Tanaka;paid;22/11/2026 08:12;2;74,00;no;
`;

async function shoot(page: Page, name: string): Promise<void> {
  // Nothing is below the pointer.
  await page.mouse.move(600, 24);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await writeFile(join(IMAGES, `console-${name}-${colorScheme}.png`), await page.screenshot());
  }
}

/** Edits some cells, one of them with a value that does not fit, and opens an editor. */
async function changeSome(page: Page): Promise<void> {
  const cell = (row: number, column: number) =>
    page.locator(`[role=row][aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);
  for (const [row, column, text] of [
    [2, 2, 'Amara Okafor-Weber'],
    [3, 4, 'on hold'],
    [5, 3, 'Hamburg'],
    [6, 7, 'many'],
  ] as const) {
    await cell(row, column).click();
    await page.keyboard.press('F2');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    if (text === 'many') await cell(row + 2, column).click();
  }
  await cell(8, 2).click();
  await page.keyboard.press('F2');
}

test('pictures of the list, the records, their changes, charts, an import and the schema, in light and dark', async ({
  app,
  visit,
}) => {
  await mkdir(IMAGES, { recursive: true });
  const { owner, org } = await newHome(app);
  await app.sql("UPDATE users SET first_name = 'Amara', last_name = 'Okafor' WHERE id = $1", [
    org.owner.userId,
  ]);
  const collections = {
    customers: 'People and companies that bought something',
    orders: 'What customers bought, when, and where it is now',
    products: 'Everything that can be ordered, with prices and stock',
    returns: 'Orders that came back, and why',
  };
  for (const [name, description] of Object.entries(collections)) {
    const body = { name, description, properties: name === 'orders' ? SAMPLE_COLUMNS : {} };
    const { status, text } = await app.request('POST', '/v1/collections', { ...owner, body });
    expect(status, text).toBe(200);
  }
  const records = { records: sampleRecords(NOW) };
  const inserted = await app.request('POST', '/v1/collections/orders/data/bulk', { ...owner, body: records });
  expect(inserted.status, inserted.text).toBe(201);
  const saved = await app.request('PUT', '/v1/collections/orders/charts', {
    ...owner,
    body: { charts: CHARTS },
  });
  expect(saved.status, saved.text).toBe(200);

  const page = await visit('/collections', { as: owner });
  await page.getByRole('button', { name: 'Count the records of orders' }).click();
  await page.getByRole('row', { name: 'orders' }).getByText('200', { exact: true }).waitFor();
  await shoot(page, 'list');
  await page.getByRole('link', { name: 'orders' }).click();
  await page.getByRole('gridcell', { name: 'S-1001' }).waitFor();
  await shoot(page, 'records');
  await changeSome(page);
  await shoot(page, 'changes');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Discard all' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Charts' }).click();
  await page.getByRole('img', { name: /Turnover by month/ }).waitFor();
  await page.getByRole('img', { name: /Where they are now/ }).waitFor();
  await shoot(page, 'charts');
  await page.getByRole('link', { name: 'Import' }).click();
  await chooseFile(page, 'orders.csv', ORDERS_FILE);
  await page.getByRole('combobox', { name: 'Where Customer goes' }).waitFor();
  await shoot(page, 'import');
  await page.getByRole('link', { name: 'Schema' }).click();
  await page.getByRole('row', { name: 'order_number' }).waitFor();
  await shoot(page, 'schema');
});

test('pictures of access and activity, in light and dark', async ({ app, visit }) => {
  const { owner, org } = await newHome(app);
  const orders = await newCollection(app, { owner, org }, { name: 'orders' });
  const names = [
    ['Amara', 'Okafor', org.owner.userId],
    ['Jonas', 'Lind', (await guest(app, org, orders, 'editor')).userId],
    ['Mei', 'Tanaka', (await guest(app, org, orders, 'reader')).userId],
  ];
  for (const [first, last, id] of names) {
    await app.sql('UPDATE users SET first_name = $1, last_name = $2, email = $3 WHERE id = $4', [
      ...[first, last],
      ...[`${first}@example.com`.toLowerCase(), id],
    ]);
  }
  const key = { name: 'Monthly reports', slug: 'monthly-reports' };
  await app.request('POST', `${orders.path}/api-keys`, { ...owner, body: key });
  await insert(app, orders, ...sampleRecords(NOW));
  await app.request('PATCH', orders.path, { ...owner, body: { description: 'What customers bought' } });

  const page = await visit(`/collections/${orders.id}/access`, { as: owner });
  await page.getByRole('row', { name: 'Jonas Lind' }).waitFor();
  await page.getByRole('row', { name: 'Monthly reports' }).waitFor();
  await page.getByRole('row', { name: 'Jonas Lind' }).getByRole('link').click();
  await page.getByText('The strongest role counts: Editor').waitFor();
  await shoot(page, 'why');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  await page.getByRole('row', { name: 'Key created' }).waitFor();
  await shoot(page, 'activity');
});

test('pictures of the roles of an organization, in light and dark', async ({ app, visit }) => {
  const org = await newOrg(app);
  const roles = [
    { slug: 'analyst', name: 'Analyst', permissions: ['collections:read'] },
    { slug: 'steward', name: 'Data steward', permissions: ['collections:*', 'orgs:audit:read'] },
  ];
  for (const body of roles) {
    const { status, text } = await app.request('POST', `${org.path}/roles`, { token: org.owner.token, body });
    expect(status, text).toBe(201);
  }
  const page = await visit('/organization/roles', { as: org.owner });
  await page.getByRole('row', { name: 'Data steward' }).first().waitFor();
  await shoot(page, 'roles');
});
