import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome, search, type TestCollection } from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';
import { guest } from '../../scenarios/sharing/sharing.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';

/** Three books whose year somebody has set to 1 by a filter. */
async function changedBooks(app: TestApp) {
  const home = await newHome(app);
  const books = await newCollection(app, home, { name: 'books', properties: { year: { type: 'integer' } } });
  const ids = (await insert(app, books, { year: 1815 }, { year: 1816 }, { year: 1817 })) as [
    string,
    string,
    string,
  ];
  await succeed(app, books, 'PATCH', '/data', {
    filter: { year: { $gt: 0 } },
    update: { $set: { year: 1 } },
  });
  return { home, books, ids };
}

async function years(app: TestApp, books: TestCollection): Promise<unknown[]> {
  const { records } = await search(app, books);
  return records.map(({ year }: { year?: number }) => year);
}

const undoOf = (page: Page, action: string) =>
  page.getByRole('button', { name: new RegExp(`^Undo: ${action}`) });

describe('a write of the past', () => {
  test('is undone after a preview, and the undo too, by the keyboard alone, at 360 pixels', async ({
    app,
    visit,
  }) => {
    const { home, books, ids } = await changedBooks(app);
    const page = await visit(`/collections/${books.id}/activity`, { as: home.owner, phone: true });
    const dialog = page.getByRole('dialog');
    const press = async (name: string) => {
      await focusByKeyboard(page, dialog.getByRole('button', { name, exact: true }));
      await page.keyboard.press('Enter');
    };
    const close = async () => {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await focusByKeyboard(page, undoOf(page, 'Records changed'));
    await page.keyboard.press('Enter');
    await dialog.getByText('3 records become what they were before.').waitFor();
    expect(await years(app, books)).toEqual([1, 1, 1]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
    await press('Undo the changes of 3 records');
    await dialog.getByText('3 records are as they were before.').waitFor();
    expect(await years(app, books)).toEqual([1815, 1816, 1817]);
    await close();

    await focusByKeyboard(page, undoOf(page, 'Writes undone'));
    await page.keyboard.press('Enter');
    await press('Undo the changes of 3 records');
    await dialog.getByText('3 records are as they were before.').waitFor();
    expect(await years(app, books)).toEqual([1, 1, 1]);
    await close();

    await succeed(app, books, 'DELETE', `/data/${ids[0]}`);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await undoOf(page, 'Records deleted').click();
    await dialog.getByRole('button', { name: 'Undo the change of one record' }).click();
    await dialog.getByText('One record is as it was before.').waitFor();
    expect((await app.request('GET', `${books.data}/${ids[0]}`, home.owner)).status).toBe(200);
  });

  test('that was overwritten since is undone only as somebody chooses', async ({ app, visit }) => {
    const { home, books, ids } = await changedBooks(app);
    await succeed(app, books, 'PATCH', `/data/${ids[1]}`, { year: 2 });
    const page = await visit(`/collections/${books.id}/activity`, { as: home.owner });
    const dialog = page.getByRole('dialog');
    await undoOf(page, 'Records changed').last().click();
    await dialog.getByText('One record was written since.').waitFor();
    const conflicts = dialog.getByRole('list', { name: 'Records that were written since' });
    await conflicts
      .getByRole('listitem')
      .filter({ hasText: ids[1] })
      .getByText('was changed since')
      .waitFor();
    expect(await dialog.getByRole('button', { name: /^Undo the change/ }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByRole('radio', { name: /^Undo them too/ }).check();
    await dialog.getByText('3 records become what they were before.').waitFor();
    await dialog.getByRole('radio', { name: /^Leave them as they are/ }).check();
    await dialog.getByText('2 records become what they were before.').waitFor();
    await dialog.getByRole('button', { name: 'Undo the changes of 2 records' }).click();
    await dialog.getByText('2 records are as they were before. One record stays as it is.').waitFor();
    expect(await years(app, books)).toEqual([1815, 2, 1817]);
  });

  test('that is not kept any more is refused with the reason', async ({ app, visit }) => {
    const { home, books } = await changedBooks(app);
    const page = await visit(`/collections/${books.id}/activity`, { as: home.owner });
    await undoOf(page, 'Records changed').waitFor();
    await succeed(app, books, 'PATCH', '', { settings: { history_days: 0 } });
    await undoOf(page, 'Records changed').click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('alert')
      .getByText(/^Reference /)
      .waitFor();
    expect(await dialog.getByRole('button', { name: /^Undo the change/ }).isDisabled()).toBe(true);
    await page.reload();
    await page.getByRole('row', { name: 'Settings changed' }).waitFor();
    expect(await undoOf(page, 'Records changed').count()).toBe(0);
  });

  test('is undone from the timeline of a record: an editor may undo own writes only', async ({
    app,
    visit,
  }) => {
    const { home, books, ids } = await changedBooks(app);
    const editor = await guest(app, home.org, books, 'editor');
    const mine = await app.request('PATCH', `${books.data}/${ids[0]}`, { ...editor, body: { year: 5 } });
    expect(mine.status).toBe(200);
    const page = await visit(`/collections/${books.id}?record=${ids[0]}`, { as: editor });
    await page.getByRole('button', { name: 'History', exact: true }).click();
    const versions = page.getByRole('list', { name: 'Versions of the record, the newest first' });
    await expect.poll(() => versions.getByRole('listitem').count()).toBe(3);
    expect(await undoOf(page, '').count()).toBe(1);
    await page.getByRole('gridcell', { name: '5', exact: true }).waitFor();
    await undoOf(page, 'Changed').click();
    const dialog = page.getByRole('dialog', { name: /^Undo/ });
    await dialog.getByRole('button', { name: 'Undo the change of one record' }).click();
    await dialog.getByText('One record is as it was before.').waitFor();
    expect(await years(app, books)).toEqual([1, 1, 1]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => versions.getByRole('listitem').count()).toBe(4);
    // The undo may have changed other records too, so the grid reads its page again.
    await expect.poll(() => page.getByRole('gridcell', { name: '1', exact: true }).count()).toBe(3);
  });
});
