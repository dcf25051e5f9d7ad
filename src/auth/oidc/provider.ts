import type { EventEmitter } from 'node:events';
import { type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { loggedFailureOf, RETRY_AFTER } from '../../http/error.filter.js';
import type { PlatformRequest } from '../../http/platform-request.js';
import { newId } from '../../kernel/id.js';
import { issuerOf } from '../sessions/jwt.js';
import { type CurrentKeys, configurationOf } from './configuration.js';
import { errorPage } from './interactions/error.page.js';
import { showPage } from './interactions/show-page.js';
import type { ProviderParts } from './provider-parts.service.js';

const UNAVAILABLE = 'temporarily_unavailable';
const RETRY = 'The database cannot be reached or is too busy right now. Retry in a few seconds.';

type Next = () => Promise<void>;

/** An oidc-provider with the keys of one moment. Failures that are not the client's are logged. */
export function makeProvider(parts: ProviderParts, keys: CurrentKeys): Provider {
  const provider = new Provider(issuerOf(parts.settings), configurationOf(parts, keys));
  // The headers that this makes it believe are ours: see `mountedRequest`.
  provider.proxy = true;
  (provider as EventEmitter).on('error', (error: unknown, ctx?: KoaContextWithOIDC) => logged(error, ctx));
  provider.on('server_error', (ctx, error) => void answeredUnavailable(ctx, error));
  provider.use((ctx, next) => refusingUnavailable(ctx as KoaContextWithOIDC, next));
  provider.use((ctx, next) => parts.signOuts.around(provider, ctx as KoaContextWithOIDC, next));
  return provider;
}

/** Not all of oidc-provider's middleware runs within its own handling of errors. */
async function refusingUnavailable(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (!answeredUnavailable(ctx, error)) throw error;
  }
}

/** Answers 503 when the database is away, which oidc-provider takes for a failure of its own. Redirects stay. */
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
