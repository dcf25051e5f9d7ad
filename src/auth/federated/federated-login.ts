import type { Provider } from '../../orgs/sso/provider.js';
import type { IdTokenClaims } from '../providers/id-tokens.service.js';
import type { PersonSession } from '../sessions/session.entity.js';

/** Somebody whom a provider has signed in, and how they came. */
export interface FederatedLogin {
  readonly provider: Provider;
  readonly person: FederatedPerson;
  /** The living session in which a browser started the login, if there was one. */
  readonly startedIn?: PersonSession | undefined;
  /** True when an application asked for the sign-in: that is no wish to belong to the account signed in before. */
  readonly forApplication?: boolean | undefined;
  /** Length of the session; default and most: ACCESS_TOKENS_MAX_AGE. */
  readonly seconds?: number | undefined;
  readonly userAgent?: string | undefined;
}

/**
 * The e-mail address if the login proves to the whole platform that it is theirs. What an organization's own provider
 * says is proof for that organization only: its administrators can make it say anything.
 */
export function provenEmail({ provider, person }: FederatedLogin): string | null {
  return provider.origin === 'file' && person.emailVerified ? person.email : null;
}

/** Somebody as a provider describes them. */
export interface FederatedPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /**
   * Whether the e-mail address may be believed: the provider has verified it, and may speak for its domain. For whom
   * it may be believed is another question (`provenEmail`).
   */
  readonly emailVerified: boolean;
  /** False when `domains` of the provider leave this person out: then the login leads into no organization. */
  readonly admitted: boolean;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** The claims of an id_token that is verified. */
type Claims = Readonly<Record<string, unknown>> & Pick<IdTokenClaims, 'iss' | 'sub'>;

/** ASCII only: lower-casing turns letters of other scripts into ASCII ones, and one address into another's. */
const PROVABLE = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const MAX_EMAIL = 320;
const MAX_NAME = 200;

/** The person that the claims describe, by the provider's `attributesMapping` and `domains`. */
export function personOf(
  { attributesMapping, domains }: Pick<Provider, 'attributesMapping' | 'domains'>,
  claims: Claims,
): FederatedPerson {
  const address = textOf(claims[attributesMapping.email], MAX_EMAIL);
  const email = address !== null && EMAIL.test(address) ? address : null;
  const verified = email !== null && PROVABLE.test(email) && isVerified(claims, email);
  const admitted = domains.length === 0 || (verified && domains.includes(domainOf(email)));
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    emailVerified: verified && admitted,
    admitted,
    firstName: textOf(claims[attributesMapping.firstName], MAX_NAME),
    lastName: textOf(claims[attributesMapping.lastName], MAX_NAME),
  };
}

/** The domain of an e-mail address in lower case. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/** `email_verified` speaks of the claim `email` (OpenID Connect Core, 5.1), not of whatever else is mapped. */
function isVerified(claims: Claims, email: string): boolean {
  return claims.email_verified === true && (claims.email === undefined || claims.email === email);
}

function textOf(claim: unknown, max: number): string | null {
  if (typeof claim !== 'string' || claim.includes('\0') || !claim.isWellFormed()) return null;
  const text = claim.trim();
  return text.length >= 1 && text.length <= max ? text : null;
}
