import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome } from '../../harness/collection.js';
import { until } from '../../scenarios/changes/feed.js';
import { startReceiver } from '../../scenarios/webhooks/receiver.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { expectFocus, focusByKeyboard } from '../support/keyboard.js';

let app: TestApp;
beforeAll(async () => {
  app = await startOwnApp({ environment: { OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1' } });
});
afterAll(() => app?.close());

describe('a webhook', () => {
  test('is added, tested, followed, given a new secret, switched off and deleted', async ({ visit }) => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const page = await visit(`/collections/${collection.id}/activity`, { as: home.owner, app });
    const dialog = page.getByRole('dialog');
    const webhooks = page.getByRole('region', { name: 'Webhooks', exact: true });
    const choose = async (task: string) => {
      await webhooks.getByRole('button', { name: `Actions for the webhook ${receiver.url}` }).click();
      await page.getByRole('menuitem', { name: task }).click();
    };

    await webhooks.getByText('There is no webhook yet.').waitFor();
    await webhooks.getByRole('button', { name: 'Add a webhook' }).click();
    await dialog.getByLabel('Address').fill('https://10.0.0.1/hook');
    await dialog.getByLabel('Filter as JSON').fill('{"total"');
    await dialog.getByText('This is not a JSON object.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel('Filter as JSON').fill('{"total": {"$gte": 100}}');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog
      .getByRole('alert')
      .getByText(/^Reference /)
      .waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const secret = dialog.getByRole('region', { name: `Secret of the webhook ${receiver.url}` });
    const first = await secret.textContent();
    expect(first).toMatch(/^whsec_/);
    // A stray key or press does not lose the secret.
    await page.keyboard.press('Escape');
    await dialog.getByRole('alert').getByText('This secret is shown only here').waitFor();
    await expectFocus(dialog.getByRole('button', { name: 'Stay here' }));
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    await page.mouse.click(5, 5);
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    expect(await secret.textContent()).toBe(first);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await webhooks.getByRole('row', { name: receiver.url }).getByText('with a filter').waitFor();
    await expectAccessible(page);

    await insert(app, collection, { total: 99 }, { total: 100 });
    await until(() => receiver.arrived.length === 1, 'the matching change');
    await choose('Deliveries');
    const delivered = dialog.getByRole('row').filter({ hasText: 'Delivered' });
    await expect.poll(() => delivered.count()).toBe(1);
    await dialog.getByRole('button', { name: 'Send a test message' }).click();
    await until(() => receiver.arrived.length === 2, 'the test message');
    await expect.poll(() => delivered.count()).toBe(2);
    expect(receiver.arrived[1]?.type).toBe('webhook.test');
    await expectAccessible(page);
    await dialog
      .getByRole('button', { name: /^Send again/ })
      .last()
      .click();
    await until(() => receiver.arrived.length === 3, 'the message again');
    await page.keyboard.press('Escape');

    await choose('New secret');
    await dialog.getByLabel('The old secret ends').selectOption('at once');
    await dialog.getByRole('button', { name: 'New secret' }).click();
    await expect.poll(() => secret.textContent()).toMatch(/^whsec_/);
    expect(await secret.textContent()).not.toBe(first);
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await choose('Switch off');
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await webhooks.getByRole('row', { name: receiver.url }).getByText('Switched off').waitFor();
    await choose('Delete…');
    await dialog.getByRole('heading', { name: `Delete the webhook ${receiver.url}?` }).waitFor();
    await dialog.getByRole('button', { name: 'Delete the webhook' }).click();
    await webhooks.getByText('There is no webhook yet.').waitFor();
    expect((await app.request('GET', `${collection.path}/webhooks`, home.owner)).body.total).toBe(0);
  });

  test('is added, followed, tested, sent again, given a new secret and deleted by the keyboard alone, at 360 pixels', async ({
    visit,
  }) => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const page = await visit(`/collections/${collection.id}/activity`, { as: home.owner, app, phone: true });
    const dialog = page.getByRole('dialog');
    const webhooks = page.getByRole('region', { name: 'Webhooks', exact: true });
    const actions = webhooks.getByRole('button', { name: `Actions for the webhook ${receiver.url}` });
    const press = async (wanted: Locator, key = 'Tab') => {
      await focusByKeyboard(page, wanted, key);
      await page.keyboard.press('Enter');
    };
    const choose = async (task: string) => {
      await press(actions);
      await press(page.getByRole('menuitem', { name: task }), 'ArrowDown');
    };
    const button = (name: string) => dialog.getByRole('button', { name, exact: true });
    const close = async () => {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    const expectFitting = async () => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await expectAccessible(page);
    };

    await press(webhooks.getByRole('button', { name: 'Add a webhook' }));
    await focusByKeyboard(page, dialog.getByLabel('Address'));
    await page.keyboard.type(receiver.url);
    await focusByKeyboard(page, dialog.getByRole('checkbox', { name: 'Deleted records' }));
    await page.keyboard.press('Space');
    await expectFitting();
    await press(button('Add'));
    const secret = dialog.getByRole('region', { name: `Secret of the webhook ${receiver.url}` });
    const first = await secret.textContent();
    await press(dialog.getByRole('button', { name: 'Close' }).last());
    await dialog.waitFor({ state: 'detached' });

    await insert(app, collection, { total: 1 });
    await until(() => receiver.arrived.length === 1, 'the change');
    await choose('Deliveries');
    await press(button('Send a test message'));
    await until(() => receiver.arrived.length === 2, 'the test message');
    const again = dialog.getByRole('button', { name: /^Send again/ });
    await expect.poll(() => again.count()).toBe(2);
    await expectFitting();
    await press(again.last());
    await until(() => receiver.arrived.length === 3, 'the message again');
    expect(receiver.arrived[2]?.id).toBe(receiver.arrived[0]?.id);
    await close();
    await expectFocus(actions);

    await choose('New secret');
    await expectFitting();
    await press(button('New secret'));
    await expect.poll(() => secret.textContent()).toMatch(/^whsec_/);
    expect(await secret.textContent()).not.toBe(first);
    await press(dialog.getByRole('button', { name: 'Close' }).last());
    await dialog.waitFor({ state: 'detached' });
    await choose('Delete…');
    await press(button('Delete the webhook'));
    await webhooks.getByText('There is no webhook yet.').waitFor();
  });
});
