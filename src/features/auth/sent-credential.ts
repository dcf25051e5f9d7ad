import type { IncomingMessage } from 'node:http';
import type { CookieOptions, Response } from 'express';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import type { Settings } from '../../platform/config/settings.js';
import { IDENTITY_HEADER } from '../../platform/http/identity-source.js';

/** The form of a credential determines its strategy. Only that strategy is tried. */
export type StrategyName = 'jwt' | 'access-token' | 'org-api-key' | 'workspace-api-key' | 'platform-identity';

export interface SentCredential {
  readonly strategy: StrategyName;
  readonly raw: string;
  /** Browsers send cookies also with requests that another site has caused. */
  readonly fromCookie: boolean;
}

type CarriesHeaders = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

const BEARER = /^bearer +([A-Za-z0-9._~+/=:-]+)$/i;

const API_KEYS = [
  { start: 'iak_', strategy: 'org-api-key' },
  { start: 'wak_', strategy: 'workspace-api-key' },
] as const;

const REFUSAL = ['Unauthorized', 'The credential is missing, invalid or expired.'] as const;

/** The same answer for every invalid credential, so that nobody learns the reason. */
export function unauthorized(): PlatformError {
  return new PlatformError(...REFUSAL);
}

/** The same answer for a request without a credential. */
export class NothingSent extends PlatformError {
  constructor() {
    super(...REFUSAL);
  }
}

/**
 * The credential of a request, which is not verified here. Throws 400 for two credentials in headers, and 401 for none or
 * an unknown form. A header has precedence over the cookie. The query string is never read (spec 5.6).
 */
export function sentCredential(request: CarriesHeaders): SentCredential {
  const authorizations = count(request.rawHeaders, 'authorization');
  const apiKeys = count(request.rawHeaders, 'x-platform-api-key');
  if (authorizations > 0 && apiKeys > 0) {
    throw invalid('Send one credential: either Authorization or x-platform-api-key.');
  }
  // Node keeps the first of repeated headers or joins them. Neither is what the client meant.
  if (authorizations > 1 || apiKeys > 1) throw unauthorized();
  if (authorizations === 1) return fromAuthorization(request.headers.authorization ?? '');
  if (apiKeys === 1) return fromApiKey(request.headers['x-platform-api-key'] as string);
  return fromCookie(request.headers.cookie ?? '');
}

/**
 * The same for a runtime behind a gateway. The gateway sends an identity instead of the credential that it has verified.
 * Throws 400 for a request with an identity and a credential.
 */
export function forwardedCredential(request: CarriesHeaders): SentCredential {
  const identity = request.headers[IDENTITY_HEADER];
  if (identity === undefined) return sentCredential(request);
  if (count(request.rawHeaders, 'authorization') + count(request.rawHeaders, 'x-platform-api-key') > 0) {
    throw invalid(`Send one credential: ${IDENTITY_HEADER} must be the only one. The gateway sets it.`);
  }
  return { strategy: 'platform-identity', raw: String(identity), fromCookie: false };
}

/** True when the header contains a bearer token, valid or not (RFC 6750, 3.1). */
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
    .map(withoutOptionalSpace)
    .filter(pair => pair.startsWith(prefix));
  const [only] = values;
  if (only === undefined) throw new NothingSent();
  // Two cookies of one name were set by two origins that share the host name. Either may be an attacker's.
  if (values.length > 1) throw unauthorized();
  return { strategy: 'jwt', raw: only.slice(prefix.length), fromCookie: true };
}

/** Without the white space around a value (RFC 9110, 5.6.3). `trim` would also remove other characters from a secret. */
function withoutOptionalSpace(text: string): string {
  const isSpace = (index: number) => text[index] === ' ' || text[index] === '\t';
  let [start, end] = [0, text.length];
  while (start < end && isSpace(start)) start++;
  while (end > start && isSpace(end - 1)) end--;
  return text.slice(start, end);
}

function count(rawHeaders: readonly string[], name: string): number {
  let found = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string;
    if (header.length === name.length && header.toLowerCase() === name) found++;
  }
  return found;
}

/** The cookie with the JWT of a browser (spec 5.2). */
const ACCESS_TOKEN_COOKIE = 'access-token';

function cookieOptions(settings: Pick<Settings, 'PUBLIC_URL'>): CookieOptions {
  return {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: settings.PUBLIC_URL.startsWith('https:'),
  };
}

/** Sets the cookie, which expires with the JWT. */
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
