import type { EventEmitter } from 'node:events';
import { type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { issuerOf } from '../sessions/jwt.js';
import { type CurrentKeys, configurationOf } from './configuration.js';
import type { ProviderParts } from './provider-parts.service.js';

/** An oidc-provider with the keys of one moment; `report` is told what went wrong on our side. */
export function makeProvider(
  parts: ProviderParts,
  keys: CurrentKeys,
  report: (error: Error) => void,
): Provider {
  const provider = new Provider(issuerOf(parts.settings), configurationOf(parts, keys));
  // The headers that this makes it believe are ours: see `mountedRequest`.
  provider.proxy = true;
  (provider as EventEmitter).on('error', report);
  provider.on('server_error', (_ctx, error) => report(error));
  provider.use((ctx, next) => parts.signOuts.around(provider, ctx as KoaContextWithOIDC, next));
  return provider;
}
