import { describe, expect } from 'vitest';
import { newCollection, newHome } from '../harness/collection.js';
import { enter, newOrg } from '../scenarios/orgs/org.js';
import { expectAccessible } from './support/axe.js';
import { test } from './support/console-test.js';
import { expectFocus, focusByKeyboard } from './support/keyboard.js';

describe('the palette', () => {
  test('opens with Ctrl-K, finds collections by name and opens one, by the keyboard alone', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    await newCollection(app, home, { name: 'invoices' });
    await newCollection(app, home, { name: 'orders', description: 'What was bought' });
    const page = await visit('/account', { as: home.owner });
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await page.keyboard.press('ControlOrMeta+K');
    const field = page.getByRole('combobox', { name: 'Collection, page or action' });
    await expectFocus(field);
    await expect.poll(() => page.getByRole('option', { name: 'invoices' }).count()).toBe(1);
    await expectAccessible(page);
    await page.keyboard.type('ord');
    await expect.poll(() => page.getByRole('option', { name: 'invoices' }).count()).toBe(0);
    const option = page.getByRole('option', { name: 'orders' });
    await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
    const id = await option.getAttribute('id');
    await expect.poll(() => field.getAttribute('aria-activedescendant')).toBe(id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('opens what its text names, however soon Enter follows', async ({ app, visit }) => {
    const home = await newHome(app);
    await newCollection(app, home, { name: 'invoices' });
    await newCollection(app, home, { name: 'orders' });
    const page = await visit('/account', { as: home.owner });
    for (const [text, heading] of [
      ['trash', 'Trash'],
      ['orders', 'orders'],
    ] as const) {
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('option', { name: 'invoices' }).waitFor();
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    }
  });

  test('moves with the arrow keys, changes the theme, and gives the focus back when Escape closes it', async ({
    app,
    visit,
  }) => {
    const { owner } = await newHome(app);
    const page = await visit('/collections', { as: owner });
    const search = page.getByRole('button', { name: 'Search' });
    await focusByKeyboard(page, search);
    await page.keyboard.press('Enter');
    await expectFocus(page.getByRole('combobox', { name: 'Collection, page or action' }));
    await page.keyboard.type('theme');
    await expect.poll(() => page.getByRole('option').count()).toBe(3);
    const selected = page.getByRole('option', { selected: true });
    await expect.poll(() => selected.textContent()).toBe('Theme: As the system');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => selected.textContent()).toBe('Theme: Dark');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.reload();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await focusByKeyboard(page, search);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expectFocus(search);
  });
});

describe('the list of shortcuts', () => {
  test('opens with a question mark, unless somebody types or switched such keys off', async ({
    app,
    visit,
  }) => {
    const { owner } = await newHome(app);
    const page = await visit('/collections', { as: owner });
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await page.getByRole('searchbox').press('?');
    expect(await page.getByRole('searchbox').inputValue()).toBe('?');
    expect(await dialog.count()).toBe(0);
    await page.getByRole('button', { name: 'Account' }).focus();
    await page.keyboard.press('?');
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    await page.keyboard.press('?');
    await page.getByRole('button', { name: 'Account' }).click();
    expect(await dialog.count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
    await dialog.waitFor();
  });
});

describe('the account menu', () => {
  test('changes the language of every text and keeps it', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    const page = await visit('/collections', { as: owner });
    await page.getByRole('button', { name: 'Account' }).click();
    await expectAccessible(page);
    await page.getByRole('menuitemradio', { name: 'Français' }).click();
    await page.getByRole('heading', { name: 'Il n’y a pas encore de collection' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('fr');
    await page.reload();
    await page.getByRole('button', { name: 'Compte' }).click();
    await page.getByRole('menuitem', { name: 'Licences' }).click();
    await page.getByText('The app bundles dependencies').waitFor();
  });

  test('signs out', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    const page = await visit('/collections', { as: owner });
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/console/sign-in');
    await page.goto(`${app.url}/console/collections`);
    await page.waitForURL('**/console/sign-in?next=*');
  });
});

describe('the organization', () => {
  test('is changed in the head of the page, which then shows the collections of the other one', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    await newCollection(app, home, { name: 'here' });
    const other = await newOrg(app);
    await newCollection(app, { org: other, owner: { token: other.owner.token } }, { name: 'there' });
    await app.request('PATCH', other.path, { token: other.owner.token, body: { name: 'Other' } });
    await enter(app, other, home.org.owner);
    await app.request('PUT', '/v2/user/active-org', { ...home.owner, body: { orgSlug: home.org.slug } });
    const page = await visit('/collections', { as: home.owner, phone: true });
    await page.getByRole('link', { name: 'here' }).waitFor();
    await page.getByRole('button', { name: 'Organization: Acme. Change' }).click();
    await page.getByRole('menuitemradio', { name: 'Other' }).click();
    await page.getByRole('button', { name: 'Organization: Other. Change' }).waitFor();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'here' }).count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await expectAccessible(page);
  });
});
