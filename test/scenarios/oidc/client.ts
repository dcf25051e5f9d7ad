import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as oauth from 'openid-client';
import { RSA_KEYS, startOwnApp, type TestApp } from '../../harness/app.js';
import { emptyDirectory } from '../../harness/empty-directory.js';
import { Browser } from './browser.js';

export const CALLBACK = 'https://console.example.com/callback';

/** The platform's own clients in these tests: a public one, and one with a secret. */
export const OWN_CLIENTS = [
  {
    client_id: 'console',
    client_name: 'Console',
    redirect_uris: [CALLBACK],
    post_logout_redirect_uris: ['https://console.example.com/bye'],
  },
  {
    client_id: 'backend',
    client_name: 'Backend',
    client_secret: 'a-secret-of-the-tests',
    redirect_uris: [CALLBACK],
  },
];

/**
 * Settings of an app with these clients. Other clients register themselves, which is the default on a local
 * machine.
 */
export function clientSettings(clients: readonly object[] = OWN_CLIENTS): Record<string, string> {
  const file = join(emptyDirectory(), 'clients.json');
  writeFileSync(file, JSON.stringify(clients), { mode: 0o600 });
  return { ...RSA_KEYS, OIDC_CLIENTS_FILE: file };
}

let shared: Promise<TestApp> | undefined;

/**
 * The app that these files share. Tests must not close it. It has no console, so that a browser without scripts can use its
 * sign-in page.
 */
export function startOidcApp(): Promise<TestApp> {
  shared ??= startOwnApp({ database: 'own', environment: { ...clientSettings(), CONSOLE: 'off' } });
  return shared;
}

/** openid-client, configured by discovery alone. */
export function relyingParty(app: TestApp, id = 'console', secret?: string): Promise<oauth.Configuration> {
  const authentication = secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret);
  return oauth.discovery(new URL(`${app.url}/oidc`), id, {}, authentication, {
    execute: [oauth.allowInsecureRequests],
  });
}

/** Registers a third-party client; its codes go to `redirects`. */
export function register(
  app: TestApp,
  redirects: string[],
  metadata: object = {},
): Promise<oauth.Configuration> {
  return oauth.dynamicClientRegistration(
    new URL(`${app.url}/oidc`),
    {
      client_name: 'Somebody’s tool',
      redirect_uris: redirects,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      ...metadata,
    },
    oauth.None(),
    { execute: [oauth.allowInsecureRequests] },
  );
}

export interface Attempt {
  readonly url: URL;
  readonly checks: {
    readonly pkceCodeVerifier: string;
    readonly expectedState: string;
    readonly expectedNonce: string;
  };
}

/** An authorization request, and the values that the client stores for it. */
export async function attempt(
  config: oauth.Configuration,
  parameters: Record<string, string> = {},
): Promise<Attempt> {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const expectedState = oauth.randomState();
  const expectedNonce = oauth.randomNonce();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid email collections:read',
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    ...(parameters.scope?.includes('openid') === false ? {} : { nonce: expectedNonce }),
    ...parameters,
  });
  return { url, checks: { pkceCodeVerifier, expectedState, expectedNonce } };
}

/** The whole flow: authorization, consent, tokens. */
export async function connect(
  config: oauth.Configuration,
  browser: Browser,
  parameters: Record<string, string> = {},
): Promise<oauth.TokenEndpointResponse & oauth.TokenEndpointResponseHelpers> {
  const { url, checks } = await attempt(config, parameters);
  let place = await browser.get(url);
  if (place.html !== '') place = await browser.press(place, 'Allow');
  return exchange(config, place.url, checks, parameters);
}

export function exchange(
  config: oauth.Configuration,
  callback: string,
  { expectedNonce, ...checks }: Attempt['checks'],
  { scope, ...parameters }: Record<string, string> = {},
): Promise<oauth.TokenEndpointResponse & oauth.TokenEndpointResponseHelpers> {
  const openid = scope?.includes('openid') ?? true;
  return oauth.authorizationCodeGrant(
    config,
    new URL(callback),
    { ...checks, ...(openid && { expectedNonce }) },
    parameters.resource === undefined ? {} : { resource: parameters.resource },
  );
}
