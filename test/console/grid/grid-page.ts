import type { Locator, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { newCollection, newHome, type TestCollection } from '../../harness/collection.js';

export const gridOf = (page: Page): Locator => page.getByRole('grid');

/** The cells of a column in the rows that are drawn, without the header. */
export const cellsOf = (page: Page, column: number): Locator =>
  gridOf(page).locator(`[role=gridcell][aria-colindex="${column}"]`);

/** Waits until the grid has drawn a cell with this text. */
export function cell(page: Page, text: string): Locator {
  return gridOf(page).getByRole('gridcell', { name: text, exact: true });
}

export function header(page: Page, name: string): Locator {
  return gridOf(page).getByRole('columnheader', { name: new RegExp(`^${name} `) });
}

/** The names of the columns from left to right. */
export async function columnNames(page: Page): Promise<string[]> {
  const texts = await gridOf(page).getByRole('columnheader').allInnerTexts();
  return texts.slice(1).map(text => text.split('\n')[0] as string);
}

/** A collection of one integer column `n` with the numbers from 0 on, and its owner. */
export async function newNumbers(app: TestApp, count: number): Promise<TestCollection> {
  const home = await newHome(app);
  const numbers = await newCollection(app, home, { properties: { n: { type: 'integer' } } });
  for (let from = 0; from < count; from += 5000) {
    const records = Array.from({ length: Math.min(5000, count - from) }, (_, index) => ({ n: from + index }));
    const { status } = await app.request('POST', `${numbers.data}/bulk`, {
      ...home.owner,
      body: { records },
    });
    expect(status).toBe(201);
  }
  return numbers;
}

/**
 * Scrolls by less than a page at a time until nothing moves any more, and returns the text of the second cell of each
 * row by the position of the row in the list, in the order in which the rows were seen.
 */
export async function textsWhileScrolling(page: Page, direction: 1 | -1): Promise<string[]> {
  return page.evaluate<string[]>(`(async () => {
    const grid = document.querySelector('[role=grid]');
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    const seen = new Set();
    const isInView = row => {
      const [{ top, bottom }, box] = [row.getBoundingClientRect(), grid.getBoundingClientRect()];
      return bottom > box.top && top < box.bottom;
    };
    const rowsInView = () => [...grid.querySelectorAll('[role=rowgroup]:last-child > [role=row]')].filter(isInView);
    // Just after the grid has moved, no row may be in view yet.
    const isSettled = () => {
      const rows = rowsInView();
      return rows.length > 0 && !rows.some(row => row.getAttribute('aria-busy') === 'true');
    };
    let still = 0;
    while (still < 12) {
      for (let waited = 0; waited < 600 && !isSettled(); waited += 1) await frame();
      const box = grid.getBoundingClientRect();
      const rows = [...grid.querySelectorAll('[role=rowgroup]:last-child > [role=row]:not([aria-busy=true])')]
        .map(row => ({ top: row.getBoundingClientRect().top, text: row.children[1].innerText }))
        .filter(({ top }) => top > box.top && top < box.bottom)
        .sort((one, other) => (one.top - other.top) * ${direction});
      for (const { text } of rows) seen.add(text);
      const before = grid.scrollTop;
      grid.scrollTop += ${direction} * (grid.clientHeight - 120);
      await frame();
      await frame();
      still = Math.abs(grid.scrollTop - before) < 1 ? still + 1 : 0;
    }
    return [...seen];
  })()`);
}

/** Collects the requests of a page that match. */
export function requestsOf(page: Page, pattern: RegExp): Request[] {
  const requests: Request[] = [];
  page.on('request', request => {
    if (pattern.test(request.url())) requests.push(request);
  });
  return requests;
}

/** The values of the address's search part, as the router writes them. */
export function searchOf(page: Page): Record<string, unknown> {
  const entries = [...new URL(page.url()).searchParams].map(([name, text]) => [name, parsed(text)]);
  return Object.fromEntries(entries);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** An address of the grid with a search part. */
export function addressOf({ id }: TestCollection, search: Record<string, unknown> = {}): string {
  const parts = Object.entries(search).map(
    ([name, value]) =>
      `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  return `/collections/${id}${parts.length === 0 ? '' : `?${parts.join('&')}`}`;
}
