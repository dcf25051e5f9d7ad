import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { insert, newCollection, newHome } from '../../harness/collection.js';
import { emailOf, events, newMember } from '../../scenarios/orgs/org.js';
import { grant, withUser } from '../../scenarios/sharing/sharing.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';

const dialog = (page: Page) => page.getByRole('dialog');

describe('the rules of a binding', () => {
  test('are edited with the filter builder, tried, saved, and looked at as the person', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const properties = { team: { type: 'text' }, margin: { type: 'double' } };
    const collection = await newCollection(app, home, { properties });
    await insert(app, collection, { team: 'red', margin: 1 }, { team: 'red' }, { team: 'blue', margin: 2 });
    const ada = await newMember(app, home.org);
    const adas = await emailOf(app, ada);
    await grant(app, collection, withUser(ada), 'editor');
    const page = await visit(`/collections/${collection.id}/access`, { as: home.owner });
    const section = page.getByRole('region', { name: 'Rules', exact: true });
    const row = section.getByRole('row', { name: adas });
    expect(await row.textContent()).toContain('AllAll');
    await row.getByRole('button', { name: /^Edit the rules/ }).click();

    const seen = dialog(page).getByRole('group', { name: 'Seen records' });
    await seen.getByLabel('Allowed').selectOption('If these conditions hold');
    const save = dialog(page).getByRole('button', { name: 'Save rules' });
    expect(await save.isDisabled()).toBe(true);
    await seen.getByRole('button', { name: 'Add condition' }).click();
    await seen.getByLabel('Value').fill('red');
    await seen.getByRole('button', { name: 'Try on the records' }).click();
    await seen.getByText('Holds for 2 of 3 records').waitFor();
    await dialog(page)
      .getByRole('group', { name: 'Records to delete' })
      .getByLabel('Allowed')
      .selectOption('Never');
    await dialog(page).getByLabel('Seen fields').selectOption('All but some');
    await dialog(page).getByRole('group', { name: 'Not these fields' }).getByLabel('margin').check();
    await expectAccessible(page);
    await save.click();
    await dialog(page).waitFor({ state: 'detached' });
    const { body } = await app.request('GET', `${collection.path}/access/user/${ada.userId}`, home.owner);
    expect([body.rules, body.fields]).toEqual([
      { read: { team: 'red' }, delete: false },
      { read: { margin: 0 } },
    ]);

    await row.getByRole('button', { name: /^View as/ }).click();
    await dialog(page).getByText('2 of 3 records. Fields that are not seen in them: 1.').waitFor();
    expect(await dialog(page).getByRole('columnheader').allTextContents()).toEqual(['team']);
    expect(await dialog(page).textContent()).not.toContain('blue');
    expect(await events(app, home.org, 'collections.access.viewed')).toHaveLength(1);
  });

  test('tell a restricted person with an empty list that there may be other records', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { properties: { team: { type: 'text' } } });
    await insert(app, collection, { team: 'red' });
    const ada = await newMember(app, home.org);
    const body = { ...withUser(ada), role: 'reader', rules: { read: { team: 'green' } } };
    await app.request('POST', `${collection.path}/access`, { ...home.owner, body });
    const page = await visit(`/collections/${collection.id}`, { as: ada });
    await page.getByText('Rules decide which records you see').waitFor();
  });
});
