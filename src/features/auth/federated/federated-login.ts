import type { Provider } from '../../orgs/sso/sso-provider.entity.js';
import type { IdTokenClaims } from '../providers/id-tokens.service.js';
import type { PersonSession } from '../sessions/session.entity.js';

/** A person that a provider has signed in, and the circumstances of the login. */
export interface FederatedLogin {
  readonly provider: Provider;
  readonly person: FederatedPerson;
  /** The session in which a browser started the login, if it has not ended. */
  readonly startedIn?: PersonSession | undefined;
  /** True when an application asked for the sign-in. Then the person did not ask to link it to the account signed in before. */
  readonly forApplication?: boolean | undefined;
  /** Length of the session; default and most: ACCESS_TOKENS_MAX_AGE. */
  readonly seconds?: number | undefined;
  readonly userAgent?: string | undefined;
}

/**
 * The e-mail address if the login proves it for the whole platform. A provider of an organization proves an address for
 * that organization only, because its administrators control what it says.
 */
export function provenEmail({ provider, person }: FederatedLogin): string | null {
  return provider.origin === 'file' && person.emailVerified ? person.email : null;
}

/** A person as a provider describes them. */
export interface FederatedPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /**
   * True when the provider has verified the e-mail address and may vouch for its domain. `provenEmail` decides whether
   * that counts for the whole platform.
   */
  readonly emailVerified: boolean;
  /** False when the `domains` of the provider exclude this person. Then the login joins no organization. */
  readonly admitted: boolean;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** The claims of a verified id_token. */
type Claims = Readonly<Record<string, unknown>> & Pick<IdTokenClaims, 'iss' | 'sub'>;

/** ASCII only, because lower-casing turns some other letters into ASCII letters, and so one address into another. */
const PROVABLE = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const MAX_EMAIL = 320;
const MAX_NAME = 200;

/** The person that the claims describe, according to the provider's `attributesMapping` and `domains`. */
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

/** `email_verified` is about the claim `email` (OpenID Connect Core, 5.1), not about another claim that is mapped. */
function isVerified(claims: Claims, email: string): boolean {
  return claims.email_verified === true && (claims.email === undefined || claims.email === email);
}

function textOf(claim: unknown, max: number): string | null {
  if (typeof claim !== 'string' || claim.includes('\0') || !claim.isWellFormed()) return null;
  const text = claim.trim();
  return text.length >= 1 && text.length <= max ? text : null;
}
