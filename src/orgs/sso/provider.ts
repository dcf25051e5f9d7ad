/** What the provider itself is told and asked; the names are OpenID Connect's. What is missing comes from discovery. */
export interface ProviderConfig {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret?: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly jwks_uri?: string;
  readonly scopes: readonly string[];
  readonly allowTokenExchange: boolean;
}

/** Our field → the provider's claim. */
export interface AttributesMapping {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/**
 * An identity provider that people sign in with. `origin` is how far it is trusted (platform contract, Providers):
 * one from the `file` is the operator's and may link accounts that exist; an `org`'s own speaks for that
 * organization only.
 */
export interface Provider {
  /** Never another's, whatever happens to slugs: a uuid, or `file:<slug>`. Part of every identity's key. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly type: 'oidc';
  readonly icon?: string;
  readonly config: ProviderConfig;
  readonly attributesMapping: AttributesMapping;
  /** E-mail domains it may sign in, in lower case; a login outside them resolves no organization. None: any. */
  readonly domains: readonly string[];
  /** What people join by signing in. That of a file provider may not exist (yet). */
  readonly orgSlug?: string;
  /** Role they join with; absent: the organization's `defaultRole`. */
  readonly defaultRole?: string;
  readonly origin: 'file' | 'org';
  readonly enabled: boolean;
}

export const DEFAULT_SCOPES: readonly string[] = ['openid', 'email', 'profile'];

export const DEFAULT_MAPPING: AttributesMapping = {
  email: 'email',
  firstName: 'given_name',
  lastName: 'family_name',
};
