import { expect, it, onTestFinished } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { linkTo } from '../operations/database-link.js';
import { CALLBACK, clientSettings } from './client.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const CODE = `grant_type=authorization_code&code=none&client_id=backend&client_secret=a-secret-of-the-tests&redirect_uri=${CALLBACK}&code_verifier=${'v'.repeat(43)}`;
const TOKEN = 'token=unknown&client_id=backend&client_secret=a-secret-of-the-tests';

/** A request for each endpoint that needs the database. */
const REQUESTS = (app: TestApp) => [
  app.request('POST', '/oidc/token', { raw: CODE, headers: FORM }),
  app.request('POST', '/oidc/token/revocation', { raw: TOKEN, headers: FORM }),
  app.request('POST', '/oidc/token/introspection', { raw: TOKEN, headers: FORM }),
  app.request('POST', '/oidc/reg', { body: { redirect_uris: [CALLBACK] } }),
  app.request('GET', '/oidc/session/end', { headers: { cookie: '_session=unknown' } }),
];

it('the authorization server returns 503 with Retry-After while the database is unreachable', async () => {
  const link = await linkTo(await freshDatabaseUrl());
  const app = await startOwnApp({ database: { url: link.url }, environment: clientSettings() });
  onTestFinished(() => app.close());
  const before = await Promise.all(REQUESTS(app));
  expect(before.filter(({ status }) => status >= 500)).toEqual([]);
  await link.cut();
  for (const { status, headers, text, body } of await Promise.all(REQUESTS(app))) {
    expect([status, headers.get('retry-after')], text).toEqual([503, '2']);
    // Failures before the request reaches oidc-provider have the usual format.
    if (body?.error !== 'Unavailable') expect(text).toContain('temporarily_unavailable');
  }
  const page = await app.request('GET', '/oidc/session/end', { headers: { accept: 'text/html' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([
    503,
    expect.stringContaining('text/html'),
  ]);
});
