import { createClient, signInByEmail, UnauthorizedError } from '@typed-collections/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../../test/harness/app.js';
import { type MailServer, startMailServer } from '../../../test/harness/mail-server.js';
import { newOrg, newSlug, type TestOrg } from '../../../test/scenarios/orgs/org.js';

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

async function codeTo(email: string): Promise<string> {
  const { text } = await server.mailTo(email);
  return /^ {4}(\S+)$/m.exec(text)?.[1] as string;
}

it('signs a person in with the code of the mail', async () => {
  const client = createClient({ url: app.url });
  const email = `${newSlug()}@example.com`;
  const login = await signInByEmail(client, { email, orgSlug: org.slug });
  expect(login.expiresAt.getTime()).toBeGreaterThan(Date.now());
  await expect(login.verify('XXXX-XXXX')).rejects.toBeInstanceOf(UnauthorizedError);
  const { token, userId, active_org } = await login.verify(await codeTo(email));
  expect(active_org).toBe(org.slug);
  const me = await createClient({ url: app.url, token }).transport.request({ method: 'GET', path: '/v2/me' });
  expect(me).toMatchObject({ id: userId, email });
});

it('lets an anonymous user keep the account', async () => {
  const { body: visitor } = await app.request('POST', '/v2/login/anonymous', { body: {} });
  const email = `${newSlug()}@example.com`;
  const client = createClient({ url: app.url, token: visitor.token });
  const login = await signInByEmail(client, { email, orgSlug: org.slug });
  expect((await login.verify(await codeTo(email))).userId).toBe(visitor.userId);
});

it('answers the same for an address that may not sign in', async () => {
  const client = createClient({ url: app.url });
  const login = await signInByEmail(client, { email: `${newSlug()}@example.com`, orgSlug: 'unknown' });
  expect(login.loginId).toMatch(/^[\w-]{22}$/);
  await expect(login.verify('BCDF-GHJK')).rejects.toBeInstanceOf(UnauthorizedError);
});
