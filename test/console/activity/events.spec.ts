import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { insert, newCollection, newHome } from '../../harness/collection.js';
import { newMember } from '../../scenarios/orgs/org.js';
import { guest } from '../../scenarios/sharing/sharing.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';

const names = (page: Page) =>
  page.getByRole('region', { name: 'What happened', exact: true }).getByRole('rowheader').allTextContents();

describe('the page of activity', () => {
  test('lists what happened, narrows it by action and person, and shows one event', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const ids = await insert(app, collection, { a: 1 }, { a: 2 });
    const ada = await newMember(app, home.org, 'admin');
    await app.request('PATCH', collection.path, { token: ada.token, body: { description: 'All orders' } });
    const page = await visit(`/collections/${collection.id}`, { as: home.owner });
    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    const all = ['Settings changed', 'Records inserted · 2 records', 'Collection created'];
    await expect.poll(() => names(page)).toEqual(all);
    expect(await page.getByRole('row', { name: 'Records inserted' }).textContent()).toContain(
      'Console or API',
    );
    await expectAccessible(page);

    await page.getByLabel('What', { exact: true }).selectOption('Records inserted');
    await expect.poll(() => names(page)).toEqual([all[1]]);
    await page.getByLabel('What', { exact: true }).selectOption('Everything');
    await page.getByLabel('Who', { exact: true }).selectOption(ada.userId);
    await expect.poll(() => names(page)).toEqual([all[0]]);
    await page.reload();
    await expect.poll(() => names(page)).toEqual([all[0]]);
    await page.getByRole('button', { name: /^Details of: Settings changed/ }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('region', { name: 'Changes' }).textContent()).toContain('All orders');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByLabel('Who', { exact: true }).selectOption('Everybody');

    await page.getByRole('button', { name: /^Details of: Records inserted/ }).click();
    await dialog.getByRole('link', { name: ids[0] as string }).click();
    await page.getByRole('button', { name: `Only the record ${ids[0]}: show all again` }).waitFor();
    await expect.poll(() => names(page)).toEqual([all[1]]);
    await page.getByLabel('To', { exact: true }).fill('2001-01-01');
    await page.getByRole('heading', { name: 'No event matches the filters' }).waitFor();
    expect(new URL(page.url()).searchParams.get('until')).toBe('2001-01-01');
  });

  test('goes from a record to its events, by keyboard and on a phone', async ({ app, visit }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const [first] = (await insert(app, collection, { a: 1 })) as [string];
    await insert(app, collection, { a: 2 });
    await app.request('PATCH', `${collection.data}/${first}`, { ...home.owner, body: { a: 3 } });
    const page = await visit(`/collections/${collection.id}?record=${first}`, {
      as: home.owner,
      phone: true,
    });
    await focusByKeyboard(page, page.getByRole('dialog').getByRole('link', { name: 'Activity' }));
    await page.keyboard.press('Enter');
    await expect
      .poll(() => names(page))
      .toEqual(['Records changed · one record', 'Records inserted · one record']);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    // The open page is in view in the line of pages.
    const box = await page.getByRole('link', { name: 'Activity', exact: true }).boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 360)).toBeLessThanOrEqual(360);
    await expectAccessible(page);
    await focusByKeyboard(page, page.getByRole('button', { name: /show all again$/ }));
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toHaveLength(4);
  });

  test('reads older events on demand', async ({ app, visit }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    for (let change = 0; change < 52; change++) await insert(app, collection, { change });
    const page = await visit(`/collections/${collection.id}/activity`, { as: home.owner });
    await expect.poll(() => names(page)).toHaveLength(50);
    await page.getByRole('button', { name: 'Older' }).click();
    await expect.poll(() => names(page)).toHaveLength(53);
    expect((await names(page)).at(-1)).toBe('Collection created');
  });

  test('is not offered to editors, in French either', async ({ app, visit }) => {
    const home = await newHome(app);
    const collection = await newCollection(app, home, { name: 'orders' });
    const editor = await guest(app, home.org, collection, 'editor');
    const page = await visit(`/collections/${collection.id}/activity`, { as: editor, language: 'fr' });
    await page.getByRole('heading', { name: 'Vous ne pouvez pas voir ce qui s’est passé ici' }).waitFor();
    expect(await page.getByRole('link', { name: 'Activité', exact: true }).count()).toBe(0);
  });
});
