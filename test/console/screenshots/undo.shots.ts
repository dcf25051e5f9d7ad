import { mkdir, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import {
  SAMPLE_COLUMNS,
  sampleRecords,
} from '../../../packages/console/src/features/collections/first-steps/sample-data.js';
import type { TestApp } from '../../harness/app.js';
import { newHome } from '../../harness/collection.js';
import { connect } from '../../scenarios/mcp/client.js';
import { test } from '../support/console-test.js';
import { Movie } from './movie.js';

/** GitHub shows pictures of a README in 880 pixels of width. */
const SIZE = { width: 960, height: 640 };
const MOST_BYTES = 1.5 * 1024 * 1024;

/** The agent should cancel one order, but this filter finds all. */
const FILTER = { order_number: { $regex: '^S-1' } };
const UPDATE = { $set: { status: 'cancelled' } };

/** 400 orders, and an agent with a key that may change them. */
async function newOrders(app: TestApp) {
  const { owner, org } = await newHome(app);
  const name = "first_name = 'Amara', last_name = 'Okafor', email = 'amara.okafor@example.com'";
  await app.sql(`UPDATE users SET ${name} WHERE id = $1`, [org.owner.userId]);
  const body = { name: 'orders', properties: SAMPLE_COLUMNS };
  const made = await app.request('POST', '/v1/collections', { ...owner, body });
  expect(made.status, made.text).toBe(200);
  const now = Date.now();
  const orders = [...sampleRecords(now), ...sampleRecords(now)];
  const records = orders.map((order, index) => ({
    ...order,
    order_number: `S-${1001 + index}`,
    status: order.status === 'cancelled' ? 'paid' : order.status,
  }));
  const data = '/v1/collections/orders/data/bulk';
  const inserted = await app.request('POST', data, { ...owner, body: { records } });
  expect(inserted.status, inserted.text).toBe(201);
  const key = {
    name: 'Support agent',
    slug: 'support-agent',
    permissions: ['collections:read', 'collections:write'],
  };
  const { status, body: minted } = await app.request('POST', '/v1/collections/orders/api-keys', {
    ...owner,
    body: key,
  });
  expect(status).toBe(201);
  const agent = await connect(
    app,
    { key: minted.secret },
    {
      path: `/v1/collections/${made.body.collection_id}/mcp`,
    },
  );
  return { owner, agent };
}

test('an agent changes 400 records, and one click brings them back, as a moving picture', async ({
  app,
  visit,
}) => {
  const { owner, agent } = await newOrders(app);
  const page = await visit('/collections/orders', { as: owner });
  await page.setViewportSize(SIZE);
  await page.emulateMedia({ colorScheme: 'light' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const dialog = page.getByRole('dialog');
  await page.getByRole('gridcell', { name: 'S-1001' }).waitFor();
  const movie = new Movie(page);
  await movie.begin();
  await movie.say(
    '400 orders. Somebody tells an agent, which is connected over MCP: “Cancel order S-1.”',
    1800,
  );

  const call = `data_update ${JSON.stringify({ filter: FILTER, update: UPDATE })}`;
  await movie.say(`agent ▸ ${call}`, 700, { typed: true });
  const { data, error, text } = await agent.call('data_update', {
    filter: FILTER,
    update: UPDATE,
    max_affected: 1000,
  });
  expect(error, text).toBe(undefined);
  expect(data.updated_count).toBe(400);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect
    .poll(() => page.getByRole('gridcell', { name: 'cancelled', exact: true }).count())
    .toBeGreaterThan(5);
  await movie.say(`agent ▸ ${call}\n        ${JSON.stringify(data)}`, 2200);

  await movie.say('Its filter matched all orders. The owner opens the activity.', 300);
  await movie.click(link('Activity'));
  const undo = page.getByRole('button', { name: /^Undo: Records changed/ });
  await undo.waitFor();
  await movie.show(1500);
  await movie.click(undo);
  const confirm = dialog.getByRole('button', { name: 'Undo the changes of 400 records' });
  await confirm.waitFor();
  await movie.say('A preview first: what comes back, and whether anybody has written since.', 2200);
  await movie.click(confirm);
  await dialog.getByText(/records are as they were before/).waitFor();
  await movie.say('All of them are as they were before.', 1800);
  await page.keyboard.press('Escape');
  await movie.click(link('Records'));
  await page.getByRole('gridcell', { name: 'delivered' }).first().waitFor();
  await movie.say('One transaction, one audit event. The undo can be undone too.', 3000);

  const gif = movie.encode();
  expect(gif.length).toBeLessThan(MOST_BYTES);
  await mkdir('docs/images', { recursive: true });
  await writeFile('docs/images/undo.gif', gif);
});
