import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { guest } from '../../scenarios/sharing/sharing.js';
import { cardOf, saveCharts } from '../charts/orders.js';
import { tool } from '../find/find-page.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { downloaded, withoutFileAccess } from '../support/downloads.js';
import { focusByKeyboard } from '../support/keyboard.js';

const PROPERTIES = { title: { type: 'text', nullable: false }, year: { type: 'integer' } };

/** The clock of the database, which dates the versions. */
async function now(app: TestApp): Promise<string> {
  const [{ now }] = await app.sql(
    `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now`,
  );
  return now;
}

/** One book that was changed and one that was deleted, and an instant before that. */
async function changedBooks(app: TestApp) {
  const home = await newHome(app);
  const books = await newCollection(app, home, { name: 'books', properties: PROPERTIES });
  const [emma, ulysses] = (await insert(
    app,
    books,
    { title: 'Emma', year: 1815, shelf: 'A1' },
    { title: 'Ulysses', year: 1922 },
  )) as [string, string];
  // The instant has milliseconds, the versions have microseconds.
  await app.sql('SELECT pg_sleep(0.01)');
  const before = await now(app);
  await app.sql('SELECT pg_sleep(0.01)');
  await write(app, books, 'PATCH', emma, { $set: { year: 1816 }, $unset: { shelf: '' } });
  await write(app, books, 'DELETE', ulysses);
  return { home, books, emma, ulysses, before };
}

async function write(app: TestApp, books: TestCollection, method: string, id: string, body?: object) {
  const answer = await app.request(method, `${books.data}/${id}`, { ...books.owner, body });
  if (answer.status !== 200) throw new Error(`not written: ${answer.text}`);
}

const versions = (page: Page) =>
  page.getByRole('list', { name: 'Versions of the record, the newest first' }).getByRole('listitem');
const cells = (page: Page) => page.getByRole('grid').getByRole('gridcell');

describe('the history of a record', () => {
  test('lists its versions with what each changed, and leads to all records of that moment', async ({
    app,
    visit,
  }) => {
    const { home, books, emma } = await changedBooks(app);
    const page = await visit(`/collections/${books.id}?record=${emma}`, { as: home.owner });
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await expect.poll(() => versions(page).count()).toBe(2);
    const [changed, inserted] = [versions(page).first(), versions(page).last()];
    await changed.getByRole('heading', { name: /^Changed / }).waitFor();
    expect(await changed.getByRole('deletion').allTextContents()).toEqual(['A1', '1815'].sort().reverse());
    expect(await changed.getByRole('insertion').allTextContents()).toContain('1816');
    await inserted.getByRole('heading', { name: /^Inserted / }).waitFor();
    await changed.getByText('The whole record').click();
    await changed
      .getByRole('region', { name: 'The record in version 2' })
      .getByText('"year": 1816')
      .waitFor();
    await expectAccessible(page);

    await inserted.getByRole('link', { name: 'All records of that moment' }).click();
    const past = page.getByRole('region', { name: 'The past' });
    await past.getByText('They cannot be changed here.').waitFor();
    await cells(page).getByText('1815').waitFor();
    expect(new URL(page.url()).searchParams.get('as_of')).toMatch(/Z$/);
  });

  test('is there for a deleted record, by the keyboard alone, on a phone and in French', async ({
    app,
    visit,
  }) => {
    const { books, ulysses, home } = await changedBooks(app);
    const reader = await guest(app, home.org, books, 'reader');
    const page = await visit(`/collections/${books.id}?record=${ulysses}`, {
      as: reader,
      phone: true,
      language: 'fr',
    });
    const list = page.getByRole('list', {
      name: 'Versions de l’enregistrement, les plus récentes d’abord',
    });
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
    await list.getByText('L’enregistrement a été supprimé.').waitFor();
    const whole = list.getByText('L’enregistrement entier');
    await focusByKeyboard(page, whole);
    await page.keyboard.press('Enter');
    await list.getByText('"title": "Ulysses"').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
  });
});

