import { type ClientMetadata, errors } from 'oidc-provider';
import { isLoopbackHost } from '../../../config/combinations.js';

/** Bounds what one registration may store, and its page of choices. */
const MAX_REDIRECTS = 20;
/** What no address and no name is written with; NUL and halves of characters cannot even be stored. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u;

/**
 * Refuses what a third party may not have: codes go to https addresses or to the user's own machine. A program on the
 * user's machine is a native one: it may listen on any port (RFC 8252, 7.3), and the user is asked each time, since
 * any program may listen there (8.6).
 */
export function judgeThirdParty(metadata: ClientMetadata): void {
  if (UNWRITABLE.test(metadata.client_name ?? '')) {
    throw new errors.InvalidClientMetadata('client_name: must not hold control characters');
  }
  judgeRedirects('redirect_uris', metadata.redirect_uris);
  judgeRedirects('post_logout_redirect_uris', metadata.post_logout_redirect_uris);
  metadata.application_type = (metadata.redirect_uris ?? []).some(isLoopback) ? 'native' : 'web';
}

function judgeRedirects(name: string, uris: unknown): void {
  if (uris === undefined) return;
  if (!Array.isArray(uris) || uris.length > MAX_REDIRECTS || !uris.every(isAllowed)) {
    throw Object.assign(new errors.InvalidRedirectUri(), {
      error_description: `${name}: expects at most ${MAX_REDIRECTS} https addresses, or http ones of 127.0.0.1, [::1] or localhost`,
    });
  }
}

function isAllowed(uri: unknown): boolean {
  if (typeof uri !== 'string' || UNWRITABLE.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, username, password, hostname } = new URL(uri);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' ? !isLoopbackHost(hostname) : isLoopback(uri);
}

function isLoopback(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && isLoopbackHost(hostname);
}
