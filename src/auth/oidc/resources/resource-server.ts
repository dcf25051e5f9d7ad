import { errors, type ResourceServer } from 'oidc-provider';
import { isMcpPath } from '../../../http/protected-resource.js';
import { PLATFORM_SCOPE } from '../../sessions/jwt.js';

/** Who the user is, and access that outlives the browser's session (OpenID Connect Core, 5.4 and 11). */
export const IDENTITY_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;
/** What the permissions of these names cover. */
export const COLLECTION_SCOPES = ['collections:read', 'collections:write', 'collections:manage'] as const;
/** What any client may ask for. */
export const OPEN_SCOPES = [...IDENTITY_SCOPES, ...COLLECTION_SCOPES] as const;

/** The JWTs for a resource indicator (RFC 8707). Throws `invalid_target` for what is none of this platform's resources. */
export function resourceServer(
  indicator: string,
  { publicUrl, own }: { readonly publicUrl: string; readonly own: boolean },
): ResourceServer {
  const path = indicator.startsWith(publicUrl) ? indicator.slice(publicUrl.length) : undefined;
  // Clients that take addresses apart and put them together write the root with a slash.
  const everywhere = path === '' || path === '/' || path === '/v1';
  if (!everywhere && !(path !== undefined && isMcpPath(path))) {
    throw new errors.InvalidTarget('resource: is no protected resource of this platform');
  }
  return {
    scope: (own ? [...OPEN_SCOPES, PLATFORM_SCOPE] : OPEN_SCOPES).join(' '),
    audience: everywhere ? publicUrl : indicator,
    accessTokenFormat: 'jwt',
  };
}
