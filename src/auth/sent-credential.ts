import type { IncomingMessage } from 'node:http';
import type { CookieOptions, Response } from 'express';
import type { Settings } from '../config/settings.js';
import { IDENTITY_HEADER } from '../http/identity-source.js';
import { invalid, PlatformError } from '../kernel/errors.js';

/** The strategy that a credential's form asks for; the first match decides, no second try. */
export type StrategyName = 'jwt' | 'access-token' | 'org-api-key' | 'workspace-api-key' | 'platform-identity';

export interface SentCredential {
  readonly strategy: StrategyName;
  readonly raw: string;
  /** A browser sends cookies by itself, whoever made it do so. */
  readonly fromCookie: boolean;
}

type CarriesHeaders = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** What HTTP lets stand around a value (RFC 9110, 5.6.3); `trim` would take other characters off a secret, too. */
const OPTIONAL_SPACE = /^[ \t]+|[ \t]+$/g;
const BEARER = /^bearer +([A-Za-z0-9._~+/=:-]+)$/i;

const API_KEYS = [
  { start: 'iak_', strategy: 'org-api-key' },
  { start: 'wak_', strategy: 'workspace-api-key' },
] as const;

const REFUSAL = ['Unauthorized', 'The credential is missing, invalid or expired.'] as const;

/** One answer for every credential that does not count, so that nobody learns why. */
export function unauthorized(): PlatformError {
  return new PlatformError(...REFUSAL);
}

/** The same answer to a request that carries no credential at all. */
export class NothingSent extends PlatformError {
  constructor() {
    super(...REFUSAL);
  }
}

/**
 * The one credential of a request, by its form alone. Throws 400 for two header credentials and 401 for none or an
 * odd form. A header credential beats the cookie; the query string is never looked at (spec 5.6).
 */
export function sentCredential(request: CarriesHeaders): SentCredential {
  const authorizations = count(request.rawHeaders, 'authorization');
  const apiKeys = count(request.rawHeaders, 'x-platform-api-key');
  if (authorizations > 0 && apiKeys > 0) {
    throw invalid('Send one credential: either Authorization or x-platform-api-key.');
  }
  // Of a repeated header Node keeps the first or joins all: neither is what a client meant.
  if (authorizations > 1 || apiKeys > 1) throw unauthorized();
  if (authorizations === 1) return fromAuthorization(request.headers.authorization ?? '');
  if (apiKeys === 1) return fromApiKey(request.headers['x-platform-api-key'] as string);
  return fromCookie(request.headers.cookie ?? '');
}

/**
 * The same where identities are taken: one stands for the credential that the gateway has seen and does not pass on.
 * Throws 400 for both.
 */
export function forwardedCredential(request: CarriesHeaders): SentCredential {
  const identity = request.headers[IDENTITY_HEADER];
  if (identity === undefined) return sentCredential(request);
  if (count(request.rawHeaders, 'authorization') + count(request.rawHeaders, 'x-platform-api-key') > 0) {
    throw invalid(`Send one credential: ${IDENTITY_HEADER} comes from the gateway, and alone.`);
  }
  return { strategy: 'platform-identity', raw: String(identity), fromCookie: false };
}

/** True when a bearer token is in the header, whatever its form; another scheme carries none (RFC 6750, 3.1). */
export function carriesBearer({ headers }: CarriesHeaders): boolean {
  return /^bearer +\S/i.test(headers.authorization ?? '');
}

function fromAuthorization(header: string): SentCredential {
  const raw = BEARER.exec(header)?.[1];
  if (raw === undefined) throw unauthorized();
  return { strategy: raw.startsWith('at:') ? 'access-token' : 'jwt', raw, fromCookie: false };
}

function fromApiKey(raw: string): SentCredential {
  const strategy = API_KEYS.find(({ start }) => raw.startsWith(start))?.strategy;
  if (strategy === undefined) throw unauthorized();
  return { strategy, raw, fromCookie: false };
}

function fromCookie(header: string): SentCredential {
  const prefix = `${ACCESS_TOKEN_COOKIE}=`;
  const values = header
    .split(';')
    .map(pair => pair.replace(OPTIONAL_SPACE, ''))
    .filter(pair => pair.startsWith(prefix));
  const [only] = values;
  if (only === undefined) throw new NothingSent();
  // Two cookies of one name come from two origins that share the host name; either may be the attacker's.
  if (values.length > 1) throw unauthorized();
  return { strategy: 'jwt', raw: only.slice(prefix.length), fromCookie: true };
}

function count(rawHeaders: readonly string[], name: string): number {
  let found = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string;
    if (header.length === name.length && header.toLowerCase() === name) found++;
  }
  return found;
}

/** The cookie in which browsers hold their JWT (spec 5.2). */
const ACCESS_TOKEN_COOKIE = 'access-token';

function cookieOptions(settings: Pick<Settings, 'PUBLIC_URL'>): CookieOptions {
  return {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: settings.PUBLIC_URL.startsWith('https:'),
  };
}

/** Gives the browser a JWT until the JWT expires. */
export function setAccessTokenCookie(
  response: Response,
  settings: Pick<Settings, 'PUBLIC_URL'>,
  token: string,
  expires: Date,
): void {
  response.cookie(ACCESS_TOKEN_COOKIE, token, { ...cookieOptions(settings), expires });
}

export function clearAccessTokenCookie(response: Response, settings: Pick<Settings, 'PUBLIC_URL'>): void {
  response.clearCookie(ACCESS_TOKEN_COOKIE, cookieOptions(settings));
}
