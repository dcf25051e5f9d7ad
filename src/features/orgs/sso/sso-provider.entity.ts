import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The OpenID Connect client of a provider, with OpenID Connect's names. Absent endpoints come from discovery. */
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

/** For each field of a user, the claim of the provider that holds it. */
export interface AttributesMapping {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/**
 * An identity provider that people sign in with. `origin` decides how far it is trusted (platform contract, Providers):
 * a provider of the operator's `file` may link existing accounts; a provider of an `org` is trusted by that
 * organization only.
 */
export interface Provider {
  /** A uuid or `file:<slug>`, never used for another provider. Part of the key of every identity. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly type: 'oidc';
  readonly icon?: string;
  readonly config: ProviderConfig;
  readonly attributesMapping: AttributesMapping;
  /**
   * E-mail domains in lower case that may sign in with it; empty: any. A login from another domain does not join the
   * organization.
   */
  readonly domains: readonly string[];
  /** The organization that people join by signing in. The one of a file provider may not exist yet. */
  readonly orgSlug?: string;
  /** Id of the organization that owns it; absent for a provider of the file. */
  readonly orgId?: string;
  /** The role with which they join; absent: the organization's `defaultRole`. */
  readonly defaultRole?: string;
  readonly origin: 'file' | 'org';
  readonly enabled: boolean;
  /** Whether browsers come back from it to an address that no other provider has; see `callbackPath`. */
  readonly ownRedirectUri: boolean;
}

/** Where browsers come back to from providers that have no redirect URI of their own. */
const SHARED_CALLBACK = '/v2/login/callback';

/**
 * The path to which the provider sends browsers back. With a path of its own, a provider whose settings name the client of
 * another one cannot make that one issue a code, because the path is not registered there (RFC 9700, 2.1: mix-up attacks).
 */
export function callbackPath({ slug, ownRedirectUri }: Pick<Provider, 'slug' | 'ownRedirectUri'>): string {
  return ownRedirectUri ? `${SHARED_CALLBACK}/${slug}` : SHARED_CALLBACK;
}

/**
 * The source of the identities of a provider, part of their key. Whoever may change an organization's provider must not be
 * able to sign in as its users: by keys of their own, or by tokens that people gave to another application at the same
 * issuer. So another `client_id` or `jwks_uri` is another source, which starts without identities.
 */
export function identitySource({ id, origin, config }: Pick<Provider, 'id' | 'origin' | 'config'>): string {
  if (origin === 'file') return id;
  return [id, config.client_id, config.jwks_uri].filter(part => part !== undefined).join(' ');
}

/** The source of identities from before `client_id` was part of it. */
export function formerIdentitySource({
  id,
  origin,
  config,
}: Pick<Provider, 'id' | 'origin' | 'config'>): string {
  return origin === 'org' && config.jwks_uri !== undefined ? `${id} ${config.jwks_uri}` : id;
}

export const DEFAULT_SCOPES: readonly string[] = ['openid', 'email', 'profile'];

export const DEFAULT_MAPPING: AttributesMapping = {
  email: 'email',
  firstName: 'given_name',
  lastName: 'family_name',
};

/**
 * An identity provider of an organization. Deleted by a request or with the organization, but its slug cannot be used
 * again.
 */
@Entity('sso_providers')
export class SsoProvider {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Unique on the whole platform, also after deletion: `sso_provider_slugs` keeps it. */
  @Column('text', { unique: true })
  slug: string;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  icon: string | null;

  @Column('jsonb')
  config: Omit<ProviderConfig, 'client_secret'>;

  /** The client secret, encrypted for this row's id. */
  @Column('text', { nullable: true })
  sealedSecret: string | null;

  @Column('jsonb')
  attributesMapping: AttributesMapping;

  @Column('text', { array: true, default: [] })
  domains: string[];

  @Column('text', { nullable: true })
  defaultRole: string | null;

  @Column('boolean', { default: true })
  enabled: boolean;

  /** False only for providers from before this column. */
  @Column('boolean', { default: false })
  ownRedirectUri: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

/** Binds the ciphertext of the client secret to its row, so that it cannot be decrypted in another row. */
export function secretPurpose(id: string): string {
  return `sso-provider:${id}`;
}
