import type { EventEmitter } from 'node:events';
import { type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { newId } from '../../../../base/kernel/id.js';
import { RETRY_AFTER } from '../../../../platform/http/error.filter.js';
import { loggedFailureOf } from '../../../../platform/http/failures.js';
import type { PlatformRequest } from '../../../../platform/http/platform-request.js';
import { issuerOf } from '../../sessions/jwt.js';
import { errorPage, showPage } from '../interactions/pages.js';
import { type CurrentKeys, configurationOf } from './configuration.js';
import type { ProviderParts } from './provider-parts.service.js';

const UNAVAILABLE = 'temporarily_unavailable';
const RETRY = 'The database cannot be reached or is too busy right now. Retry in a few seconds.';

type Next = () => Promise<void>;

/** Makes an oidc-provider with the current keys. It logs failures that the client did not cause. */
export function makeProvider(parts: ProviderParts, keys: CurrentKeys): Provider {
  const provider = new Provider(issuerOf(parts.settings), configurationOf(parts, keys));
  // oidc-provider then trusts the forwarding headers, which `mountedRequest` has set.
  provider.proxy = true;
  (provider as EventEmitter).on('error', (error: unknown, ctx?: KoaContextWithOIDC) => logged(error, ctx));
  provider.on('server_error', (ctx, error) => void answeredUnavailable(ctx, error));
  provider.use((ctx, next) => refusingUnavailable(ctx as KoaContextWithOIDC, next));
  provider.use((ctx, next) => parts.browsers.around(provider, ctx as KoaContextWithOIDC, next));
  return provider;
}

/** Some middleware of oidc-provider runs outside its own error handling. */
async function refusingUnavailable(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (!answeredUnavailable(ctx, error)) throw error;
  }
}

/** Answers 503 when the database is not available, where oidc-provider would answer 500. Redirects stay. */
function answeredUnavailable(ctx: KoaContextWithOIDC, error: unknown): boolean {
  const failure = logged(error, ctx);
  if (failure.status !== 503 || (ctx.status >= 300 && ctx.status < 400)) return false;
  ctx.status = failure.status;
  ctx.set('Retry-After', RETRY_AFTER);
  if (ctx.accepts('json', 'html') === 'html') showPage(ctx, errorPage(UNAVAILABLE, RETRY));
  else ctx.body = { error: UNAVAILABLE, error_description: RETRY };
  return true;
}

function logged(error: unknown, ctx: KoaContextWithOIDC | undefined) {
  const { correlationId = newId() } = (ctx?.req ?? {}) as Partial<PlatformRequest>;
  return loggedFailureOf(error, correlationId);
}
