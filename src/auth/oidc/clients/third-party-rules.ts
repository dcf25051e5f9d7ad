import { type ClientMetadata, errors } from 'oidc-provider';
import { isLoopbackHost } from '../../../config/combinations.js';

/** Bounds what one registration may store, and its page of choices. */
const MAX_REDIRECTS = 20;
const MAX_ADDRESS = 2_000;
const MAX_NAME = 200;
/** Members of the metadata that are addresses of pages and documents (RFC 7591, 2). */
const ADDRESSES = [
  'client_uri',
  'logo_uri',
  'policy_uri',
  'tos_uri',
  'jwks_uri',
  'initiate_login_uri',
] as const;
/** What no address and no name is written with; NUL and halves of characters cannot even be stored. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u;
/** What turns a name around, hides in it or breaks its line: bidirectional overrides, zero-width characters, separators. */
const MISLEADING = /[\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u;

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

/**
 * Refuses what a client may not register with. One that was registered before keeps working: its name is shown without
 * what misleads (`displayName`), its addresses are not shown at all.
 */
export function judgeRegistration(metadata: ClientMetadata): void {
  const { client_name = '' } = metadata;
  if (MISLEADING.test(client_name) || client_name.length > MAX_NAME) {
    throw new errors.InvalidClientMetadata(
      `client_name: expects at most ${MAX_NAME} characters, none of them invisible or changing the direction of text`,
    );
  }
  const unfit = ADDRESSES.find(name => metadata[name] !== undefined && !isWebAddress(metadata[name]));
  if (unfit !== undefined) {
    throw new errors.InvalidClientMetadata(
      `${unfit}: expects an http or https address of at most ${MAX_ADDRESS} characters`,
    );
  }
}

function judgeRedirects(name: string, uris: unknown): void {
  if (uris === undefined) return;
  if (!Array.isArray(uris) || uris.length > MAX_REDIRECTS || !uris.every(isRedirect)) {
    throw Object.assign(new errors.InvalidRedirectUri(), {
      error_description: `${name}: expects at most ${MAX_REDIRECTS} https addresses without *, or http ones of 127.0.0.1, [::1] or localhost`,
    });
  }
}

/** A redirect is compared text by text: * would look like a pattern and be none. */
function isRedirect(uri: unknown): boolean {
  return isAllowed(uri) && !uri.includes('*');
}

function isWebAddress(uri: unknown): uri is string {
  if (typeof uri !== 'string' || uri.length > MAX_ADDRESS) return false;
  if (UNWRITABLE.test(uri) || MISLEADING.test(uri) || !URL.canParse(uri)) return false;
  return ['http:', 'https:'].includes(new URL(uri).protocol);
}

function isAllowed(uri: unknown): uri is string {
  if (!isWebAddress(uri)) return false;
  const { protocol, username, password, hostname } = new URL(uri);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' ? !isLoopbackHost(hostname) : isLoopback(uri);
}

function isLoopback(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && isLoopbackHost(hostname);
}
