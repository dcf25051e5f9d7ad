import { describe, expect } from 'vitest';
import { newOrg } from '../../scenarios/orgs/org.js';
import { arrived, invitation } from '../account/people.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';
import { PasskeyDevice } from '../support/passkey-device.js';

describe('joining by an invitation', () => {
  test('makes a new person a member, by the keyboard alone', async ({ app, visit }) => {
    const org = await newOrg(app);
    const page = await visit(await invitation(app, org));
    await PasskeyDevice.of(page);
    await page.getByRole('button', { name: 'Join with a passkey' }).waitFor();
    await expectAccessible(page);
    await focusByKeyboard(page, page.getByLabel('Your name'));
    await page.keyboard.press('Enter');
    await page.getByText('Enter your name.').waitFor();
    await page.keyboard.type('Grace Hopper');
    await page.keyboard.press('Enter');
    await arrived(page, '/console/collections');
    const { results } = (await app.request('GET', `${org.path}/members`, { token: org.owner.token })).body;
    const roles = results.map(({ firstName, roleSlug }: Record<string, string>) => [firstName, roleSlug]);
    expect(roles).toContainEqual(['Grace Hopper', 'member']);
  });
});
