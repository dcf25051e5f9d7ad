import { expect } from 'vitest';
import { insert, newCollection, newHome } from '../../harness/collection.js';
import { guest } from '../../scenarios/sharing/sharing.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';

test('a collection is deleted after its name was typed, and restored under another name, on a phone', async ({
  app,
  visit,
}) => {
  const home = await newHome(app);
  const collection = await newCollection(app, home, { name: 'orders' });
  await insert(app, collection, { a: 1 });
  const page = await visit(`/collections/${collection.id}`, { as: home.owner, phone: true });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Actions for the collection orders' }).click();
  await page.getByRole('menuitem', { name: 'Delete the collection…' }).click();
  const destroy = dialog.getByRole('button', { name: 'Delete the collection' });
  await dialog.getByLabel('Type “orders” to confirm').fill('order');
  expect(await destroy.isDisabled()).toBe(true);
  await expectAccessible(page);
  await dialog.getByLabel('Type “orders” to confirm').fill('orders');
  await destroy.click();
  await page.getByRole('heading', { name: 'Collections', exact: true }).waitFor();
  expect((await app.request('GET', collection.path, home.owner)).status).toBe(404);

  await newCollection(app, home, { name: 'orders' });
  await page.getByRole('link', { name: 'Trash' }).click();
  await page.getByRole('button', { name: 'Restore orders' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Restore orders' }).click();
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await dialog.getByRole('alert').getByText('There is one already').waitFor();
  await dialog.getByLabel('Name').fill('orders-of-before');
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('heading', { name: 'orders-of-before', level: 1 }).waitFor();
  expect((await app.request('GET', `${collection.data}/count`, home.owner)).body.count).toBe(1);
  await page.goBack();
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
});

test('deleting is not offered to those who may not', async ({ app, visit }) => {
  const home = await newHome(app);
  const collection = await newCollection(app, home, { name: 'orders' });
  const admin = await guest(app, home.org, collection, 'admin');
  const page = await visit(`/collections/${collection.id}`, { as: admin });
  await page.getByRole('link', { name: 'Schema' }).waitFor();
  expect(await page.getByRole('button', { name: /^Actions for the collection/ }).count()).toBe(0);
});
