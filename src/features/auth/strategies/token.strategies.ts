import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request, Response } from 'express';
import passport, { type Strategy } from 'passport';
import CustomStrategy from 'passport-custom';
import type { Principal } from '../../../base/kernel/principal.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { LastUses } from '../../identity/last-uses.service.js';
import { OrgApiKeys } from '../../orgs/api-keys/org-api-keys.service.js';
import { WorkspaceApiKeys } from '../../workspaces/api-keys/workspace-api-keys.service.js';
import { AccessTokens } from '../access-tokens/access-tokens.service.js';
import { People } from '../principals.service.js';
import { sentCredential, unauthorized } from '../sent-credential.js';
import { ServiceAccountTokens } from '../service-accounts/service-account-tokens.service.js';
import type { SessionClaims } from '../sessions/jwt.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';

/**
 * Runs one Passport strategy and returns its Principal. Every refusal of the strategy becomes the same 401. Errors that
 * the strategy throws (400, 503) stay as they are.
 *
 * Passport gets the strategy itself, not a registered name: its registry belongs to the process, and tests run several
 * applications in one process. Passport adds the methods `success`, `fail` and `error` to the object that it runs, so
 * each request gets an object of its own.
 */
export function authenticate(strategy: Strategy, request: PlatformRequest): Promise<Principal> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, principal?: Principal | false) => {
      if (error) reject(error);
      else if (principal) resolve(principal);
      else reject(unauthorized());
    };
    const run = passport.authenticate(Object.create(strategy), { session: false }, done);
    run(request, request.res as Response, reject);
  });
}

/**
 * JWT of a session.
 *
 * - Read from: `Authorization: Bearer` or the cookie `access-token`.
 * - Proven by: its signature and claims (jose), and its session, which must not have ended.
 * - Yields: the user of the session, or the service account.
 *
 * This is not the strategy of passport-jwt: that one verifies with jsonwebtoken, which has no EdDSA and takes one list
 * of algorithms for all keys. Here each key verifies its own algorithm only.
 */
@Injectable()
export class JwtStrategy extends PassportStrategy(CustomStrategy, 'jwt') {
  constructor(
    private readonly jwts: SessionJwts,
    private readonly sessions: Sessions,
    private readonly people: People,
    private readonly serviceAccounts: ServiceAccountTokens,
    private readonly lastUses: LastUses,
  ) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    return (await this.principalOf(sentCredential(request).raw)) ?? false;
  }

  /** The principal of a JWT; undefined for a text that is not a valid JWT, and when the session has ended. */
  async principalOf(token: string): Promise<Principal | undefined> {
    const claims = await this.jwts.verify(token).catch(() => undefined);
    if (claims === undefined) return undefined;
    // The subjects of people are UUIDs.
    return claims.sub.startsWith('sa:') ? this.serviceAccounts.principalOf(claims) : this.personOf(claims);
  }

  private async personOf(claims: SessionClaims): Promise<Principal | undefined> {
    const session = await this.sessions.findAlive(claims.platformSessionId);
    if (session?.userId !== claims.sub || session.clientId !== claims.client_id) return undefined;
    const principal = await this.people.ofSession(session, claims.exp, claims.scope);
    if (principal === undefined) return undefined;
    this.lastUses.write('sessions', session);
    const boundTo = this.jwts.boundTo(claims);
    return boundTo === undefined ? principal : Object.freeze({ ...principal, boundTo });
  }
}

/**
 * Access token `at:…`.
 *
 * - Read from: `Authorization: Bearer`.
 * - Proven by: its hash, which is the hash of a token that has not expired.
 * - Yields: the user who minted it.
 */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(CustomStrategy, 'access-token') {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly people: People,
    private readonly lastUses: LastUses,
  ) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    const token = await this.tokens.findBySecret(sentCredential(request).raw);
    if (token === undefined) return false;
    const principal = await this.people.ofAccessToken(token);
    if (principal !== undefined) this.lastUses.write('access_tokens', token);
    return principal ?? false;
  }
}

/**
 * Key of an organization or a collection, `iak_…`.
 *
 * - Read from: `x-platform-api-key`.
 * - Proven by: its hash, and the address of the client if the key is bound to addresses.
 * - Yields: the key itself, or the user, agent or service account that owns it.
 */
@Injectable()
export class OrgApiKeyStrategy extends PassportStrategy(CustomStrategy, 'org-api-key') {
  constructor(private readonly keys: OrgApiKeys) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    return (await this.keys.authenticate(sentCredential(request).raw, request.ip)) ?? false;
  }
}

/**
 * Key of a workspace, `wak_…`.
 *
 * - Read from: `x-platform-api-key`.
 * - Proven by: its hash.
 * - Yields: the key itself.
 */
@Injectable()
export class WorkspaceApiKeyStrategy extends PassportStrategy(CustomStrategy, 'workspace-api-key') {
  constructor(private readonly keys: WorkspaceApiKeys) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    return (await this.keys.authenticate(sentCredential(request).raw)) ?? false;
  }
}
