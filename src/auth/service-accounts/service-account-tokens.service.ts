import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Secrets } from '../../config/secrets.js';
import { Settings } from '../../config/settings.js';
import { AuthFailures } from '../../http/rate-limit/auth-failures.service.js';
import type { Call } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/id.js';
import type { Principal } from '../../kernel/principal.js';
import { orgSlugOf } from '../../orgs/api-keys/key-text.js';
import {
  LIVE_SERVICE_ACCOUNT,
  LIVE_SERVICE_ACCOUNT_COLUMNS,
  type LiveServiceAccount,
  serviceAccountPrincipal,
  subjectOf,
} from '../../orgs/service-accounts/service-account.entity.js';
import { unauthorized } from '../sent-credential.js';
import { FIRST_PARTY_CLIENT, type SessionClaims, TOLERANCE_SECONDS } from '../sessions/jwt.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';
import type { MintServiceAccountTokenBody, ServiceAccountTokenView } from './service-account-token.dto.js';

const HOUR_SECONDS = 3600;

/** From where a token is asked for. */
export type TokenOrigin = Omit<Call, 'principal'>;

/**
 * Proves a secret and notes its use. The row stays locked to the end of the transaction, so that whoever rotates or
 * disables the account waits, and then ends the session that is opened here. The organization is locked before it,
 * as everywhere, so that its deletion waits too.
 */
const PROVE = `
  WITH o AS MATERIALIZED (SELECT id, slug, name, deleted_at FROM orgs WHERE slug = $1 FOR KEY SHARE)
  UPDATE service_accounts a SET last_used_at = $4 FROM o
  WHERE ${LIVE_SERVICE_ACCOUNT} AND a.slug = $2 AND a.secret_hash = ANY ($3)
  RETURNING ${LIVE_SERVICE_ACCOUNT_COLUMNS}`;

const OF_SESSION = `
  SELECT ${LIVE_SERVICE_ACCOUNT_COLUMNS}
  FROM sessions s JOIN service_accounts a ON a.id = s.service_account_id JOIN orgs o ON ${LIVE_SERVICE_ACCOUNT}
  WHERE s.id = $1 AND s.client_id = $2 AND s.revoked_at IS NULL AND s.expires_at > $3`;

/** JWTs of service accounts, each with a session of its own. */
@Injectable()
export class ServiceAccountTokens {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly sessions: Sessions,
    private readonly jwts: SessionJwts,
    private readonly failures: AuthFailures,
    private readonly audit: AuditLog,
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** One and the same 401 for every secret that is not good for this account, whatever the reason. */
  async mint(
    origin: TokenOrigin,
    orgSlug: string,
    slug: string,
    { clientSecret, expiresIn = HOUR_SECONDS }: MintServiceAccountTokenBody,
  ): Promise<ServiceAccountTokenView> {
    const most = this.settings.ACCESS_TOKENS_MAX_AGE;
    if (expiresIn > most) throw invalid(`expiresIn: expects a whole number from 60 to ${most}`);
    // The organization is read from the secret before any look-up (platform contract, Organizations).
    const proven =
      orgSlugOf(clientSecret, 'sas') === orgSlug
        ? await this.source.transaction(manager =>
            this.open(manager, origin, [orgSlug, slug, clientSecret], expiresIn),
          )
        : undefined;
    if (proven === undefined) throw await this.failures.answerTo(unauthorized(), origin.ip);
    const { account, session } = proven;
    const { token, expires } = await this.jwts.mintFor(subjectOf(account), session);
    const { permissions, scopes } = account;
    return { accessToken: token, expiresAt: expires.toISOString(), tokenType: 'Bearer', permissions, scopes };
  }

  /** The account whose JWT this is; undefined when it, its session or its organization has ended. One round trip. */
  async principalOf({
    platformSessionId: sessionId,
    client_id,
    sub,
    exp,
  }: Pick<SessionClaims, 'platformSessionId' | 'client_id' | 'sub' | 'exp'>): Promise<Principal | undefined> {
    if (!isUuid(sessionId) || client_id !== FIRST_PARTY_CLIENT) return undefined;
    const since = new Date(this.clock.now().getTime() - TOLERANCE_SECONDS * 1000);
    const [account]: LiveServiceAccount[] = await this.source.query(OF_SESSION, [
      sessionId,
      client_id,
      since,
    ]);
    if (account === undefined || subjectOf(account) !== sub) return undefined;
    return serviceAccountPrincipal(account, { sessionId, expiresAt: exp });
  }

  private async open(
    manager: EntityManager,
    origin: TokenOrigin,
    [orgSlug, slug, clientSecret]: readonly [string, string, string],
    seconds: number,
  ): Promise<{ account: LiveServiceAccount; session: Session } | undefined> {
    const values = [orgSlug, slug, this.secrets.hashes(clientSecret), this.clock.now()];
    const [[account]]: [LiveServiceAccount[]] = await manager.query(PROVE, values);
    if (account === undefined) return undefined;
    const session = await this.sessions.openFor(manager, origin, { serviceAccountId: account.id, seconds });
    const expiresAt = Math.floor(session.expiresAt.getTime() / 1000);
    const principal = serviceAccountPrincipal(account, { sessionId: session.id, expiresAt });
    await this.audit.record(manager, { ...origin, principal }, account.org_id, {
      type: 'orgs.serviceaccounts.tokens.minted',
      target: { type: 'service-account', id: account.id, name: account.slug },
      changes: { after: { sessionId: session.id, expiresAt: session.expiresAt } },
    });
    return { account, session };
  }
}
