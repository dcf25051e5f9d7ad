import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { SettingsError } from '../../../platform/config/load-settings.js';
import { validated } from '../../../platform/http/validation.pipe.js';
import type { OutboundFetch } from '../../../platform/outbound/outbound-fetch.js';
import { CreateSsoProviderBody, type SsoProviderBody } from './sso-provider.dto.js';
import {
  type AttributesMapping,
  DEFAULT_MAPPING,
  DEFAULT_SCOPES,
  type Provider,
  type ProviderConfig,
} from './sso-provider.entity.js';

/** A provider as a request or the file describes it, with defaults filled in. */
export interface DescribedProvider {
  readonly name: string;
  readonly icon: string | null;
  readonly config: Omit<ProviderConfig, 'client_secret'>;
  readonly attributesMapping: AttributesMapping;
  readonly domains: string[];
  readonly defaultRole: string | null;
  readonly enabled: boolean;
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/**
 * Reads a description whose fields are valid. Throws 400 when they contradict each other or name a forbidden address.
 */
export function describedProvider(body: SsoProviderBody, outbound: OutboundFetch): DescribedProvider {
  const { name, icon = null, config, domains = [], defaultRole = null, enabled = true } = body;
  const { issuer, client_id, allowTokenExchange = false } = config;
  assertCallable(outbound, { issuer });
  // OpenID Connect Discovery 1.0, section 3.
  if (/[?#]/.test(issuer)) throw invalid('config.issuer: must not contain a query or a fragment');
  if (icon !== null) assertPicture(icon);
  // Everybody whom the provider signs in joins with this role, without anybody's decision.
  if (defaultRole === 'owner' || defaultRole === 'admin') {
    throw invalid(`defaultRole: people cannot join as ${defaultRole} by signing in. Choose another role.`);
  }
  const endpoints = Object.fromEntries(
    ENDPOINTS.flatMap(each => (config[each] ? [[each, config[each]]] : [])),
  );
  assertCallable(outbound, endpoints);
  return {
    name,
    icon,
    domains,
    defaultRole,
    enabled,
    config: { issuer, client_id, ...endpoints, scopes: scopesOf(body), allowTokenExchange },
    attributesMapping: { ...DEFAULT_MAPPING, ...sentMapping(body) },
  };
}

/** Adds `openid`, without which there is no id_token (OpenID Connect Core 1.0, 3.1.2.1). */
function scopesOf({ config }: SsoProviderBody): readonly string[] {
  const { scopes } = config;
  const asked = typeof scopes === 'string' ? scopes.split(' ') : (scopes ?? DEFAULT_SCOPES);
  return [...new Set(['openid', ...asked])];
}

function assertCallable(outbound: OutboundFetch, addresses: Record<string, string>): void {
  for (const [name, address] of Object.entries(addresses)) {
    const objection = outbound.objection(address);
    if (objection !== undefined) throw invalid(`config.${name}: ${objection}`);
    if (address.includes('#')) throw invalid(`config.${name}: must not contain a fragment`);
  }
}

/** Only browsers load the icon, so the service's rules for outbound addresses do not apply to it. */
function assertPicture(icon: string): void {
  if (!URL.canParse(icon) || new URL(icon).protocol !== 'https:') throw invalid('icon: expects an https URL');
}

function sentMapping({ attributesMapping = {} }: SsoProviderBody): Partial<AttributesMapping> {
  return Object.fromEntries(Object.entries(attributesMapping).filter(([, claim]) => claim !== undefined));
}

/**
 * The providers of AUTH_PROVIDERS_FILE by slug. Throws SettingsError, which names every invalid entry and its reason.
 */
export function fileProviders(
  entries: readonly unknown[],
  outbound: OutboundFetch,
): ReadonlyMap<string, Provider> {
  const found = new Map<string, Provider>();
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      const provider = fileProvider(entry, outbound);
      if (found.has(provider.slug))
        throw new PlatformError('AlreadyExists', 'slug: another entry of the file has the same slug');
      found.set(provider.slug, provider);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      problems.push(`AUTH_PROVIDERS_FILE entry ${index + 1}${named(entry)}: ${error.message}`);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return found;
}

function fileProvider(entry: unknown, outbound: OutboundFetch): Provider {
  const body = validated(CreateSsoProviderBody, entry);
  const { slug, orgSlug, ownRedirectUri = false } = body;
  const { icon, config, defaultRole, ...described } = describedProvider(body, outbound);
  const { client_secret } = body.config;
  return {
    ...described,
    id: `file:${slug}`,
    slug,
    type: 'oidc',
    origin: 'file',
    ownRedirectUri,
    config: { ...config, ...(client_secret && { client_secret }) },
    ...(icon && { icon }),
    ...(orgSlug && { orgSlug }),
    ...(defaultRole && { defaultRole }),
  };
}

function named(entry: unknown): string {
  const slug = (entry as { slug?: unknown } | null)?.slug;
  return typeof slug === 'string' ? ` (${slug.slice(0, 64)})` : '';
}
