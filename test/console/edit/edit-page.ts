import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';

export interface TestBooks extends TestCollection {
  readonly home: Home;
  /** In the order of `TITLES`. */
  readonly ids: readonly string[];
}

const TITLES = ['Emma', 'Persuasion', 'Ulysses', 'Middlemarch', 'Dracula'] as const;

/** A collection of five books: a required title, and columns of numbers, dates, choices and lists. */
export async function newBooks(app: TestApp, settings = {}): Promise<TestBooks> {
  const home = await newHome(app);
  const books = await newCollection(app, home, {
    properties: {
      title: { type: 'text', nullable: false },
      year: { type: 'integer' },
      price: { type: 'double' },
      lent: { type: 'boolean' },
      printed: { type: 'date' },
      tags: { type: 'array' },
    },
    uniques: [{ properties: ['title'] }],
    settings,
  });
  const records = TITLES.map((title, index) => ({
    title,
    year: 1800 + index,
    price: index + 0.5,
    lent: false,
  }));
  return { ...books, home, ids: await insert(app, books, ...records) };
}

/** The cell of a book in a column, by the number of the row and the place of the column, both from 1. */
export function cellAt(page: Page, row: number, column: number): Locator {
  return page
    .getByRole('grid')
    .locator(`[role=row][aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);
}

export const TITLE = 1;
export const YEAR = 2;
export const PRICE = 3;
export const LENT = 4;
export const PRINTED = 5;
export const TAGS = 6;

export const bar = (page: Page): Locator => page.getByRole('region', { name: 'Unsaved changes' });

/** Waits until the page says how many changes are not saved. */
export async function expectUnsaved(page: Page, count: number): Promise<void> {
  const text = count === 1 ? 'one unsaved change' : `${count} unsaved changes`;
  await bar(page).getByRole('status').filter({ hasText: text }).waitFor();
}

/** Enters a value in a cell with the keyboard, as a person who replaces what is there. */
export async function enter(page: Page, cell: Locator, text: string): Promise<void> {
  await cell.click();
  await page.keyboard.press('F2');
  const editor = cell.getByRole('textbox');
  await editor.fill(text);
  await editor.press('Enter');
}

export async function save(page: Page): Promise<void> {
  await bar(page).getByRole('button', { name: 'Save' }).click();
}

/** Waits until a request finds the record with these values. */
export async function expectStored(
  app: TestApp,
  { data, owner }: TestCollection,
  id: string,
  values: object,
): Promise<void> {
  await expect
    .poll(async () => (await app.request('GET', `${data}/${id}`, owner)).body.record)
    .toMatchObject(values);
}
