/** The search part of the addresses of the account pages. */
export interface SignInSearch {
  /** The page to open afterwards: a path of this address that begins with `/console` or belongs to the service. */
  readonly next?: string;
  /** Slug of the organization that people without an account want to enter. */
  readonly org?: string;
  /** Asks for a sign-in although somebody is signed in. */
  readonly again?: true;
  /** The way to sign in that failed before, with the code of the refusal. */
  readonly failed?: FailedWay;
  readonly error?: string;
}

const FAILED_WAYS = ['link', 'provider'] as const;
export type FailedWay = (typeof FAILED_WAYS)[number];

export function signInSearch({ next, org, again, failed, error }: Record<string, unknown>): SignInSearch {
  const page = safeNext(next);
  return {
    ...(page !== undefined && { next: page }),
    ...((typeof org === 'string' || typeof org === 'number') && { org: String(org) }),
    ...(again === true && { again }),
    ...(FAILED_WAYS.includes(failed as FailedWay) && { failed: failed as FailedWay }),
    ...(typeof error === 'string' && { error }),
  };
}

/** Characters that parsers of addresses drop or read as a slash, so that an address differs from what it looks like. */
const DECEPTIVE = /[\p{Cc}\p{Cs}\\]|^\s|\s$/u;
/** Addresses of the API are no pages: some of them sign in or out when a browser opens them. */
const API = /^\/v\d+(\/|$)/i;

/**
 * The address of a page of this origin, normalised; undefined for everything else. A link can contain any address, so
 * that nobody is led to another site, or to a request that does something, after signing in.
 */
export function safeNext(value: unknown): string | undefined {
  if (typeof value !== 'string' || DECEPTIVE.test(value)) return undefined;
  if (!/^\/(?!\/)/.test(value) || !URL.canParse(value, BASE)) return undefined;
  const { origin, pathname, search, hash } = new URL(value, BASE);
  const path = decoded(pathname);
  const isPage = origin === BASE && !path.startsWith('//') && !DECEPTIVE.test(path) && !API.test(path);
  return isPage ? `${pathname}${search}${hash}` : undefined;
}

/** Only its comparison with itself matters: a root-relative path stays at any origin or leaves any. */
const BASE = 'https://origin.invalid';

/** Routers compare decoded paths. A path that cannot be decoded is refused like one of the API. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return '/v1';
  }
}

export interface JoinSearch {
  /** The code of an invitation. */
  readonly code?: string;
}

export function joinSearch({ code }: Record<string, unknown>): JoinSearch {
  return code === undefined ? {} : { code: String(code) };
}
