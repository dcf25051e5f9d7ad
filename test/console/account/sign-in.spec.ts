import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startOwnApp } from '../../harness/app.js';
import { newHome } from '../../harness/collection.js';
import { logIn, newAccount, startWorld, type World } from '../../scenarios/login/world.js';
import { newOrg } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { focusByKeyboard } from '../support/keyboard.js';
import { PasskeyDevice } from '../support/passkey-device.js';
import { arrived, invitation, joinAs, openSignedOut } from './people.js';

const BUTTON = { name: 'Sign in with a passkey' };

describe('signing in with a passkey', () => {
  test('works by the keyboard alone, in French, on a phone', async ({ app, visit }) => {
    const page = await visit(await invitation(app));
    await joinAs(page, 'Ada');
    await openSignedOut(page, app, '/sign-in');
    await page.evaluate(`localStorage.setItem('language', 'fr')`);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.reload();
    const button = page.getByRole('button', { name: 'Se connecter avec une clé d’accès' });
    await button.waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await focusByKeyboard(page, button);
    await page.keyboard.press('Enter');
    await arrived(page, '/console/collections');
  });

  test('works at the field where the browser offers the passkeys of the device', async ({ app, visit }) => {
    const page = await visit(await invitation(app));
    await joinAs(page, 'Ada', { offersAtFields: true });
    await openSignedOut(page, app, '/sign-in?next=/console/account');
    await arrived(page, '/console/account');
    await page.getByText('Ada', { exact: true }).waitFor();
  });

  test('says kindly that a prompt was closed, and lets the person try again', async ({ app, visit }) => {
    const page = await visit(await invitation(app));
    const device = await joinAs(page, 'Ada');
    await openSignedOut(page, app, '/sign-in');
    await device.refuse();
    await page.getByRole('button', BUTTON).click();
    await page.getByRole('alert').getByText('You can try again.').waitFor();
    await expectAccessible(page);
    await device.confirm();
    await page.getByRole('button', BUTTON).click();
    await arrived(page, '/console/collections');
  });

  test('says that a deleted passkey is not accepted', async ({ app, visit }) => {
    const page = await visit(await invitation(app));
    await joinAs(page, 'Ada');
    const { id } = (await page.evaluate(`fetch('/v2/me').then(answer => answer.json())`)) as { id: string };
    await app.sql('DELETE FROM passkeys WHERE user_id = $1', [id]);
    await openSignedOut(page, app, '/sign-in');
    await page.getByRole('button', BUTTON).click();
    await page.getByRole('alert').getByText('This passkey is not accepted here.').waitFor();
  });

  test('says where passkeys work if the page was opened at another address', async ({ app, visit }) => {
    const page = await visit('/sign-in');
    await PasskeyDevice.of(page);
    const elsewhere = new URL('/console/sign-in', app.url);
    elsewhere.hostname = '127.0.0.1';
    await page.goto(elsewhere.href);
    const button = page.getByRole('button', BUTTON);
    const unsupported = page.getByText('This browser cannot use passkeys.');
    await button.or(unsupported).first().waitFor();
    await button.click();
    const { host } = new URL(app.url);
    await page.getByRole('alert').getByText(`work at ${host} only`).waitFor();
  });

  test('lets a person of several organizations choose one', async ({ app, visit }) => {
    const [one, other] = [await newOrg(app), await newOrg(app)];
    await app.sql(`UPDATE orgs SET name = 'The other one' WHERE id = $1`, [other.id]);
    const page = await visit(await invitation(app, one));
    await joinAs(page, 'Ada');
    const { id } = (await page.evaluate(`fetch('/v2/me').then(answer => answer.json())`)) as { id: string };
    await page.goto(`${app.url}/console${await invitation(app, other)}`);
    await page.getByRole('button', { name: 'Join as Ada' }).click();
    await arrived(page, '/console/collections');
    await openSignedOut(page, app, '/sign-in');
    await page.getByRole('button', BUTTON).click();
    await page.getByRole('heading', { level: 1, name: 'Choose an organization' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'The other one' }).click();
    await arrived(page, '/console/collections');
    const me = await page.evaluate(`fetch('/v2/me').then(answer => answer.json())`);
    expect(me).toMatchObject({ id, org: { slug: other.slug } });
  });
});

