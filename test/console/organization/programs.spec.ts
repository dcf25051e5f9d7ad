import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { newKey, newMember, newOrg } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** The secret that a dialog shows once. */
async function secretIn(dialog: Locator, name: string): Promise<string> {
  const secret = dialog.getByRole('region', { name: `Secret of “${name}”` }).locator('pre');
  return (await secret.textContent()) ?? '';
}

const close = (dialog: Locator) => dialog.getByRole('button', { name: 'Close' }).last().click();

describe('API keys of the organization', () => {
  test('are made with a secret that is shown once, rotated, changed, disabled and revoked', async ({
    app,
    visit,
  }) => {
    const org = await newOrg(app);
    const page = await visit('/organization/keys', { as: org.owner });
    const dialog = page.getByRole('dialog');
    const uses = async (key: string) => (await app.request('GET', '/v1/collections', { key })).status;
    await page.getByText('There are no API keys yet.').waitFor();
    await page.getByRole('button', { name: 'New API key' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('CI pipeline');
    await dialog.getByRole('checkbox', { name: 'read records' }).check();
    await dialog.getByLabel('Only from these addresses').fill('not an address');
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/^Reference /)
      .waitFor();
    await dialog.getByLabel('Only from these addresses').fill('');
    await dialog.getByLabel('Acts as').selectOption('you');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    const first = await secretIn(dialog, 'CI pipeline');
    await expectAccessible(page);
    await close(dialog);
    await row(page, 'ci-pipeline').getByText('collections:read').waitFor();
    await expect.poll(() => page.content()).not.toContain(first);
    expect(await uses(first)).toBe(200);

    await page.getByRole('button', { name: 'New secret for “CI pipeline”' }).click();
    await dialog.getByLabel('The old secret stays valid').selectOption('not at all');
    await dialog.getByRole('button', { name: 'New secret', exact: true }).click();
    const second = await secretIn(dialog, 'CI pipeline');
    await close(dialog);
    expect([await uses(first), await uses(second)]).toEqual([401, 200]);

    await page.getByRole('button', { name: 'Change “CI pipeline”' }).click();
    await dialog.getByRole('checkbox', { name: 'write records' }).check();
    await dialog.getByLabel('Valid until the end of').fill('2099-12-31');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row(page, 'ci-pipeline').getByText('collections:read, collections:write').waitFor();
    await row(page, 'ci-pipeline')
      .getByText(/expires .*2099/)
      .waitFor();
    await page.getByRole('button', { name: 'Disable “CI pipeline”' }).click();
    await dialog.getByRole('button', { name: 'Disable', exact: true }).click();
    await row(page, 'ci-pipeline').getByText('disabled').waitFor();
    expect(await uses(second)).toBe(401);
    await page.getByRole('button', { name: 'Enable “CI pipeline”' }).click();
    await row(page, 'ci-pipeline').getByText('disabled').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Revoke: CI pipeline' }).click();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('There are no API keys yet.').waitFor();
  });

  test('that may do more than the person can be disabled and revoked, and nothing else', async ({
    app,
    visit,
  }) => {
    const org = await newOrg(app);
    await newKey(app, org, { name: 'Everything' });
    const manager = await newMember(app, org, { permissions: ['orgs:apikeys:manage', 'collections:read'] });
    const page = await visit('/organization/keys', { as: manager, phone: true });
    await row(page, 'Everything').waitFor();
    const buttons = row(page, 'Everything').getByRole('button');
    // The organization's keys with permissions for collections are owners of every collection.
    await newKey(app, org, { name: 'Of the organization', permissions: ['collections:read'] });
    await expect.poll(() => buttons.allTextContents()).toEqual(['Disable', 'Revoke']);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    // The open page is in view in the line of pages.
    const box = await page.getByRole('link', { name: 'API keys' }).boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 360)).toBeLessThan(360);
    await page.getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'read records' }).waitFor();
    expect(await dialog.getByRole('checkbox').count()).toBe(2);
    await expectAccessible(page);
  });

  test('act as the person who makes them, unless all rights or no permissions for collections let them act as the organization', async ({
    app,
    visit,
  }) => {
    const org = await newOrg(app);
    const manager = await newMember(app, org, {
      permissions: ['orgs:apikeys:manage', 'orgs:service-accounts:manage', 'collections:*'],
    });
    const page = await visit('/organization/keys', { as: manager });
    const dialog = page.getByRole('dialog');
    const owners = async () =>
      (await app.sql('SELECT owner_id FROM org_api_keys WHERE org_id = $1', [org.id])).map(
        ({ owner_id }) => owner_id,
      );
    await page.getByRole('button', { name: 'New API key' }).click();
    const actsAs = dialog.getByLabel('Acts as');
    await expect.poll(() => actsAs.locator('option:checked').textContent()).toBe('you');
    await actsAs.selectOption('the organization');
    await dialog.getByLabel('Name', { exact: true }).fill('Reports');
    await dialog.getByRole('checkbox', { name: 'read records' }).check();
    expect(await actsAs.locator('option:checked').textContent()).toBe('you');
    expect(await actsAs.locator('option', { hasText: 'the organization' }).isDisabled()).toBe(true);
    await dialog.getByText('only people with all rights make one').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    await secretIn(dialog, 'Reports');
    expect(await owners()).toEqual([manager.userId]);

    const accounts = await visit('/organization/service-accounts', { as: manager });
    await accounts.getByRole('button', { name: 'New service account' }).click();
    await accounts.getByRole('dialog').getByText('A key that acts as you reaches what you reach.').waitFor();
    expect(await accounts.getByRole('checkbox', { name: 'read records' }).count()).toBe(0);
    expect(await accounts.getByRole('checkbox').count()).toBe(2);
  });

  test('of another member or of an agent are made by those who may act as them', async ({ app, visit }) => {
    const org = await newOrg(app);
    const member = await newMember(app, org);
    const page = await visit('/organization/keys', { as: org.owner });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New API key' }).click();
    const actsAs = dialog.getByLabel('Acts as');
    await expect.poll(() => actsAs.locator('option:checked').textContent()).toBe('the organization');
    await dialog.getByText('is owner of every collection').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('For a member');
    await actsAs.selectOption(`user ${member.userId}`);
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    await secretIn(dialog, 'For a member');
    const keys = await app.sql('SELECT owner_id FROM org_api_keys WHERE org_id = $1', [org.id]);
    expect(keys).toEqual([{ owner_id: member.userId }]);
  });
});

