import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  insert,
  newCollection,
  newHome,
  type TestCollection,
} from '../../harness/collection.js';
import { newMember } from '../../scenarios/orgs/org.js';
import { BOOKS, COLUMNS } from './books.js';

export interface Library {
  readonly home: Home;
  readonly books: TestCollection;
}

/** A collection of four books, alone in its organization. */
export async function newLibrary(app: TestApp): Promise<Library> {
  const home = await newHome(app);
  const books = await newCollection(app, home, { name: 'books', properties: COLUMNS });
  await insert(app, books, ...BOOKS);
  return { home, books };
}

/** Somebody else of the organization, who may only read the books. */
export async function newReader(app: TestApp, { home, books }: Library): Promise<Caller> {
  const { token, userId } = await newMember(app, home.org);
  const body = { principal_type: 'user', principal_id: userId, role: 'reader' };
  const answer = await app.request('POST', `${books.path}/access`, { ...books.owner, body });
  if (answer.status >= 300) throw new Error(`nobody became a reader: ${answer.text}`);
  return { token };
}

/** The address of the records of the books, with a search part. */
export function recordsAt(search: Readonly<Record<string, unknown>> = {}): string {
  const parts = Object.entries(search).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${encodeURIComponent(text)}`;
  });
  return `/collections/books?${parts.join('&')}`;
}

/** A parameter of the address as JSON; undefined if there is none. */
export function inAddress(page: Page, name: string): unknown {
  const text = new URL(page.url()).searchParams.get(name);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Waits until the address has this filter. */
export async function expectFilter(page: Page, filter: object | undefined): Promise<void> {
  await expect.poll(() => inAddress(page, 'filter')).toEqual(filter);
}

/** Waits until the grid shows exactly the books with these titles, in any order. */
export async function expectTitles(page: Page, ...titles: string[]): Promise<void> {
  const shown = async () => {
    const found = [];
    for (const { title } of BOOKS) {
      if ((await page.getByRole('gridcell', { name: title, exact: true }).count()) > 0) found.push(title);
    }
    return found.sort();
  };
  await expect.poll(shown).toEqual(titles.sort());
}

export const tool = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });

/** Opens the filter dialog at one of its forms. */
export async function openFilter(page: Page, tab: 'Conditions' | 'JSON' = 'Conditions'): Promise<void> {
  await tool(page, /^Filter/).click();
  await page.getByRole('tab', { name: tab }).click();
}

export const apply = (page: Page) => page.getByRole('button', { name: 'Apply' }).click();
export const condition = (page: Page, place: string) =>
  page.getByRole('group', { name: `Condition ${place}`, exact: true });

/** Fills one condition of the builder. */
export async function fill(
  page: Page,
  place: string,
  field: string,
  operator: string,
  value?: string,
): Promise<void> {
  const row = condition(page, place);
  await row.getByRole('combobox', { name: 'Field' }).selectOption({ label: field });
  await row.getByRole('combobox', { name: 'Operator' }).selectOption({ label: operator });
  if (value !== undefined) await row.getByRole('textbox', { name: 'Value', exact: true }).fill(value);
}

/** Replaces the text of the JSON editor as somebody who types does. */
export async function writeJson(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'Filter as JSON' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}
