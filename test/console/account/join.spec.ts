import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { person } from '../../scenarios/auth/person.js';
import { newAccount, startWorld } from '../../scenarios/login/world.js';
import { newOrg } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { PasskeyDevice } from '../support/passkey-device.js';
import { arrived, invitation } from './people.js';

/** Codes of invitations must not be in sign-in links, which are stored with the page that they lead to. */
const open = (page: Page, app: TestApp, path: string) => page.goto(`${app.url}/console${path}`);

const ACTIVE_ORG = `fetch('/v2/me').then(answer => answer.json()).then(me => me.org.slug)`;
const UNUSABLE = 'This invitation cannot be used';

describe('the page of an invitation', () => {
  test('lets somebody who is signed in join with that account, and work in the new organization', async ({
    app,
    visit,
  }) => {
    const { owner } = await newOrg(app);
    const org = await newOrg(app);
    const page = await visit('/sign-in', { as: owner });
    await open(page, app, await invitation(app, org));
    await page.getByText('You join with this account.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Join as / }).click();
    await arrived(page, '/console/collections');
    const active = await page.evaluate(ACTIVE_ORG);
    expect(active).toBe(org.slug);
  });

  test('says so to a member', async ({ app, visit }) => {
    const org = await newOrg(app);
    const page = await visit('/sign-in', { as: org.owner });
    await open(page, app, await invitation(app, org));
    await page.getByRole('button', { name: /^Join as / }).click();
    await page.getByRole('alert').getByText('You are a member of this organization already.').waitFor();
    await page.getByRole('link', { name: 'Go to your collections' }).click();
    await arrived(page, '/console/collections');
  });

  test('has one text for every code that cannot be used, on a phone too', async ({ app, visit }) => {
    const texts: string[] = [];
    const used = await invitation(app);
    const first = await visit('/sign-in', { as: await person(app) });
    await open(first, app, used);
    await first.getByRole('button', { name: /^Join as / }).click();
    await arrived(first, '/console/collections');
    for (const path of [used, '/join?code=inv_never']) {
      const page = await visit(path, { phone: true });
      await PasskeyDevice.of(page);
      await page.getByLabel('Your name').fill('Ada');
      await page.getByRole('button', { name: 'Join with a passkey' }).click();
      await page.getByRole('heading', { name: UNUSABLE }).waitFor();
      texts.push((await page.getByRole('main').textContent()) ?? '');
      await expectAccessible(page);
    }
    const signedIn = await visit('/sign-in', { as: await person(app) });
    await open(signedIn, app, used);
    await signedIn.getByRole('button', { name: /^Join as / }).click();
    await signedIn.getByRole('heading', { name: UNUSABLE }).waitFor();
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).toContain('Ask the person who invited you for a new one.');
  });

  test('asks for the code if the link has lost it', async ({ app, visit }) => {
    const page = await visit('/join');
    const code = (await invitation(app)).split('=')[1] as string;
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Your name').waitFor();
  });

  test('says kindly that a prompt was closed, and lets the person try again', async ({ app, visit }) => {
    const page = await visit(await invitation(app));
    const device = await PasskeyDevice.of(page);
    await device.refuse();
    await page.getByLabel('Your name').fill('Ada');
    const join = page.getByRole('button', { name: 'Join with a passkey' });
    await join.click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).not.toMatch(/Error|refused/);
    await device.confirm();
    await join.click();
    await arrived(page, '/console/collections');
  });

  test('offers identity providers where passkeys are off, and comes back from them', async ({ visit }) => {
    const world = await startWorld({ environment: { PASSKEYS: 'off' } });
    try {
      const org = await newOrg(world.app);
      const page = await visit(await invitation(world.app, org), { app: world.app });
      await page.getByText('Passkeys are off on this installation.').waitFor();
      expect(await page.getByRole('button', { name: 'Join with a passkey' }).count()).toBe(0);
      await expectAccessible(page);
      world.open.present = world.open.knows(newAccount({ given_name: 'Mary' })).sub;
      await page.getByRole('link', { name: 'Sign in with open' }).click();
      await page.getByRole('button', { name: 'Join as Mary' }).click();
      await arrived(page, '/console/collections');
      const active = await page.evaluate(ACTIVE_ORG);
      expect(active).toBe(org.slug);
      // The service ends before the browser does.
      await page.close();
    } finally {
      await world.close();
    }
  });
});
