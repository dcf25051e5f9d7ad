import { type ClientMetadata, errors, type ResourceServer } from 'oidc-provider';
import { isLoopbackHost } from '../../../../platform/config/load-settings.js';
import { isMcpPath } from '../../../../platform/http/protected-resource.js';
import { DEVICE_CODE_GRANT } from '../metadata/discovery.js';
import { scopesFor } from '../metadata/scopes.js';

/** These limits bound what one registration can store. */
const MAX_REDIRECTS = 20;
const MAX_ADDRESS = 2_000;
const MAX_NAME = 200;
/** Fields of the metadata that are URLs of pages and documents (RFC 7591, 2). */
const ADDRESSES = [
  'client_uri',
  'logo_uri',
  'policy_uri',
  'tos_uri',
  'jwks_uri',
  'initiate_login_uri',
] as const;
/** Control characters and lone surrogates. PostgreSQL cannot store NUL and lone surrogates. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u;
/** Characters that are invisible or change how a name is shown: bidirectional overrides, zero-width characters, line separators. */
const MISLEADING = /[\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u;

/**
 * Checks the metadata of a third-party client. Codes may be sent to https URLs and to the user's own machine. A client
 * with a redirect URI on the user's machine becomes a native one: it may listen on any port (RFC 8252, 7.3), and the user
 * is asked for consent each time, because any program can listen there (8.6).
 */
export function checkThirdParty(metadata: ClientMetadata): void {
  if (UNWRITABLE.test(metadata.client_name ?? '')) {
    throw new errors.InvalidClientMetadata('client_name: must not contain control characters');
  }
  const grant_types = metadata.grant_types ?? [];
  if (!Array.isArray(grant_types)) throw new errors.InvalidClientMetadata('grant_types must be an array');
  if (grant_types.includes(DEVICE_CODE_GRANT)) {
    throw new errors.InvalidClientMetadata(
      'grant_types: only clients of the platform may use the device flow',
    );
  }
  checkRedirects('redirect_uris', metadata.redirect_uris);
  checkRedirects('post_logout_redirect_uris', metadata.post_logout_redirect_uris);
  metadata.application_type = (metadata.redirect_uris ?? []).some(isLoopback) ? 'native' : 'web';
}

/**
 * Checks the metadata of a new registration. Clients that were registered before these rules keep working: `displayName`
 * removes misleading characters from their names, and their URLs are not shown.
 */
export function checkRegistration(metadata: ClientMetadata): void {
  const client_name = metadata.client_name ?? '';
  if (MISLEADING.test(client_name) || client_name.length > MAX_NAME) {
    throw new errors.InvalidClientMetadata(
      `client_name: expects at most ${MAX_NAME} characters, without invisible characters and characters that change the direction of text`,
    );
  }
  const unfit = ADDRESSES.find(name => metadata[name] !== undefined && !isWebAddress(metadata[name]));
  if (unfit !== undefined) {
    throw new errors.InvalidClientMetadata(
      `${unfit}: expects an http or https address of at most ${MAX_ADDRESS} characters`,
    );
  }
}

function checkRedirects(name: string, uris: unknown): void {
  if (uris === undefined) return;
  if (!Array.isArray(uris) || uris.length > MAX_REDIRECTS || !uris.every(isRedirect)) {
    throw Object.assign(new errors.InvalidRedirectUri(), {
      error_description: `${name}: expects at most ${MAX_REDIRECTS} https addresses without *, or http ones of 127.0.0.1, [::1] or localhost`,
    });
  }
}

/** Redirect URIs are compared as plain strings. A `*` would look like a pattern, but match only itself. */
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

/** The form of the JWTs for a resource indicator (RFC 8707). Throws `invalid_target` unless it is a resource of this platform. */
export function resourceServer(
  indicator: string,
  { publicUrl, own }: { readonly publicUrl: string; readonly own: boolean },
): ResourceServer {
  const path = indicator.startsWith(publicUrl) ? indicator.slice(publicUrl.length) : undefined;
  // Clients that parse and serialize the URL add a slash to it.
  const everywhere = path === '' || path === '/' || path === '/v1';
  if (!everywhere && !(path !== undefined && isMcpPath(path))) {
    throw new errors.InvalidTarget('resource: is not a protected resource of this platform');
  }
  return {
    scope: scopesFor({ own }).join(' '),
    audience: everywhere ? publicUrl : indicator,
    accessTokenFormat: 'jwt',
  };
}
