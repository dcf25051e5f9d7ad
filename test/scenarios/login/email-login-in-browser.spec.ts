import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { openBrowser, skipsBrowser } from '../../harness/chromium.js';
import { type MailServer, startMailServer } from '../../harness/mail-server.js';
import { newOrg, newSlug, type TestOrg } from '../orgs/org.js';

let server: MailServer;
let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  server = await startMailServer();
  app = await startOwnApp({ environment: server.environment });
  org = await newOrg(app);
  const role = { slug: 'customer', name: 'Customer', permissions: ['collections:read'] };
  await app.request('POST', `${org.path}/roles`, { ...org.owner, body: role });
  const body = { signUp: { email: true, roleSlug: 'customer' } };
  await app.request('PATCH', org.path, { ...org.owner, body });
});
afterAll(async () => {
  await app.close();
  await server.close();
});

/** Who the browser is signed in as. */
const me = async (page: Page) => (await page.context().request.get(`${app.url}/v2/me`)).json();

it.skipIf(skipsBrowser)(
  'the link of the mail opens a page in another browser, which signs in by its button and not before',
  async () => {
    const email = `${newSlug()}@example.com`;
    const body = { email, orgSlug: org.slug, redirect: '/health/live' };
    await app.request('POST', '/v2/login/email', { body });
    const { text } = await server.mailTo(email);
    const link = /http\S+\/v2\/login\/email\/link#\S+/.exec(text)?.[0] as string;
    const page = await (await openBrowser()).newPage();
    const errors: string[] = [];
    page.on('console', message => {
      if (message.type() === 'error') errors.push(message.text());
    });
    for (let n = 0; n < 2; n++) {
      await page.goto(link);
      await page.reload();
      const shown = page.getByText(`You sign in as ${email} to Acme.`);
      await shown.waitFor();
      expect(await me(page)).toMatchObject({ error: 'Unauthorized' });
    }
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${app.url}/health/live`);
    expect(await me(page)).toMatchObject({ email, org: { slug: org.slug } });
    expect(errors.filter(each => !each.includes('401'))).toEqual([]);
    await page.goto(link);
    await page.getByText('This link was used already').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
  },
);

it.skipIf(skipsBrowser)('the console signs in with the code of the mail', async () => {
  const email = `${newSlug()}@example.com`;
  const page = await (await openBrowser()).newPage({ locale: 'en' });
  await page.goto(`${app.url}/console/sign-in?org=${org.slug}`);
  const form = page.getByRole('form', { name: 'Sign in by e-mail' });
  await form.getByLabel('E-mail address').fill(email);
  await form.getByRole('button', { name: 'Sign in by e-mail' }).click();
  await form.getByText(`If ${email} may sign in here`).waitFor();
  const { text } = await server.mailTo(email);
  await form.getByLabel('Code of the mail').fill(/^ {4}(\S+)$/m.exec(text)?.[1] as string);
  await form.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${app.url}/console/collections**`);
  expect(await me(page)).toMatchObject({ email, org: { slug: org.slug } });
});
