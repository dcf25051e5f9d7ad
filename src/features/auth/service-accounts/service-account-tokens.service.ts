import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import type { Principal } from '../../../base/kernel/principal.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { IntegerField, TextField } from '../../../platform/http/field.decorators.js';
import { AuthFailures } from '../../../platform/http/rate-limit/source-attempts.service.js';
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

export class MintServiceAccountTokenBody {
  @TextField({
    max: 200,
    description: 'The secret of the service account.',
    example: 'sas_default_00000000-0000-4000-8000-000000000000',
  })
  clientSecret: string;

  @IntegerField({
    optional: true,
    min: 60,
    default: 3600,
    description: 'Lifetime in seconds, at most ACCESS_TOKENS_MAX_AGE.',
    example: 3600,
  })
  expiresIn?: number;
}

export class ServiceAccountTokenView {
  @ApiProperty({
    description: 'JWT to send as `Authorization: Bearer`. Its subject is `sa:{orgSlug}:{slug}`.',
  })
  accessToken: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  @ApiProperty({ enum: ['Bearer'] })
  tokenType: string;

  @ApiProperty({ type: [String], example: ['collections:read'] })
  permissions: string[];

  @ApiProperty({ type: [String], example: [] })
  scopes: string[];
}

const HOUR_SECONDS = 3600;

/** The request for a token, for its audit event. */
export type TokenOrigin = Omit<Call, 'principal'>;

/**
 * Verifies a secret and writes the time of use. The row stays locked until the end of the transaction: a concurrent
 * rotation or disabling waits, and then ends the new session too. The organization is locked first, as everywhere, so
 * that its deletion waits as well.
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

/** Mints JWTs for service accounts. Each JWT has a session of its own. */
@Injectable()
export class ServiceAccountTokens {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
    private readonly sessions: Sessions,
    private readonly jwts: SessionJwts,
    private readonly failures: AuthFailures,
    private readonly audit: AuditLog,
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Throws the same 401 for every secret that is not valid for this account. */
  async mint(
    origin: TokenOrigin,
    orgSlug: string,
    slug: string,
    { clientSecret, expiresIn = HOUR_SECONDS }: MintServiceAccountTokenBody,
  ): Promise<ServiceAccountTokenView> {
    const most = this.settings.ACCESS_TOKENS_MAX_AGE;
    if (expiresIn > most) throw invalid(`expiresIn: expects a whole number from 60 to ${most}`);
    // The secret names its organization, so a wrong one is refused without a query (platform contract, Organizations).
    const proven =
      orgSlugOf(clientSecret, 'sas') === orgSlug
        ? await this.transactions.run(manager =>
            this.open(manager, origin, [orgSlug, slug, clientSecret], expiresIn),
          )
        : undefined;
    if (proven === undefined) throw await this.failures.answerTo(unauthorized(), origin.ip);
    const { account, session } = proven;
    const { token, expires } = await this.jwts.mintFor(subjectOf(account), session);
    const { permissions, scopes } = account;
    return { accessToken: token, expiresAt: expires.toISOString(), tokenType: 'Bearer', permissions, scopes };
  }

  /** The account of a JWT; undefined when the account, its session or its organization has ended. One round trip. */
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
