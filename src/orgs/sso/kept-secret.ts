import { invalid } from '../../kernel/errors.js';
import type { ProviderConfig } from './provider.js';

type Target = Pick<ProviderConfig, 'issuer' | 'client_id' | 'token_endpoint'>;

/**
 * Throws 400 when a secret that is left out would from now on be sent elsewhere: whoever may change a provider
 * must not learn its secret by pointing it at a server of their own.
 */
export function assertSecretStays(before: Target, after: Target): void {
  const moved = (['issuer', 'client_id', 'token_endpoint'] as const).find(
    name => before[name] !== after[name],
  );
  if (moved === undefined) return;
  throw invalid(`config.client_secret: send it again (or null), since config.${moved} is another one now`);
}
