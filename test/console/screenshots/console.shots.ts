import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  SAMPLE_COLUMNS,
  sampleRecords,
} from '../../../packages/console/src/collections/first-steps/sample-data.js';
import { newHome } from '../../builders/collection.js';
import { test } from '../support/console-test.js';

/** Where the pictures of the documentation are. */
const IMAGES = join(process.cwd(), 'docs/images');

/** The date of the sample data, so that the pictures stay the same from day to day. */
const NOW = Date.parse('2026-11-22T12:00:00Z');

async function shoot(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await writeFile(join(IMAGES, `console-${name}-${colorScheme}.png`), await page.screenshot());
  }
}

test('pictures of the list, the records and the charts, in light and dark', async ({ app, visit }) => {
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
  expect(inserted.status, inserted.text).toBe(200);

  const page = await visit('/collections', { as: owner });
  await page.getByRole('button', { name: 'Count the records of orders' }).click();
  await page.getByRole('row', { name: 'orders' }).getByText('200', { exact: true }).waitFor();
  await shoot(page, 'list');
  await page.getByRole('link', { name: 'orders' }).click();
  await page.getByRole('gridcell', { name: 'S-1001' }).first().waitFor();
  await shoot(page, 'records');
  await page.getByRole('link', { name: 'Charts' }).click();
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  await shoot(page, 'charts');
});
