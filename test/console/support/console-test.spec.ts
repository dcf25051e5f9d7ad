import { describe, expect } from 'vitest';
import { test } from './console-test.js';
import { focusByKeyboard, isFocused } from './keyboard.js';

describe('a test of the console', () => {
  test.fails('fails if a page throws', async ({ visit }) => {
    const page = await visit('/sign-in');
    const thrown = page.waitForEvent('pageerror');
    await page.evaluate(`setTimeout(() => { throw new Error('thrown by the test') })`);
    await thrown;
  });

  test.fails('fails if a page logs an error', async ({ visit }) => {
    const page = await visit('/sign-in');
    await page.evaluate(`console.error('logged by the test')`);
  });

  test.fails('fails if a page violates the policy', async ({ visit }) => {
    const page = await visit('/sign-in');
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: '1' }))`,
    );
  });

  test.fails('fails if a file of a page is missing', async ({ visit }) => {
    const page = await visit('/sign-in');
    await page.evaluate(`fetch('/console/assets/none.js')`);
  });

  test('passes if a request of a page is refused', async ({ visit }) => {
    const page = await visit('/sign-in');
    expect(await page.evaluate(`fetch('/v2/me').then(answer => answer.status)`)).toBe(401);
  });

  test('moves the focus by the keyboard', async ({ visit }) => {
    const page = await visit('/no/such/page');
    const link = page.getByRole('link', { name: 'Collections' });
    await focusByKeyboard(page, link);
    expect(await isFocused(link)).toBe(true);
  });
});
