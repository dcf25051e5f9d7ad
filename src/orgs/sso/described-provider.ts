import { invalid } from '../../kernel/errors.js';
import type { OutboundFetch } from '../../outbound/outbound-fetch.js';
import { type AttributesMapping, DEFAULT_MAPPING, DEFAULT_SCOPES, type ProviderConfig } from './provider.js';
import type { SsoProviderBody } from './sso-provider.dto.js';

/** What a description, of a request or of the file, says of a provider, defaults filled in. */
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

/** Reads a description whose fields are each fine. Throws 400 for what does not fit together or cannot be called. */
export function describedProvider(body: SsoProviderBody, outbound: OutboundFetch): DescribedProvider {
  const { name, icon = null, config, domains = [], defaultRole = null, enabled = true } = body;
  const { issuer, client_id, allowTokenExchange = false } = config;
  assertCallable(outbound, { issuer });
  // OpenID Connect Discovery 1.0, section 3.
  if (/[?#]/.test(issuer)) throw invalid('config.issuer: must not hold a query or a fragment');
  if (icon !== null) assertPicture(icon);
  // Nobody has looked at the people who come this way.
  if (defaultRole === 'owner' || defaultRole === 'admin') {
    throw invalid(`defaultRole: nobody joins as ${defaultRole} by themselves.`);
  }
  const endpoints = Object.fromEntries(
    ENDPOINTS.flatMap(each => (config[each] ? [[each, config[each]]] : [])),
  );
  assertCallable(outbound, endpoints);
  return {
    ...{ name, icon, domains, defaultRole, enabled },
    config: { issuer, client_id, ...endpoints, scopes: scopesOf(body), allowTokenExchange },
    attributesMapping: { ...DEFAULT_MAPPING, ...sentMapping(body) },
  };
}

/** Without `openid` there would be no id_token (OpenID Connect Core 1.0, 3.1.2.1). */
function scopesOf({ config }: SsoProviderBody): readonly string[] {
  const { scopes } = config;
  const asked = typeof scopes === 'string' ? scopes.split(' ') : (scopes ?? DEFAULT_SCOPES);
  return [...new Set(['openid', ...asked])];
}

function assertCallable(outbound: OutboundFetch, addresses: Record<string, string>): void {
  for (const [name, address] of Object.entries(addresses)) {
    const objection = outbound.objection(address);
    if (objection !== undefined) throw invalid(`config.${name}: ${objection}`);
    if (address.includes('#')) throw invalid(`config.${name}: must not hold a fragment`);
  }
}

/** Browsers load it, never the service. */
function assertPicture(icon: string): void {
  if (!URL.canParse(icon) || new URL(icon).protocol !== 'https:') throw invalid('icon: expects an https URL');
}

function sentMapping({ attributesMapping = {} }: SsoProviderBody): Partial<AttributesMapping> {
  return Object.fromEntries(Object.entries(attributesMapping).filter(([, claim]) => claim !== undefined));
}
