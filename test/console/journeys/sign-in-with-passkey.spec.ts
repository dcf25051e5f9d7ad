import { describe } from 'vitest';
import { arrived, invitation, joinAs, openSignedOut } from '../account/people.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';

describe('signing in with a passkey', () => {
  test('leads to the page that was asked for', async ({ app, visit }) => {
    const page = await visit(await invitation(app));
    await joinAs(page, 'Ada Lovelace');
    await openSignedOut(page, app, '/account');
    await page.getByRole('heading', { level: 1, name: 'Sign in to your collections' }).waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await arrived(page, '/console/account');
    await page.getByText('Ada Lovelace').waitFor();
  });
});
