import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { newDomain, newMember, newOrg, newSlug, prove } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';

/** The row of a table that contains a text. */
const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

describe('members of the organization', () => {
  test('are invited, changed, given a recovery link and removed', async ({ app, visit }) => {
    const org = await newOrg(app);
    const grace = await newMember(app, org);
    await app.sql(
      `UPDATE users SET first_name = 'Grace', last_name = 'Hopper', home_org_id = $2 WHERE id = $1`,
      [grace.userId, org.id],
    );
    const call = (method: string, path: string, body?: object) =>
      app.request(method, `${org.path}${path}`, { token: org.owner.token, ...(body && { body }) });
    await call('POST', '/groups', { slug: 'editors', name: 'Editors' });
    const page = await visit('/collections', { as: org.owner });
    await page
      .getByRole('navigation', { name: 'Main pages' })
      .getByRole('link', { name: 'Organization' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    await row(page, 'you').getByText('Owner').waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Change “Grace Hopper”' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Role').selectOption('admin');
    await dialog.getByRole('checkbox', { name: 'Editors' }).check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row(page, 'Grace Hopper').getByText('Editors').waitFor();
    await row(page, 'Grace Hopper').getByRole('cell', { name: 'Admin', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Recovery link for “Grace Hopper”' }).click();
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    await dialog.getByText('/v2/login/recovery?code=').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('button', { name: 'Remove “Grace Hopper”' }).click();
    await dialog.getByRole('heading', { name: 'Remove Grace Hopper from Acme?' }).waitFor();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'Grace Hopper').waitFor({ state: 'detached' });
    expect((await call('GET', '/members')).body.total).toBe(1);

    // The last owner cannot become something else: the refusal is shown where it was caused, and quotes a reference.
    await page.getByRole('button', { name: /^Change/ }).click();
    await dialog.getByLabel('Role').selectOption('member');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/^Reference /)
      .waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Invite people' }).click();
    await dialog.getByLabel('E-mail addresses').fill('ada@x.example, alan@x.example');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await dialog.getByText('2 people are invited.').waitFor();
    const { results } = (await call('GET', '/invites')).body;
    const emails = results.map(({ email }: { email: string }) => email);
    expect(emails).toEqual(expect.arrayContaining(['ada@x.example', 'alan@x.example']));
  });

  test('are only listed for a member, who is offered no change and no page that would be refused', async ({
    app,
    visit,
  }) => {
    const org = await newOrg(app);
    const member = await newMember(app, org);
    const page = await visit('/organization', { as: member });
    await row(page, 'you').waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages of the organization' }).getByRole('link');
    await expect
      .poll(() => pages.allTextContents())
      .toEqual(['Members', 'Roles', 'Groups', 'Agents', 'Settings']);
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    await pages.filter({ hasText: 'Roles' }).click();
    await page.getByRole('heading', { name: 'What the roles allow' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    // Somebody without the right who opens the address is told why nothing is shown.
    await page.goto(`${app.url}/console/organization/invitations`);
    await page.getByRole('alert').getByText('You may not do this').waitFor();
  });

  test('leave by themselves', async ({ app, visit }) => {
    const org = await newOrg(app);
    const member = await newMember(app, org);
    const page = await visit('/organization/settings', { as: member });
    await page.getByRole('button', { name: 'Leave the organization' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave the organization' }).click();
    await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor();
    expect((await app.request('GET', org.path, { token: member.token })).status).toBe(403);
  });
});

describe('invitations', () => {
  test('are made by keyboard alone, with a link that is shown once, and revoked', async ({ app, visit }) => {
    const org = await newOrg(app);
    const page = await visit('/organization/invitations', { as: org.owner });
    await focusByKeyboard(page, page.getByRole('button', { name: 'New invitation' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await focusByKeyboard(page, dialog.getByLabel('How many people can join'));
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('20');
    await page.keyboard.press('Enter');
    const link = await dialog
      .getByRole('region', { name: 'Link to join' })
      .getByText('/console/join?')
      .textContent();
    await expectAccessible(page);
    await focusByKeyboard(page, dialog.getByRole('button', { name: 'Close' }).last());
    await page.keyboard.press('Enter');
    await row(page, 'anyone who has the code').getByText('0 of 20').waitFor();
    await expect.poll(() => page.content()).not.toContain(link);
    await focusByKeyboard(page, page.getByRole('button', { name: 'Revoke: anyone who has the code' }));
    await page.keyboard.press('Enter');
    await focusByKeyboard(page, dialog.getByRole('button', { name: 'Revoke', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText('There are no invitations.').waitFor();
  });
});

describe('roles and groups', () => {
  test('are made, changed and deleted, on a phone too', async ({ app, visit }) => {
    const org = await newOrg(app);
    const page = await visit('/organization/roles', { as: org.owner, phone: true });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New role' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Data steward');
    await dialog.getByRole('checkbox', { name: 'Everything: Collections' }).check();
    expect(await dialog.getByRole('checkbox', { name: 'read records' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'read the audit log' }).check();
    await dialog.getByLabel('Other permissions').fill('files:read');
    await dialog.getByLabel('Limited to').fill('not a scope');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Limited to').fill('collections:*');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row(page, 'data-steward').waitFor();
    const { body } = await app.request('GET', `${org.path}/roles`, { token: org.owner.token });
    expect(body.results.find(({ slug }: { slug: string }) => slug === 'data-steward')).toMatchObject({
      permissions: ['collections:*', 'orgs:audit:read', 'files:read'],
      scopes: ['collections:*'],
    });
    await page
      .getByRole('row', { name: /files:read/ })
      .getByText('✓')
      .first()
      .waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete “Data steward”' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await row(page, 'data-steward').waitFor({ state: 'detached' });

    await page
      .getByRole('navigation', { name: 'Pages of the organization' })
      .getByRole('link', { name: 'Groups' })
      .click();
    await page.getByRole('button', { name: 'New group' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Éditeurs');
    await page.keyboard.press('Enter');
    await row(page, 'editeurs').waitFor();
    await page.getByRole('button', { name: 'Members of “Éditeurs”' }).click();
    await dialog.getByLabel('Member to add').selectOption({ index: 1 });
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('button', { name: /^Remove/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await row(page, 'editeurs').getByText('1', { exact: true }).waitFor();
  });
});

describe('settings of the organization', () => {
  test('change its name and who joins with which role, and delete it after its name is typed', async ({
    app,
    visit,
  }) => {
    const org = await newOrg(app, newSlug());
    const domain = newDomain();
    await prove(app, org, domain);
    await app.sql('UPDATE orgs SET join_rules = $2 WHERE id = $1', [
      org.id,
      JSON.stringify([{ domain: 'old.example', roleSlug: 'member' }]),
    ]);
    const page = await visit('/organization/settings', { as: org.owner, language: 'fr' });
    await page.getByLabel('Nom', { exact: true }).fill('Acme & fils');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Acme & fils' }).waitFor();
    await page.getByText('Cette règle est sans effet : le domaine n’est pas prouvé.').waitFor();
    await page.getByRole('button', { name: 'Retirer « old.example »' }).click();
    await page.getByRole('button', { name: 'Ajouter une règle' }).click();
    await page.getByLabel('Domaine').fill(domain.replace('t-', 'T-'));
    await page.getByLabel('Admettre des personnes sans compte').check();
    await expectAccessible(page);
    await page.getByRole('region', { name: 'Adhésion' }).getByRole('button', { name: 'Enregistrer' }).click();
    await expect
      .poll(async () => (await app.request('GET', org.path, { token: org.owner.token })).body)
      .toMatchObject({
        name: 'Acme & fils',
        joinRules: [{ domain, roleSlug: 'member' }],
        auth: { anonymous: { enabled: true, role: 'member' } },
      });
    await page.getByRole('button', { name: 'Supprimer l’organisation' }).click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Supprimer l’organisation' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(org.slug);
    await remove.click();
    await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor();
    expect((await app.request('GET', org.path, { token: org.owner.token })).status).toBe(403);
  });
});
