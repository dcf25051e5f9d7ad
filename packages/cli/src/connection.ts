import {
  createClient,
  type TokenSource,
  type Transport,
  type TransportOptions,
} from '@typed-collections/client';
import { CliError, EXIT, misuse } from './exit.js';
import { printable } from './output/printable.js';
import type { Credential, Profiles } from './profiles/profiles.js';
import { endpointsOf, OAuthRefusal, tokensFor } from './sign-in/oauth.js';

/** The service that a command talks to, and as whom. */
export interface Connection {
  readonly url: string;
  /** The profile; undefined with TC_KEY or TC_TOKEN. */
  readonly profile: string | undefined;
  readonly production: boolean;
  readonly credential: Credential;
}

/** An access token is renewed this long before it ends. */
const RENEW_BEFORE_MS = 30_000;

/** TC_URL, TC_KEY and TC_TOKEN before the profile. Throws if there is no way to sign in. */
export async function connectionOf(
  options: { readonly profile?: string; readonly url?: string },
  env: NodeJS.ProcessEnv,
  profiles: Profiles,
): Promise<Connection> {
  const wanted = options.profile ?? env.TC_PROFILE;
  const stored = await profiles.find(wanted);
  const url = options.url ?? env.TC_URL ?? stored?.profile.url;
  const credential = credentialIn(env);
  if (url === undefined) {
    if (credential !== undefined) throw misuse('TC_URL is not set.', 'Set it to the address of the service.');
    throw new CliError(
      wanted === undefined ? 'You are not signed in.' : `There is no profile "${wanted}".`,
      EXIT.refused,
      `Run: tcol login${wanted === undefined ? '' : ` --profile ${wanted}`}, or set TC_URL and TC_KEY.`,
    );
  }
  const address = originOf(url);
  if (credential !== undefined) return { url: address, profile: undefined, production: false, credential };
  // A credential is sent only to the service that issued it.
  if (stored?.profile.url === address) return { ...stored.profile, profile: stored.name };
  throw new CliError(
    `You are not signed in to ${address}.`,
    EXIT.refused,
    `Run: tcol login --url ${address}`,
  );
}

/** Sends requests over a connection. Tokens of a profile are renewed in time. */
export function transportOf(
  connection: Connection,
  profiles: Profiles,
  tell: Pick<TransportOptions, 'onRetry' | 'onOlderService'>,
): Transport {
  const { credential, url } = connection;
  const proof =
    credential.type === 'key' ? { key: credential.key } : { token: tokenOf(connection, profiles) };
  return createClient({ url, ...proof, ...tell }).transport;
}

function tokenOf({ profile, credential, url }: Connection, profiles: Profiles): TokenSource {
  if (credential.type === 'token') return credential.token;
  if (credential.type === 'key' || profile === undefined) return '';
  let current: Credential = credential;
  return async ({ refused }) => {
    if (current.type === 'oauth' && (refused || current.expiresAt - RENEW_BEFORE_MS < Date.now())) {
      const spent = current.accessToken;
      current = await profiles.renew(profile, stored => renewed(stored, spent, url));
    }
    return current.type === 'oauth' ? current.accessToken : '';
  };
}

/** New tokens, unless another process has renewed them since. */
async function renewed(stored: Credential, spent: string, url: string): Promise<Credential> {
  if (stored.type !== 'oauth' || stored.accessToken !== spent) return stored;
  if (stored.refreshToken === undefined)
    throw new CliError('Your sign-in has ended.', EXIT.refused, 'Run: tcol login');
  const { token_endpoint } = await endpointsOf(url);
  try {
    const grant = { grant_type: 'refresh_token', refresh_token: stored.refreshToken };
    return await tokensFor(token_endpoint, grant);
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    throw new CliError('Your sign-in has ended.', EXIT.refused, 'Run: tcol login');
  }
}

function credentialIn({ TC_KEY, TC_TOKEN }: NodeJS.ProcessEnv): Credential | undefined {
  if (TC_KEY) return { type: 'key', key: TC_KEY };
  return TC_TOKEN ? { type: 'token', token: TC_TOKEN } : undefined;
}

/** The origin of a service, as profiles store it. */
export function originOf(url: string): string {
  const address = /^https?:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(address))
    throw misuse(`"${printable(url)}" is not an address.`, 'Example: https://data.example.com');
  return new URL(address).origin;
}
