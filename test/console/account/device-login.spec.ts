import * as oauth from 'openid-client';
import { describe, expect } from 'vitest';
import { relyingParty } from '../../scenarios/oidc/client.js';
import { test } from '../support/console-test.js';
import { arrived, invitation, joinAs, openSignedOut } from './people.js';

describe('the sign-in of a device', () => {
  test('is approved by somebody who signs in with a passkey on the way', async ({ app, visit }) => {
    const config = await relyingParty(app, 'typed-collections-cli');
    const device = await oauth.initiateDeviceAuthorization(config, { scope: 'platform offline_access' });
    const page = await visit(await invitation(app));
    await joinAs(page, 'Ada');
    const me = (await page.evaluate(`fetch('/v2/me').then(answer => answer.json())`)) as { id: string };
    await openSignedOut(page, app, '/sign-in');
    await page.goto(device.verification_uri);
    await page.getByLabel('Enter the code that your device shows').fill(device.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('the computer that runs this service').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await arrived(page, '/console/sign-in');
    await page.getByText('An application wants to connect to your account.').waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    const tokens = await oauth.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.1 });
    const answer = await app.request('GET', '/v2/me', { token: tokens.access_token });
    expect(answer.body.id).toBe(me.id);
  });
});
