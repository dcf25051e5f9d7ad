import { describe, expect } from 'vitest';
import { newHome } from '../../harness/collection.js';
import { person, signIn } from '../../scenarios/auth/person.js';
import { Browser } from '../../scenarios/oidc/browser.js';
import { connect, register } from '../../scenarios/oidc/client.js';
import { emailOf, newOrg } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { PasskeyDevice } from '../support/passkey-device.js';
import { ageSessions, invitation, joinAs } from './people.js';

describe('passkeys on the account page', () => {
  test('are added, renamed and deleted', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    const page = await visit('/account', { as: owner });
    await PasskeyDevice.of(page);
    const passkeys = page.getByRole('region', { name: 'Passkeys' });
    await passkeys.getByText('You have no passkeys.').waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('');
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('Laptop');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await passkeys.getByText('Laptop').waitFor();
    // The device has a passkey for this account now.
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByRole('alert').getByText('This device has a passkey').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Rename “Laptop”' }).click();
    await dialog.getByLabel('Name').fill('Old laptop');
    await page.keyboard.press('Enter');
    await passkeys.getByText('Old laptop').waitFor();
    await page.getByRole('button', { name: 'Delete “Old laptop”' }).click();
    await dialog.getByText('every session that began with it ends').waitFor();
    await dialog.getByText('It is your only passkey.').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await passkeys.getByText('Old laptop').waitFor();
    await page.getByRole('button', { name: 'Delete “Old laptop”' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await passkeys.getByText('You have no passkeys.').waitFor();
  });

  test('are added to an old session after confirming with a passkey, which leaves one session', async ({
    app,
    visit,
  }) => {
    const page = await visit(await invitation(app));
    const device = await joinAs(page, 'Ada');
    const { id: userId } = (await page.evaluate(`fetch('/v2/me').then(answer => answer.json())`)) as {
      id: string;
    };
    await ageSessions(app, { userId });
    await page.goto(`${app.url}/console/account`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Key ring');
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Confirm with a passkey' }).click();
    // Confirmed, the page goes on: this device already has a passkey of the account.
    await dialog.getByRole('alert').getByText('This device has a passkey').waitFor();
    await device.clear();
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('region', { name: 'Passkeys' }).getByText('Key ring').waitFor();
    const alive = await app.sql('SELECT id FROM sessions WHERE user_id = $1 AND revoked_at IS NULL', [
      userId,
    ]);
    expect(alive).toHaveLength(1);
  });
});

describe('sessions on the account page', () => {
  test('end in the other browser, which is asked to sign in again', async ({ app, visit }) => {
    const somebody = await person(app);
    const other = await visit('/account', { as: await signIn(app, somebody.userId) });
    await other.getByRole('region', { name: 'Sessions' }).waitFor();
    const page = await visit('/account', { as: somebody });
    const sessions = page.getByRole('region', { name: 'Sessions' });
    await sessions.getByText('this browser').waitFor();
    expect(await sessions.getByRole('listitem').count()).toBe(2);
    await sessions.getByRole('button', { name: /^End the session of/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1);
    await sessions.getByText('this browser').waitFor();
    await other.reload();
    await other.getByRole('heading', { level: 1, name: 'Sign in to your collections' }).waitFor();
  });

  test('end all but this one', async ({ app, visit }) => {
    const somebody = await person(app);
    for (let count = 0; count < 2; count++) await signIn(app, somebody.userId);
    const page = await visit('/account', { as: somebody });
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('every connected application loses its access').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    // Behind an open dialog nothing has a role.
    const sessions = page.getByRole('region', { name: 'Sessions' }).getByRole('listitem');
    await expect.poll(() => sessions.count()).toBe(3);
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await dialog.getByRole('button', { name: 'End all other sessions' }).click();
    await expect.poll(() => sessions.count()).toBe(1);
    expect((await app.request('GET', '/v2/me', { token: somebody.token })).status).toBe(200);
  });
});

describe('the account page', () => {
  test('shows and ends what acts for the person, and answers invitations, on a phone too', async ({
    app,
    visit,
  }) => {
    const somebody = await person(app);
    const email = await emailOf(app, somebody);
    const [first, second] = [await newOrg(app), await newOrg(app)];
    for (const { path, owner } of [first, second]) {
      const body = { users: [{ email }] };
      expect((await app.request('POST', `${path}/members`, { token: owner.token, body })).status).toBe(201);
    }
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: 'nightly import', expiresAt };
    await app.request('POST', '/v2/user/accessTokens', { token: somebody.token, body });
    const redirect_uri = 'https://tool.example.com/cb';
    const tool = await register(app, [redirect_uri], { client_name: 'Reports' });
    const scope = 'collections:read';
    const { access_token } = await connect(tool, Browser.of(app, somebody), { redirect_uri, scope });

    const page = await visit('/account', { as: somebody, phone: true });
    const invitations = page.getByRole('region', { name: 'Invitations' });
    await expect.poll(() => invitations.getByRole('listitem').count()).toBe(2);
    const applications = page.getByRole('region', { name: 'Connected applications' });
    await applications.getByText('It may: read records').waitFor();
    const tokens = page.getByRole('region', { name: 'Access tokens' });
    await tokens.getByText('nightly import').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);

    await invitations.getByRole('button', { name: 'Accept' }).first().click();
    await page.getByText('Role: member').first().waitFor();
    await expect.poll(() => invitations.getByRole('listitem').count()).toBe(1);
    const dialog = page.getByRole('dialog');
    await invitations.getByRole('button', { name: 'Decline' }).click();
    await dialog.getByRole('button', { name: 'Decline' }).click();
    await invitations.waitFor({ state: 'detached' });

    await applications.getByRole('button', { name: 'Disconnect Reports' }).click();
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await applications.getByText('No application may act for you.').waitFor();
    expect((await app.request('GET', '/v2/me', { token: access_token })).status).toBe(401);

    await tokens.getByRole('button', { name: 'Revoke “nightly import”' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await tokens.getByText('You have no access tokens.').waitFor();
  });

  test('speaks French', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    const page = await visit('/account', { as: owner, language: 'fr' });
    for (const name of ['Clés d’accès', 'Sessions', 'Applications connectées', 'Jetons d’accès']) {
      await page.getByRole('region', { name }).waitFor();
    }
    await expectAccessible(page);
  });
});
