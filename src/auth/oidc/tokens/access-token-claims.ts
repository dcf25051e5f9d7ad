import type { AccessToken, ClientCredentials, JWTStructured } from 'oidc-provider';
import { newId } from '../../../kernel/id.js';
import type { SessionClaims } from '../../sessions/jwt.js';

/**
 * Gives an access token exactly the claims of the platform's JWTs; the session is the grant it was issued under. It begins
 * `now`, in Unix seconds by our clock: oidc-provider goes by the machine's, which may be ahead of the other instances'.
 */
export function asSessionJwt(
  token: AccessToken | ClientCredentials,
  parts: JWTStructured,
  now: number,
): void {
  const { sub, scope = '', client_id, iss, aud } = parts.payload;
  const { iat, exp } = parts.payload as Pick<SessionClaims, 'iat' | 'exp'>;
  parts.payload = {
    platformSessionId: (token as AccessToken).grantId,
    ...{ jti: newId(), sub, iat: now, exp: now + exp - iat, scope, client_id, iss, aud },
  } as unknown as SessionClaims;
}
