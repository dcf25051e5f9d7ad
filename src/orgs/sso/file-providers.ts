import { SettingsError } from '../../config/load-settings.js';
import { validated } from '../../http/validation.pipe.js';
import { PlatformError } from '../../kernel/errors.js';
import type { OutboundFetch } from '../../outbound/outbound-fetch.js';
import { describedProvider } from './described-provider.js';
import type { Provider } from './provider.js';
import { CreateSsoProviderBody } from './sso-provider.dto.js';

/** The providers of AUTH_PROVIDERS_FILE by slug. Throws SettingsError with every entry that is wrong, and why. */
export function fileProviders(
  entries: readonly unknown[],
  outbound: OutboundFetch,
): ReadonlyMap<string, Provider> {
  const found = new Map<string, Provider>();
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      const provider = fileProvider(entry, outbound);
      if (found.has(provider.slug)) throw new PlatformError('AlreadyExists', 'slug: is in the file twice');
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
  const { slug, orgSlug } = body;
  const { icon, config, defaultRole, ...described } = describedProvider(body, outbound);
  const { client_secret } = body.config;
  return {
    ...{ ...described, id: `file:${slug}`, slug, type: 'oidc', origin: 'file' },
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