describe('the records of an instant', () => {
  test('are shown, counted, opened and exported as they were, and cannot be changed', async ({
    app,
    visit,
  }) => {
    const { home, books, emma, before } = await changedBooks(app);
    const page = await visit(`/collections/${books.id}?as_of=${before}`, { as: home.owner });
    await page.getByRole('grid', { name: /as of/ }).waitFor();
    await cells(page).getByText('1815').waitFor();
    await cells(page).getByText('Ulysses').waitFor();
    await page.getByText('2 records', { exact: true }).waitFor();
    for (const name of ['New record', 'Live', 'Ask']) expect(await tool(page, name).count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: 'Choose record 1' }).count()).toBe(0);
    await cells(page).getByText('1815').dblclick();
    const panel = page.getByRole('complementary', { name: 'Record' });
    await panel.getByText('A1', { exact: true }).waitFor();
    expect(await panel.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
    await expectAccessible(page);
    expect(new URL(page.url()).searchParams.get('record')).toBe(emma);

    await tool(page, 'Code').click();
    const code = page.getByRole('dialog').getByRole('region');
    await code.getByText(`"as_of":"${before}"`).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await withoutFileAccess(page);
    await tool(page, 'Export').click();
    const { text } = await downloaded(page, () =>
      page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click(),
    );
    expect(text).toContain('1815');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Back to now' }).click();
    await cells(page).getByText('1816').waitFor();
    expect(await cells(page).getByText('Ulysses').count()).toBe(0);
    await tool(page, 'New record').waitFor();
  });

  test('are drawn in the charts, which lead back to the present', async ({ app, visit }) => {
    const { home, books, before } = await changedBooks(app);
    const steps = [{ type: 'sum', input_field: 'year', output_field: 'sum_year' }];
    await saveCharts(app, books, [{ id: 'a', title: 'Years', type: 'number', aggregate: { steps } }]);
    const page = await visit(`/collections/${books.id}?as_of=${before}`, { as: home.owner });
    const parts = page.getByRole('navigation', { name: 'Parts of the collection' });
    await parts.getByRole('link', { name: 'Charts' }).click();
    const chart = cardOf(page, 'Years');
    await chart.getByText('3,737').waitFor();
    await page.getByText(/^The charts show the records as they were on/).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Actions for Years' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('region', { name: 'Edit chart' }).getByText('3,737').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await chart.getByText('3,737').waitFor();
    await parts.getByRole('link', { name: 'Records' }).click();
    await cells(page).getByText('Ulysses').waitFor();
    await parts.getByRole('link', { name: 'Charts' }).click();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await chart.getByText('1,816').waitFor();
    await page.getByRole('button', { name: 'Look back' }).waitFor();
  });

  test('are chosen with a slider or a date by the keyboard alone, at 360 pixels; the earliest is offered', async ({
    app,
    visit,
  }) => {
    const { home, books, before } = await changedBooks(app);
    const page = await visit(`/collections/${books.id}`, { as: home.owner, phone: true });
    const past = page.getByRole('region', { name: 'The past' });
    await cells(page).getByText('1816').waitFor();
    await app.sql(
      `SELECT pg_sleep(greatest(0, 1.2 - extract(epoch FROM clock_timestamp() - '${before}'::timestamptz)))`,
    );
    await focusByKeyboard(page, page.getByRole('button', { name: 'Look back' }));
    await page.keyboard.press('Enter');
    await past.getByText('They cannot be changed here.').waitFor();
    const chosen = () => new URL(page.url()).searchParams.get('as_of') ?? '';
    const first = chosen();
    await focusByKeyboard(page, past.getByRole('slider', { name: 'Moment of the past' }));
    await page.keyboard.press('End');
    await expect.poll(() => chosen() > first).toBe(true);
    await cells(page).getByText('1816').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);

    await past.getByLabel('Date and time').fill('2001-01-01T00:00');
    await page
      .getByRole('alert')
      .getByText(/history/i)
      .first()
      .waitFor();
    await focusByKeyboard(page, past.getByRole('button', { name: /^Go to the earliest/ }));
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await focusByKeyboard(page, past.getByRole('button', { name: 'Back to now' }));
    await page.keyboard.press('Enter');
    await cells(page).getByText('1816').waitFor();
    await expect.poll(chosen).toBe('');
  });

  test('are not offered where nothing is kept', async ({ app, visit }) => {
    const home = await newHome(app);
    const books = await newCollection(app, home, {
      properties: PROPERTIES,
      settings: { history_days: 0 },
    });
    await insert(app, books, { title: 'Emma' });
    const page = await visit(`/collections/${books.id}`, { as: home.owner });
    await cells(page).getByText('Emma').waitFor();
    expect(await page.getByRole('button', { name: 'Look back' }).count()).toBe(0);
  });
});
