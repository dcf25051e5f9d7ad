import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../src/base/kernel/clock.js';
import { startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import { Browser } from '../../harness/browser.js';
import { emptyDirectory } from '../../harness/empty-directory.js';
import { type Account, CLIENT_ID, CLIENT_SECRET, IdentityProvider } from '../../harness/identity-provider.js';
import { testPort } from '../../harness/port.js';
import { newSlug, type TestOrg } from '../orgs/org.js';

/** A service with the three identity providers that the rules of the specification mention. */
export interface World {
  readonly app: TestApp;
  /** From the file: exchange allowed, bound to the organization of the first start. */
  readonly staff: IdentityProvider;
  /** From the file: exchange not allowed. */
  readonly closed: IdentityProvider;
  /** From the file: exchange allowed, not bound to an organization. */
  readonly open: IdentityProvider;
  /** For organizations to configure as their own provider. */
  readonly foreign: IdentityProvider;
  /** A second instance on the same database. */
  another(environment?: Readonly<Record<string, string>>): Promise<TestApp>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly clock?: Clock;
  readonly environment?: Readonly<Record<string, string>>;
  /** More entries of AUTH_PROVIDERS_FILE with the issuer of `open`. */
  readonly more?: (open: string) => object[];
}

export async function startWorld({ clock, environment, more }: WorldOptions = {}): Promise<World> {
  const port = await testPort();
  const callback = `http://localhost:${port}/v2/login/callback`;
  const start = () => IdentityProvider.start(callback);
  const [staff, closed, open, foreign] = await Promise.all([start(), start(), start(), start()]);
  const file = join(emptyDirectory(), 'providers.json');
  const entries = [
    { ...provider('staff', staff.issuer), orgSlug: 'default' },
    provider('closed', closed.issuer, { allowTokenExchange: false }),
    provider('open', open.issuer),
    ...(more?.(open.issuer) ?? []),
  ];
  writeFileSync(file, JSON.stringify(entries));
  const common = {
    AUTH_PROVIDERS_FILE: file,
    OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1',
    DATABASE_POOL_SIZE: '15',
    ...environment,
  };
  const app = await startOwnApp({
    database: 'own',
    ...(clock && { clock }),
    environment: { ...common, PORT: String(port) },
  });
  const others: TestApp[] = [];
  return {
    ...{ app, staff, closed, open, foreign },
    async another(more = {}) {
      const database = { url: app.settings.DATABASE_URL as string };
      const other = await startOwnApp({
        database,
        ...(clock && { clock }),
        environment: { ...common, ...more },
      });
      others.push(other);
      return other;
    },
    async close() {
      await Promise.all([...others, app].map(each => each.close()));
      for (const idp of [staff, closed, open, foreign]) idp.close();
    },
  };
}

/** A provider in the format of the file and of an organization's own provider. */
export function provider(slug: string, issuer: string, config: object = {}) {
  return {
    ...{ slug, name: slug, type: 'oidc' },
    config: {
      issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      allowTokenExchange: true,
      ...config,
    },
  };
}

/** An organization's own provider, which is `foreign`. */
export async function ownProvider(
  { app, foreign }: World,
  org: TestOrg,
  description: object = {},
): Promise<string> {
  const slug = newSlug();
  const { status, body } = await app.request('POST', `${org.path}/auth/sso`, {
    token: org.owner.token,
    body: { ...provider(slug, foreign.issuer), ...description },
  });
  if (status !== 201) throw new Error(`no provider was made: ${status} ${JSON.stringify(body)}`);
  foreign.redirectUris.add(body.redirectUri);
  return slug;
}

/** Creates a new person; their e-mail address is verified unless stated otherwise. */
export function newAccount(claims: object = {}): Account & { email: string } {
  const sub = randomBytes(6).toString('hex');
  return { sub, email: `${sub}@example.com`, email_verified: true, ...claims };
}

export function exchange(
  app: TestApp,
  provider: string,
  subject_token: string,
  more: object = {},
): Promise<TestResponse> {
  return app.request('POST', '/v2/login/token-exchange', { body: { provider, subject_token, ...more } });
}

/** Signs a person in through a browser and returns the last answer, that of the callback. */
export async function logIn(
  { app }: Pick<World, 'app'>,
  provider: string,
  { sub }: Account,
  browser = new Browser(),
): Promise<Response> {
  return browser.open(await callbackOf(app, browser, await begun(app, browser, provider), sub));
}

/** The address of the provider to which the login redirects the browser. */
export async function begun(
  app: TestApp,
  browser: Browser,
  provider: string,
  redirect = '/docs',
): Promise<string> {
  const query = new URLSearchParams({ provider, redirect });
  const answer = await browser.open(`${app.url}/v2/login?${query}`);
  if (answer.status !== 302) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.headers.get('location') as string;
}

/** Signs in at the provider. Returns the address to which the provider redirects the browser. */
export function callbackOf(app: TestApp, browser: Browser, signIn: string, sub: string): Promise<string> {
  return browser.openUntil(`${signIn}&login_hint=${sub}`, `${app.url}/v2/login/callback`);
}

/** The caller according to /v2/me, called with the JWT in the browser's cookie. */
export async function whoIs(app: TestApp, browser: Browser) {
  const token = browser.cookie(app.url, 'access-token');
  return (await app.request('GET', '/v2/me', token === undefined ? {} : { token })).body;
}