describe('service accounts and agents', () => {
  test('are made, used, changed and deleted', async ({ app, visit }) => {
    const org = await newOrg(app);
    const page = await visit('/organization/service-accounts', { as: org.owner });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New service account' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Nightly import');
    await dialog.getByRole('checkbox', { name: 'write records' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const clientSecret = await secretIn(dialog, 'Nightly import');
    await close(dialog);
    const getToken = async (body: object) =>
      (await app.request('POST', `${org.path}/service-accounts/nightly-import/token`, { body })).status;
    expect(await getToken({ clientSecret })).toBe(201);
    await page.getByRole('button', { name: 'New secret for “Nightly import”' }).click();
    await dialog.getByRole('button', { name: 'New secret', exact: true }).click();
    const next = await secretIn(dialog, 'Nightly import');
    await expectAccessible(page);
    await close(dialog);
    expect([await getToken({ clientSecret }), await getToken({ clientSecret: next })]).toEqual([401, 201]);
    await page.getByRole('button', { name: 'Delete “Nightly import”' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There are no service accounts yet.').waitFor();

    await page
      .getByRole('navigation', { name: 'Pages of the organization' })
      .getByRole('link', { name: 'Agents' })
      .click();
    await page.getByRole('button', { name: 'New agent' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Importer');
    await page.keyboard.press('Enter');
    await row(page, 'importer').waitFor();
    await page.getByRole('button', { name: 'Rename “Importer”' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Night importer');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete “Night importer”' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete “Night importer”' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There are no agents yet.').waitFor();
  });
});
