import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { SessionJwts } from '../../sessions/session-jwts.service.js';

const MARK = 'jwt~';

/**
 * Another spelling of an access token. oidc-provider answers no questions about tokens that it sees to be JWTs; it
 * looks this one up instead, and finds what the JWT says.
 */
export function tokenHandle(token: string): string {
  return `${MARK}${Buffer.from(token).toString('base64url')}`;
}

/** oidc-provider's storage of access tokens. None is stored: a valid JWT of ours is its own record. */
export class IssuedTokenAdapter implements Adapter {
  constructor(private readonly jwts: SessionJwts) {}

  async find(handle: string): Promise<AdapterPayload | undefined> {
    if (!handle.startsWith(MARK)) return undefined;
    const token = Buffer.from(handle.slice(MARK.length), 'base64url').toString();
    const claims = await this.jwts.verify(token).catch(() => undefined);
    if (claims === undefined) return undefined;
    const {
      platformSessionId: grantId,
      client_id: clientId,
      sub: accountId,
      jti,
      iat,
      exp,
      scope,
      aud,
    } = claims;
    return { kind: 'AccessToken', grantId, clientId, accountId, jti, iat, exp, scope, ...(aud && { aud }) };
  }

  async upsert(): Promise<void> {}

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}

  async consume(): Promise<void> {}

  /** A JWT ends with its grant, which oidc-provider revokes next. */
  async destroy(): Promise<void> {}

  async revokeByGrantId(): Promise<void> {}
}
