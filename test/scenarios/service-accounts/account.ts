import type { TestApp } from '../../harness/app.js';
import { newSlug, type TestOrg } from '../orgs/org.js';

/** A service account with its secret. */
export interface TestAccount {
  readonly id: string;
  readonly slug: string;
  readonly clientSecret: string;
  /** `/v2/orgs/{orgSlug}/service-accounts/{slug}` */
  readonly path: string;
}

export async function newAccount(app: TestApp, org: TestOrg, account: object = {}): Promise<TestAccount> {
  const { status, body, text } = await app.request('POST', `${org.path}/service-accounts`, {
    token: org.owner.token,
    body: { slug: newSlug(), name: 'Import', permissions: ['collections:*'], ...account },
  });
  if (status !== 201) throw new Error(`no service account was made: ${text}`);
  return { ...body, path: `${org.path}/service-accounts/${body.slug}` };
}

export function askToken(
  app: TestApp,
  { path, clientSecret }: Pick<TestAccount, 'path' | 'clientSecret'>,
  more = {},
) {
  return app.request('POST', `${path}/token`, { body: { clientSecret, ...more } });
}

export async function tokenOf(app: TestApp, account: TestAccount): Promise<string> {
  return (await askToken(app, account)).body.accessToken;
}

export const me = async (app: TestApp, token: string) => app.request('GET', '/v2/me', { token });
