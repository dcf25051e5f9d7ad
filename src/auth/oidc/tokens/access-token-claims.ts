import type { AccessToken, ClientCredentials, JWTStructured } from 'oidc-provider';
import { newId } from '../../../kernel/id.js';
import type { SessionClaims } from '../../sessions/jwt.js';

/** Gives an access token exactly the claims of the platform's JWTs; the session is the grant it was issued under. */
export function asSessionJwt(token: AccessToken | ClientCredentials, parts: JWTStructured): void {
  const { sub, iat, exp, scope = '', client_id, iss, aud } = parts.payload;
  parts.payload = {
    platformSessionId: (token as AccessToken).grantId,
    ...{ jti: newId(), sub, iat, exp, scope, client_id, iss, aud },
  } as unknown as SessionClaims;
}
