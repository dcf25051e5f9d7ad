import { entriesOf } from '../fields/texts.js';
import type { Provider } from '../lists.js';

/** The endpoints that a provider publishes itself, unless they are entered. */
export const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** An identity provider as its form has it. */
export interface ProviderDraft {
  readonly name: string;
  readonly slug: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: the stored secret is kept. */
  readonly secret: string;
  /** True: the stored secret is removed. */
  readonly withoutSecret: boolean;
  readonly domains: string;
  /** Empty: the role of the organization. */
  readonly defaultRole: string;
  readonly enabled: boolean;
  readonly scopes: string;
  readonly endpoints: Readonly<Record<(typeof ENDPOINTS)[number], string>>;
  readonly allowTokenExchange: boolean;
  /** The claims of the id_token. */
  readonly claims: Provider['attributesMapping'];
}

export function draftOf(provider: Provider | undefined): ProviderDraft {
  const config = provider?.config;
  return {
    name: provider?.name ?? '',
    slug: provider?.slug ?? '',
    issuer: config?.issuer ?? '',
    clientId: config?.client_id ?? '',
    secret: '',
    withoutSecret: false,
    domains: (provider?.domains ?? []).join('\n'),
    defaultRole: provider?.defaultRole ?? '',
    enabled: provider?.enabled ?? true,
    scopes: (config?.scopes ?? ['openid', 'email', 'profile']).join(' '),
    endpoints: {
      authorization_endpoint: config?.authorization_endpoint ?? '',
      token_endpoint: config?.token_endpoint ?? '',
      jwks_uri: config?.jwks_uri ?? '',
    },
    allowTokenExchange: config?.allowTokenExchange ?? false,
    claims: provider?.attributesMapping ?? {
      email: 'email',
      firstName: 'given_name',
      lastName: 'family_name',
    },
  };
}

const CALLBACK = '/v2/login/callback';

/** The address to register at the provider: the present one, or its own one if it becomes another client. */
export function redirectUriOf(draft: ProviderDraft, before: Provider | undefined): string {
  if (before === undefined) return `${location.origin}${CALLBACK}/${draft.slug}`;
  if (!isOtherClient(draft, before)) return before.redirectUri;
  const [root] = before.redirectUri.split(CALLBACK);
  return `${root}${CALLBACK}/${draft.slug}`;
}

function isOtherClient({ issuer, clientId, endpoints }: ProviderDraft, { config }: Provider): boolean {
  return (
    issuer.trim() !== config.issuer ||
    clientId.trim() !== config.client_id ||
    endpoints.authorization_endpoint.trim() !== (config.authorization_endpoint ?? '')
  );
}

/** The provider in the form of the API. Fields that the form does not show, such as the icon, are not changed. */
export function sentOf(draft: ProviderDraft, before: Provider | undefined) {
  const { name, slug, issuer, clientId, secret, withoutSecret, defaultRole, enabled, endpoints } = draft;
  return {
    name,
    slug,
    enabled,
    domains: entriesOf(draft.domains.toLowerCase()),
    defaultRole: defaultRole === '' ? null : defaultRole,
    ...(before?.icon !== undefined && { icon: before.icon }),
    attributesMapping: draft.claims,
    config: {
      issuer: issuer.trim(),
      client_id: clientId.trim(),
      scopes: entriesOf(draft.scopes),
      allowTokenExchange: draft.allowTokenExchange,
      ...(secret !== '' && { client_secret: secret }),
      ...(withoutSecret && { client_secret: null }),
      ...Object.fromEntries(
        ENDPOINTS.flatMap(each => (endpoints[each].trim() === '' ? [] : [[each, endpoints[each].trim()]])),
      ),
    },
  };
}
