import { describe, expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import type { TestCollection } from '../../harness/collection.js';
import { type Home, newHome } from '../../harness/collection.js';
import { newMember } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';
import { barChart, COUNT, cardOf, newOrders, readCharts, saveCharts } from './orders.js';

/** A member of the organization who has this role on the collection. */
async function sharedWith(app: TestApp, { org, owner }: Home, { path }: TestCollection, role: string) {
  const { token, userId } = await newMember(app, org);
  const body = { principal_type: 'user', principal_id: userId, role };
  const { status, text } = await app.request('POST', `${path}/access`, { ...owner, body });
  if (status !== 201) throw new Error(`nothing was shared: ${text}`);
  return { token };
}

describe('charts of a collection', () => {
  test('are proposed if there are none, and one click saves one', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    const page = await visit(`/collections/${orders.name}/charts`, { as: home.owner });
    for (const title of ['Records by ordered_at', 'Records for each city', 'Average amount']) {
      await cardOf(page, title).waitFor();
    }
    await cardOf(page, 'Records for each city').getByRole('img').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add Records for each city' }).click();
    await page.getByRole('button', { name: 'Actions for Records for each city' }).waitFor();
    const [saved, ...others] = await readCharts(app, orders);
    expect(others).toEqual([]);
    expect(saved).toMatchObject({
      title: 'Records for each city',
      type: 'bar',
      aggregate: { steps: COUNT, group_by: 'city', sort: { count: -1 }, limit: 10 },
    });
  });

  test('are edited, duplicated, moved and deleted, and those of other programs stay', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    const foreign = { title: 'Of another program', spec: { z: 1, a: 2 } };
    await saveCharts(app, orders, [
      barChart('a', 'First', { colour: 'red' }),
      foreign,
      barChart('b', 'Second'),
    ]);
    const page = await visit(`/collections/${orders.name}/charts`, { as: home.owner });
    const choose = async (title: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${title}`, exact: true }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    const titles = async () => (await readCharts(app, orders)).map((chart: { title: string }) => chart.title);
    await choose('First', 'Duplicate');
    await expect.poll(titles).toEqual(['First', 'Copy of First', 'Of another program', 'Second']);
    await cardOf(page, 'Copy of First').waitFor();
    await choose('First', 'Move on');
    await expect.poll(titles).toEqual(['Copy of First', 'First', 'Of another program', 'Second']);
    await choose('Copy of First', 'Delete');
    await page.getByRole('dialog', { name: 'Delete the chart “Copy of First”?' }).waitFor();
    await page.getByRole('button', { name: 'Delete “Copy of First”' }).click();
    await expect.poll(titles).toEqual(['First', 'Of another program', 'Second']);
    await choose('First', 'Edit');
    await page.getByLabel('Title').fill('Renamed');
    await page.getByRole('button', { name: 'Save chart' }).click();
    await cardOf(page, 'Renamed').waitFor();
    expect(await readCharts(app, orders)).toEqual([
      barChart('a', 'Renamed', { colour: 'red' }),
      foreign,
      barChart('b', 'Second'),
    ]);
  });

  test('saved by two people at once: the second sees the changes of the first, and chooses', async ({
    app,
    visit,
  }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    await saveCharts(app, orders, [barChart('a', 'Shared'), barChart('b', 'Other')]);
    const editor = await sharedWith(app, home, orders, 'editor');
    const address = `/collections/${orders.id}/charts`;
    const [mine, theirs] = [await visit(address, { as: home.owner }), await visit(address, { as: editor })];
    const rename = async (page: typeof mine, from: string, title: string) => {
      await page.getByRole('button', { name: `Actions for ${from}`, exact: true }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await page.getByLabel('Title').fill(title);
    };
    const conflict = mine.getByRole('dialog', { name: 'Somebody else saved the charts' });
    const titles = async () => (await readCharts(app, orders)).map((chart: { title: string }) => chart.title);

    await rename(mine, 'Shared', 'Mine');
    await rename(theirs, 'Other', 'Theirs');
    await theirs.getByRole('button', { name: 'Save chart' }).click();
    await cardOf(theirs, 'Theirs').waitFor();
    await mine.getByRole('button', { name: 'Save chart' }).click();
    await conflict.getByText('Changed: Theirs').waitFor();
    await conflict.getByText('Changed: Mine').waitFor();
    await expectAccessible(mine);
    expect(await titles()).toEqual(['Shared', 'Theirs']);
    await conflict.getByRole('button', { name: 'Save mine on top' }).click();
    await cardOf(mine, 'Mine').waitFor();
    expect(await titles()).toEqual(['Mine', 'Theirs']);

    await theirs.reload();
    await rename(mine, 'Theirs', 'Mine again');
    await rename(theirs, 'Theirs', 'Theirs again');
    await theirs.getByRole('button', { name: 'Save chart' }).click();
    await cardOf(theirs, 'Theirs again').waitFor();
    await mine.getByRole('button', { name: 'Save chart' }).click();
    await conflict.getByRole('button', { name: 'Keep theirs' }).click();
    await mine.getByRole('button', { name: 'Cancel' }).click();
    await cardOf(mine, 'Theirs again').waitFor();
    expect(await titles()).toEqual(['Mine', 'Theirs again']);
  });

  test('may be drawn by readers, who cannot save them but share a link', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    await saveCharts(app, orders, [barChart('a', 'Saved')]);
    const reader = await sharedWith(app, home, orders, 'reader');
    const page = await visit(`/collections/${orders.id}/charts`, { as: reader });
    await cardOf(page, 'Saved').getByRole('img').waitFor();
    expect(await page.getByRole('button', { name: /^Actions/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Draw a chart' }).click();
    await page.getByLabel('For each').selectOption('city');
    await page.getByRole('img').waitFor();
    expect(await page.getByRole('button', { name: 'Save chart' }).count()).toBe(0);
    await page.getByLabel('Title').fill('Drawn by a reader');
    await page.getByRole('heading', { name: 'Drawn by a reader' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('status').getByText('Copied').waitFor();
    const link: string = await page.evaluate('navigator.clipboard.readText()');
    const other = await visit(link.replace(/^.*\/console/, ''), { as: home.owner });
    await other.getByRole('heading', { name: 'Drawn by a reader' }).waitFor();
    await other.getByRole('img').waitFor();
  });

  test('count what a filter of the records page matches', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    const filter = encodeURIComponent(JSON.stringify({ is_paid: true }));
    const page = await visit(`/collections/${orders.name}?filter=${filter}`, { as: home.owner });
    await page.getByRole('link', { name: 'Chart these' }).click();
    const editor = page.getByRole('region', { name: 'New chart' });
    await editor.getByText('20', { exact: true }).waitFor();
    await page.getByLabel('Filter as JSON').fill('{"is_paid": ');
    await page.getByText('This is not a JSON object.').waitFor();
    await page.getByLabel('Title').fill('Paid');
    expect(await page.getByRole('button', { name: 'Save chart' }).isDisabled()).toBe(true);
    await page.getByLabel('Filter as JSON').fill('{"is_paid": false}');
    await editor.getByText('40', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save chart' }).click();
    await cardOf(page, 'Paid').waitFor();
    expect((await readCharts(app, orders))[0].aggregate).toEqual({
      steps: COUNT,
      filter: { is_paid: false },
    });
  });

  test('are made by the keyboard alone, on a phone and in French too', async ({ app, visit }) => {
    const home = await newHome(app);
    const orders = await newOrders(app, home);
    const page = await visit(`/collections/${orders.name}/charts`, {
      as: home.owner,
      phone: true,
      language: 'fr',
    });
    await focusByKeyboard(page, page.getByRole('button', { name: 'Nouveau graphique' }));
    await page.keyboard.press('Enter');
    await focusByKeyboard(page, page.getByLabel('Titre'));
    await page.keyboard.type('Par ville');
    await focusByKeyboard(page, page.getByLabel('Pour chaque'));
    await page.keyboard.type('city');
    await page.getByRole('img').waitFor();
    await expectAccessible(page);
    await focusByKeyboard(page, page.getByRole('button', { name: 'Enregistrer le graphique' }));
    await page.keyboard.press('Enter');
    await cardOf(page, 'Par ville').getByRole('img').waitFor();
    expect((await readCharts(app, orders))[0]).toMatchObject({ title: 'Par ville', type: 'bar' });
  });
});