describe('the sign-in page', () => {
  const HOSTILE = [
    '//evil.example',
    '/\\evil.example',
    '/%5Cevil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/..//evil.example',
    '/%09/evil.example',
    '/v2/user/webSession?ticket=x&redirect=/docs',
  ];
  test('opens no address of another site and no request of the API afterwards', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    for (const next of HOSTILE) {
      const page = await visit(`/sign-in?next=${encodeURIComponent(next)}`, { as: owner });
      await page.getByRole('button', { name: 'Continue' }).click();
      await arrived(page, '/console/collections');
      expect(new URL(page.url()).origin).toBe(new URL(app.url).origin);
    }
  });

  test('shows who is signed in, who goes on or signs out', async ({ app, visit }) => {
    const { owner } = await newHome(app);
    const page = await visit('/sign-in?next=/console/account', { as: owner });
    await page.getByText('You are signed in as').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', BUTTON).waitFor();
    expect(await page.evaluate(`fetch('/v2/me').then(answer => answer.status)`)).toBe(401);
    const again = await visit('/sign-in?next=/console/account', { as: (await newHome(app)).owner });
    await again.getByRole('button', { name: 'Continue' }).click();
    await arrived(again, '/console/account');
  });

  test('lets visitors in where the organization admits them, and nowhere else', async ({ app, visit }) => {
    const org = await newOrg(app);
    const closed = await visit(`/sign-in?org=${org.slug}`);
    await closed.getByRole('button', BUTTON).waitFor();
    const visitorButton = { name: 'Continue without an account' };
    expect(await closed.getByRole('button', visitorButton).count()).toBe(0);
    await app.sql(
      `UPDATE orgs SET auth = '{"anonymous": {"enabled": true, "role": "member"}}' WHERE id = $1`,
      [org.id],
    );
    const page = await visit(`/sign-in?org=${org.slug}`);
    await page.getByRole('button', visitorButton).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', visitorButton).click();
    await arrived(page, '/console/collections');
    const me = await page.evaluate(`fetch('/v2/me').then(answer => answer.json())`);
    expect(me).toMatchObject({ email: null, org: { slug: org.slug } });
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(
      'eyJ',
    );
  });

  test('says what the operator can do where nobody can sign in', async ({ visit }) => {
    const app = await startOwnApp({ environment: { PASSKEYS: 'off' } });
    try {
      const page = await visit('/sign-in', { app });
      await page.getByRole('heading', { name: 'Nobody can sign in here yet' }).waitFor();
      for (const step of ['npm run cli -- sign-in', 'AUTH_PROVIDERS_FILE', 'PASSKEYS=on']) {
        await page.getByText(step).first().waitFor();
      }
      await expectAccessible(page);
    } finally {
      await app.close();
    }
  });

  test('says that this browser has no passkeys where there is no other way to sign in', async ({ visit }) => {
    const page = await visit('/sign-in?next=/console/account');
    await page.addInitScript('delete window.PublicKeyCredential');
    await page.reload();
    await page.getByRole('heading', { name: 'You cannot sign in with this browser' }).waitFor();
    await page.getByText('I have a sign-in link').click();
    await page.getByRole('link', { name: 'Then continue here.' }).waitFor();
    expect(await page.getByRole('button', BUTTON).count()).toBe(0);
    await expectAccessible(page);
  });

  test('explains a sign-in link that was used, and keeps the page that it was for', async ({
    app,
    visit,
  }) => {
    const { owner } = await newHome(app);
    const minted = await app.request('POST', '/v2/user/webSessionTicket', {
      ...owner,
      body: { redirect: '/console/account' },
    });
    const page = await visit('/sign-in');
    await page.goto(minted.body.url);
    await arrived(page, '/console/account');
    await page.context().clearCookies();
    await page.goto(minted.body.url);
    await arrived(page, '/console/sign-in');
    await page.getByRole('alert').getByText('Each link works once.').waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/console/account');
    expect(page.url()).not.toContain(minted.body.ticket);
    await expectAccessible(page);
  });
});

describe('signing in at an identity provider', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.close());

  test('leads back to the page that was asked for', async ({ visit }) => {
    const account = world.open.knows(newAccount({ given_name: 'Alan', family_name: 'Turing' }));
    const page = await visit('/account', { app: world.app });
    world.open.present = account.sub;
    await page.getByRole('link', { name: 'Sign in with open' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Sign in with open' }).click();
    await arrived(page, '/console/account');
    await page.getByText('Alan Turing').waitFor();
  });

  test('comes back with the reason if it fails', async ({ visit }) => {
    const { app, open } = world;
    const account = open.knows(newAccount());
    await logIn(world, 'open', account);
    await app.sql(`UPDATE users SET status = 'disabled' WHERE email = $1`, [account.email]);
    open.present = account.sub;
    const page = await visit('/account', { app });
    await page.getByRole('link', { name: 'Sign in with open' }).click();
    await page.getByRole('alert').getByText('This account may not sign in here.').waitFor();
    await arrived(page, '/console/sign-in');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/console/account');
    await expectAccessible(page);
  });
});
