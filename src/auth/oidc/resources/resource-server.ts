import { errors, type ResourceServer } from 'oidc-provider';
import { isMcpPath } from '../../../http/protected-resource.js';
import { scopesFor } from './scopes.js';

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
    scope: scopesFor({ own }).join(' '),
    audience: everywhere ? publicUrl : indicator,
    accessTokenFormat: 'jwt',
  };
}
