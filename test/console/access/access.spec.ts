import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { newCollection, newHome } from '../../harness/collection.js';
import type { Person } from '../../scenarios/auth/person.js';
import { newMember } from '../../scenarios/orgs/org.js';
import { guest, newGroup } from '../../scenarios/sharing/sharing.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { expectFocus, focusByKeyboard } from '../support/keyboard.js';

const dialog = (page: Page) => page.getByRole('dialog');
const emailOf = async (app: TestApp, { token }: Person): Promise<string> =>
  (await app.request('GET', '/v2/me', { token })).body.email;
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

describe('the page of access', () => {
  test('shares with a person and a group, changes a role, says why, and removes', async ({ app, visit }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const ada = await newMember(app, home.org);
    const adas = await emailOf(app, ada);
    const group = await newGroup(app, home.org, ada);
    const page = await visit(`/collections/${collection.id}`, { as: home.owner });
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    const people = section(page, 'Who has access').getByRole('table');
    await people.getByRole('row', { name: 'Person Owner' }).waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog(page).getByLabel('Person').selectOption(ada.userId);
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Share' }).click();
    const row = people.getByRole('row', { name: adas });
    await row.getByLabel('Role').selectOption('Editor');
    await expect
      .poll(async () => (await app.request('GET', `${collection.path}/access`, home.owner)).body.items[1])
      .toMatchObject({ principal_id: ada.userId, role: 'editor' });

    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog(page).getByLabel('Kind').selectOption('Group');
    await dialog(page).getByLabel('Group').selectOption('Group');
    await dialog(page).getByLabel('Role').selectOption('Administrator');
    await dialog(page).getByRole('button', { name: 'Share' }).click();
    await people.getByRole('row', { name: 'Group Group' }).waitFor();

    await row.getByRole('link', { name: /^Why/ }).click();
    const chain = dialog(page).getByRole('list', { name: 'How the role comes about' });
    await chain.getByText('The strongest role counts: Administrator').waitFor();
    expect(await chain.getByRole('listitem').allTextContents()).toEqual([
      adas,
      `Active member of ${home.org.slug}`,
      'Owner of the collectionNo',
      `Shared with everyone in ${home.org.slug}No`,
      'Shared with this personEditor',
      'Shared with the group GroupAdministrator',
      `Owner or administrator of ${home.org.slug}No`,
      'The strongest role counts: Administrator',
    ]);
    expect(await dialog(page).getByRole('row', { name: 'Rename the collection' }).textContent()).toContain(
      'No: needs the role Owner',
    );
    await expectAccessible(page);
    await page.reload();
    await chain.getByText('The strongest role counts').waitFor();
    await page.keyboard.press('Escape');
    await chain.waitFor({ state: 'detached' });

    await row.getByRole('button', { name: /^Remove/ }).click();
    await dialog(page)
      .getByText(/^Remove the access of .* to orders\?$/)
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    // Behind an open dialog no row has a role.
    await dialog(page).waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    const { body } = await app.request('GET', `${collection.path}/access`, home.owner);
    expect(body.items.map((item: { principal_id: string }) => item.principal_id)).toEqual([
      home.org.owner.userId,
      `${home.org.slug}:${group}`,
    ]);
  });

  test('creates a key by keyboard, shows its secret once, renews and revokes it, on a phone too', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const page = await visit(`/collections/${collection.id}/access`, { as: home.owner, phone: true });
    const keys = section(page, 'Keys');
    await keys.getByText('There is no key of this collection yet.').waitFor();
    await focusByKeyboard(page, keys.getByRole('button', { name: 'New key' }));
    await page.keyboard.press('Enter');
    await expectFocus(dialog(page).getByLabel('Name'));
    await page.keyboard.type('Monthly reports');
    await page.keyboard.press('Enter');
    const secret = dialog(page).getByRole('region', { name: 'Secret of the key Monthly reports' });
    const shown = (await secret.textContent()) ?? '';
    expect(shown).toMatch(/^iak_/);
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Copy: Command for curl' }).click();
    const command = `curl '${app.url}/v1/collections/${collection.id}/data?limit=5' -H 'x-platform-api-key: ${shown}'`;
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(command);
    expect((await app.request('GET', `${collection.path}/data?limit=5`, { key: shown })).status).toBe(200);
    expect((await app.request('POST', `${collection.path}/data`, { key: shown, body: {} })).status).toBe(403);
    expect(await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')).not.toContain(
      'iak_',
    );
    await focusByKeyboard(page, dialog(page).getByRole('button', { name: 'Close' }).last());
    await page.keyboard.press('Enter');
    await keys.getByRole('row', { name: 'Monthly reports' }).waitFor();
    await expect.poll(() => page.content()).not.toContain(shown);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);

    await keys.getByRole('button', { name: 'New secret for the key Monthly reports' }).click();
    await dialog(page).getByLabel('The old secret ends').selectOption('at once');
    await dialog(page).getByRole('button', { name: 'New secret' }).click();
    const renewed = (await secret.textContent()) ?? '';
    expect(renewed).not.toBe(shown);
    expect((await app.request('GET', `${collection.path}/data`, { key: shown })).status).toBe(401);
    expect((await app.request('GET', `${collection.path}/data`, { key: renewed })).status).toBe(200);
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();

    await keys.getByRole('button', { name: 'Revoke the key Monthly reports' }).click();
    await expectFocus(dialog(page));
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
    expect((await app.request('GET', `${collection.path}/data`, { key: renewed })).status).toBe(200);
    await keys.getByRole('button', { name: 'Revoke the key Monthly reports' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await keys.getByText('There is no key of this collection yet.').waitFor();
    expect((await app.request('GET', `${collection.path}/data`, { key: renewed })).status).toBe(401);
  });

  test('shows what to paste into MCP clients', async ({ app, visit }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const page = await visit(`/collections/${collection.id}/access`, { as: home.owner });
    const clients = page.getByRole('tablist', { name: 'By signing in' });
    await clients.getByRole('tab', { name: 'VS Code' }).click();
    const code = page.getByRole('region', { name: 'VS Code' });
    expect(JSON.parse((await code.textContent()) ?? '')).toEqual({
      servers: { orders: { type: 'http', url: `${app.url}${collection.path}/mcp` } },
    });
    await page.getByText('With a key', { exact: true }).click();
    await page.getByRole('tablist', { name: 'With a key' }).waitFor();
    await expectAccessible(page);
  });

  test('is not offered to readers, and says so to those who have its address', async ({ app, visit }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const reader = await guest(app, home.org, collection, 'reader');
    const page = await visit(`/collections/${collection.id}/access`, { as: reader });
    await page.getByRole('heading', { name: 'You may not see who has access' }).waitFor();
    expect(
      await page.getByRole('navigation', { name: 'Parts' }).getByRole('link').allTextContents(),
    ).not.toContain('Access');
    await expectAccessible(page);
  });

  test('shows a refusal beside what was refused, and what the service has', async ({ app, visit }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const ada = await guest(app, home.org, collection, 'admin');
    const bob = await guest(app, home.org, collection, 'reader');
    const page = await visit(`/collections/${collection.id}/access`, { as: ada });
    const row = page.getByRole('row', { name: await emailOf(app, bob) });
    await row.getByLabel('Role').waitFor();
    await app.request('DELETE', `${collection.path}/access/user/${bob.userId}`, home.owner);
    await row.getByRole('button', { name: /^Remove/ }).click();
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await dialog(page)
      .getByRole('alert')
      .getByText(/^Reference /)
      .waitFor();
    await page.keyboard.press('Escape');
  });
});
