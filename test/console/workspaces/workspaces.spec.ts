import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { newMember, newOrg, type TestOrg } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';

const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

async function newWorkspace(app: TestApp, org: TestOrg): Promise<string> {
  const body = { name: 'Support', slug: 'support', orgSlug: org.slug };
  return (await app.request('POST', '/v2/workspaces', { token: org.owner.token, body })).body.id;
}

describe('workspaces', () => {
  test('are created, get roles, rules, people and keys, and are deleted', async ({ app, visit }) => {
    const org = await newOrg(app);
    const grace = await newMember(app, org);
    await app.sql(`UPDATE users SET first_name = 'Grace', last_name = 'Hopper' WHERE id = $1`, [
      grace.userId,
    ]);
    const page = await visit('/collections', { as: org.owner });
    const dialog = page.getByRole('dialog');
    const section = (name: string) => page.getByRole('region', { name, exact: true });
    await page
      .getByRole('navigation', { name: 'Main pages' })
      .getByRole('link', { name: 'Workspaces' })
      .click();
    await page.getByText('There are no workspaces yet').waitFor();
    await page.getByRole('button', { name: 'New workspace' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Support');
    await dialog.getByLabel('Description').fill('Answers customers.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Support' }).waitFor();
    await page.getByText('your role: owner').waitFor();

    await section('Roles').getByRole('button', { name: 'New role' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('viewer');
    await page.keyboard.press('Enter');
    await row(page, 'viewer').waitFor();
    await section('Rules').getByRole('button', { name: 'New rule' }).click();
    await dialog.getByLabel('For', { exact: true }).selectOption('viewer');
    await dialog
      .getByRole('group', { name: /^Actions/ })
      .getByRole('checkbox', { name: 'read' })
      .check();
    await dialog.getByRole('checkbox', { name: 'pages' }).check();
    await dialog.getByLabel('Conditions').fill('{"authorId": {"$regex": "x"}}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    // The service says which rule is wrong, and where.
    await dialog.getByRole('alert').getByText('$regex').waitFor();
    await dialog.getByLabel('Conditions').fill('{"authorId": ');
    await dialog.getByText('This is not a JSON object.').waitFor();
    await dialog.getByLabel('Conditions').fill('');
    await dialog.getByLabel('Reason').fill('Viewers read pages.');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row(page, 'viewer may read: pages').getByText('Viewers read pages.').waitFor();

    await section('People').getByRole('button', { name: 'Add a person' }).click();
    await dialog.getByLabel('Person').selectOption(grace.userId);
    await dialog.getByLabel('Role').selectOption('viewer');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await row(page, 'Grace Hopper').getByText('viewer').waitFor();

    const checked = section('Check who may');
    await checked.getByLabel('Who').selectOption(grace.userId);
    await checked.getByRole('button', { name: 'Check' }).click();
    await checked.getByText('Allowed. Viewers read pages.').waitFor();
    await checked.getByLabel('Action').selectOption('delete');
    await checked.getByRole('button', { name: 'Check' }).click();
    await checked.getByText('Not allowed. No rule allows it.').waitFor();

    await section('API keys').getByRole('button', { name: 'New API key' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Website');
    await dialog.getByRole('group', { name: 'workspaces' }).getByRole('checkbox', { name: 'read' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const secret = dialog.getByRole('region', { name: 'Secret of “Website”' }).locator('pre');
    const key = (await secret.textContent()) ?? '';
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await row(page, 'Website').getByText('read: workspaces').waitFor();
    const readers = await app.request('GET', '/v2/workspaces', { key });
    expect(readers.body).toMatchObject([{ slug: 'support' }]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Revoke: Website' }).click();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('There are no API keys yet.').waitFor();
    expect((await app.request('GET', '/v2/workspaces', { key })).status).toBe(401);

    // A role that somebody has cannot be deleted.
    await section('Roles').getByRole('button', { name: 'Delete “viewer”' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('alert').getByText('The role viewer is in use').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Delete the workspace' }).click();
    await dialog.getByRole('textbox').fill('support');
    await dialog.getByRole('button', { name: 'Delete the workspace' }).click();
    await page.getByText('There are no workspaces yet').waitFor();
  });

  test('offer a viewer the check of rights and nothing that would be refused, by keyboard and on a phone', async ({
    app,
    visit,
  }) => {
    const org = await newOrg(app);
    const member = await newMember(app, org);
    const id = await newWorkspace(app, org);
    const as = { token: org.owner.token };
    const rules = [{ action: 'read', subject: 'pages', role: 'viewer', reason: 'Viewers read pages.' }];
    const authorizations = { roles: { viewer: {} }, rules };
    await app.request('PUT', `/v2/workspaces/${id}/security`, { ...as, body: { authorizations } });
    const body = { target: { id: member.userId }, role: 'viewer' };
    await app.request('POST', `/v2/workspaces/${id}/permissions`, { ...as, body });
    const page = await visit('/workspaces', { as: member, phone: true });
    await page.getByRole('link', { name: 'Support' }).click();
    await page.getByText('your role: viewer').waitFor();
    await expect.poll(() => page.getByRole('main').getByRole('button').allTextContents()).toEqual(['Check']);
    const check = page.getByRole('button', { name: 'Check', exact: true });
    await focusByKeyboard(page, check);
    await page.keyboard.press('Enter');
    await page.getByText('Allowed. Viewers read pages.').waitFor();
    await page.getByLabel('Action').selectOption('delete');
    await check.click();
    await page.getByText('Not allowed. No rule allows it.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
  });

  test('that somebody may not see look like those that do not exist', async ({ app, visit }) => {
    const org = await newOrg(app);
    const id = await newWorkspace(app, org);
    const page = await visit(`/workspaces/${id}`, { as: await newMember(app, org) });
    await page.getByRole('alert').getByText('There is no workspace').waitFor();
  });
});
