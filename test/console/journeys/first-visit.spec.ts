import { describe, expect } from 'vitest';
import { newHome } from '../../harness/collection.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';

describe('the console', () => {
  test('sends somebody who is not signed in to the sign-in page', async ({ visit }) => {
    const page = await visit('/collections');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/sign-in');
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  test('opens the list of collections by a sign-in link', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    const page = await visit('/', { as: owner });
    await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor();
    await expectAccessible(page);
  });

  test('speaks French to a French browser, on a phone too', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    const page = await visit('/account', { as: owner, phone: true, language: 'fr' });
    await page.getByRole('button', { name: 'Compte' }).waitFor();
  });
});
