import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { AuditChains } from '../../../src/platform/audit/audit-chains.service.js';
import { AuditCheckpoints } from '../../../src/platform/audit/audit-checkpoints.service.js';
import { type DnsServer, startDnsServer } from '../../harness/dns-server.js';
import { CLIENT_ID, CLIENT_SECRET } from '../../harness/identity-provider.js';
import { MovedClock } from '../../scenarios/auth/person.js';
import { newAccount, startWorld, type World } from '../../scenarios/login/world.js';
import { newMember, newOrg, newSlug } from '../../scenarios/orgs/org.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { downloaded, withoutFileAccess } from '../support/downloads.js';
import { focusByKeyboard } from '../support/keyboard.js';

const GOES_ON = new AbortController().signal;
const clock = new MovedClock();
let dns: DnsServer;
let world: World;

beforeAll(async () => {
  dns = await startDnsServer();
  world = await startWorld({ clock, environment: { DNS_SERVERS: dns.address } });
});
afterAll(async () => {
  await world?.close();
  dns?.close();
});

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

describe('single sign-on of the organization', () => {
  test('is set up, tested in a window of its own, changed and deleted', async ({ visit }) => {
    const { app, foreign } = world;
    const org = await newOrg(app);
    const slug = newSlug();
    foreign.present = foreign.knows(newAccount()).sub;
    const page = await visit('/organization/sign-in', { as: org.owner, app });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New identity provider' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Acme staff');
    await dialog.getByLabel('Short name for programs').fill(slug);
    const redirectUri = `${new URL(page.url()).origin}/v2/login/callback/${slug}`;
    await dialog.getByRole('region', { name: 'Redirect address' }).getByText(redirectUri).waitFor();
    foreign.redirectUris.add(redirectUri);
    await dialog.getByLabel('Issuer').fill('http://sso.acme.example');
    await dialog.getByLabel('Client id').fill(CLIENT_ID);
    await dialog.getByLabel('Client secret').fill(CLIENT_SECRET);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('config.issuer').waitFor();
    await dialog.getByText('More settings').click();
    await expectAccessible(page);
    await dialog.getByLabel('Issuer').fill(foreign.issuer);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row(page, slug).waitFor();
    await expect.poll(() => page.content()).not.toContain(CLIENT_SECRET);

    await page.getByRole('button', { name: 'Test “Acme staff”' }).click();
    const opened = page.waitForEvent('popup');
    await dialog.getByRole('button', { name: 'Sign in with it' }).click();
    await (await opened).getByRole('heading', { level: 1, name: 'Account' }).waitFor();

    await page.getByRole('button', { name: 'Change “Acme staff”' }).click();
    await dialog.getByLabel('People can sign in with it').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row(page, slug).getByText('disabled').waitFor();
    const { body } = await app.request('GET', `${org.path}/auth/sso/${slug}`, { token: org.owner.token });
    expect(body).toMatchObject({ enabled: false, config: { hasClientSecret: true } });
    await page.getByRole('button', { name: 'Delete “Acme staff”' }).click();
    await dialog.getByRole('textbox').fill(slug);
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There are no identity providers yet.').waitFor();
  });

  test('shows the DNS record of a domain, why it proves nothing yet, and that it does', async ({ visit }) => {
    const { app } = world;
    const org = await newOrg(app);
    const domain = `${newSlug()}.example`;
    const page = await visit('/organization/sign-in', { as: org.owner, app, phone: true });
    await page.getByRole('button', { name: 'Add a domain' }).click();
    await page.getByRole('dialog').getByLabel('Domain').fill(domain);
    await page.keyboard.press('Enter');
    await row(page, domain).getByText('not proven').waitFor();
    await page.getByRole('button', { name: `Look up now: ${domain}` }).click();
    await row(page, domain).getByRole('alert').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
    const { results } = (await app.request('GET', `${org.path}/domains`, { token: org.owner.token })).body;
    dns.records.set(results[0].record.name, [results[0].record.value]);
    await page.getByRole('button', { name: `Look up now: ${domain}` }).click();
    await row(page, domain).getByText('proven', { exact: true }).waitFor();
  });
});

describe('the audit log of the organization', () => {
  test('is filtered by its address, shows each event, and has checkpoints that the browser verifies', async ({
    visit,
  }) => {
    const { app } = world;
    const org = await newOrg(app);
    const create = (path: string, body: object) =>
      app.request('POST', `${org.path}${path}`, { token: org.owner.token, body });
    await create('/groups', { slug: 'editors', name: 'Editors' });
    await create('/agents', { slug: 'importer', name: 'Importer' });
    // Events are linked when they are older than the clocks of the instances may differ.
    clock.move(900);
    await app.nest.get(AuditChains).extendAll(GOES_ON);
    await app.nest.get(AuditCheckpoints).signAll(GOES_ON);
    const page = await visit('/organization/audit', { as: org.owner, app });
    await row(page, 'Agents · created').getByText('agent importer').waitFor();
    await row(page, 'Agents · created').getByText('Console or API').waitFor();
    await page.getByLabel('Event', { exact: true }).selectOption('Groups');
    await row(page, 'orgs.agents.created').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('category')).toBe('orgs.groups');
    await page.getByRole('button', { name: /^Details of orgs.groups.created/ }).click();
    await page.getByRole('dialog').getByText('"correlationId"').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.reload();
    await row(page, 'orgs.groups.created').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No event matches these filters.').waitFor();

    await row(page, 'not verified yet').waitFor();
    await page.getByRole('button', { name: 'Verify the signatures' }).click();
    await page.getByRole('cell', { name: 'genuine', exact: true }).waitFor();
    await expectAccessible(page);
  });

  test('is exported with the filters of the page, all pages of it, or says why not', async ({ visit }) => {
    const { app } = world;
    const org = await newOrg(app);
    const admin = await newMember(app, org, 'admin');
    const asOwner = (method: string, path: string, body: object) =>
      app.request(method, `${org.path}${path}`, { token: org.owner.token, body });
    await asOwner('POST', '/agents', { slug: 'importer', name: 'Importer' });
    for (let count = 0; count < 101; count++) {
      await asOwner('POST', '/groups', { slug: `group-${count}`, name: 'Editors' });
    }
    const page = await visit('/organization/audit?category=orgs.groups', { as: admin, app, phone: true });
    await withoutFileAccess(page);
    await focusByKeyboard(page, page.getByRole('button', { name: 'Export', exact: true }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Export the audit log' });
    await dialog.getByText('The events that match the filters of this page.').waitFor();
    await dialog.getByText('At most 50,000 events, the newest first.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
    const start = dialog.getByRole('button', { name: 'Export', exact: true });
    await focusByKeyboard(page, start);
    const { name, text } = await downloaded(page, () => page.keyboard.press('Enter'));
    await dialog.getByText(/^Done: 101 events/).waitFor();
    expect(name).toBe(`${org.slug}-audit.csv`);
    const [header, ...rows] = text.trimEnd().split('\r\n');
    expect(header).toMatch(/^id,type,createdAt,/);
    expect(rows).toHaveLength(101);
    expect(rows.filter(row => !row.includes(',orgs.groups.created,'))).toEqual([]);

    await asOwner('PATCH', `/members/${admin.userId}`, { roleSlug: 'member' });
    await start.click();
    await dialog
      .getByRole('alert')
      .getByText(/^Reference /)
      .waitFor();
  });
});
