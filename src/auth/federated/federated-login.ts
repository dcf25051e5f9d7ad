import type { Provider } from '../../orgs/sso/provider.js';
import type { PersonSession } from '../sessions/session.entity.js';
import type { FederatedPerson } from './federated-person.js';

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
