import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOptionsWhere, IsNull, MoreThan, Not, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { isUuid, newId } from '../../../base/kernel/id.js';
import { param, type Sql, sql } from '../../../base/sql/index.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Settings } from '../../../platform/config/settings.js';
import { execute } from '../../../platform/database/queryable.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { offsetOf, type Page } from '../../../platform/http/list-page.js';
import { outlived, Pruning } from '../../identity/pruning.js';
import { FIRST_PARTY_CLIENT, TOLERANCE_SECONDS } from './jwt.js';
import { type PersonSession, Session } from './session.entity.js';

interface SessionDraft {
  /** The OAuth client; default: the platform itself. */
  readonly clientId?: string;
  readonly activeOrgSlug?: string;
  /** Lifetime; default and maximum: ACCESS_TOKENS_MAX_AGE. */
  readonly seconds?: number;
  readonly userAgent?: string;
  /** The passkey of the sign-in. */
  readonly passkeyId?: string;
}

export interface NewSession extends SessionDraft {
  readonly userId: string;
}

/** Sessions of people and service accounts. A login opens one; its owner or its expiry ends it. */
@Injectable()
export class Sessions {
  constructor(
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly pruning: Pruning,
  ) {}

  /** Opens a person's session in the caller's transaction. */
  async open(manager: EntityManager, call: Call, { userId, ...draft }: NewSession): Promise<PersonSession> {
    const session = await this.insert(manager, call, { userId, serviceAccountId: null }, draft);
    const { clientId, passkeyId } = draft;
    const after = { ...(clientId && { clientId }), ...(passkeyId && { passkeyId }) };
    const changes = Object.keys(after).length === 0 ? undefined : { after };
    await this.record(manager, call, 'sessions.created', session.id, changes);
    return session;
  }

  /** Opens a session of a service account. The caller records the audit event. */
  openFor(
    manager: EntityManager,
    from: Pick<Call, 'ip'>,
    { serviceAccountId, seconds }: { readonly serviceAccountId: string; readonly seconds: number },
  ): Promise<Session> {
    return this.insert(manager, from, { userId: null, serviceAccountId }, { seconds });
  }

  /** The session of a person, if it has neither ended nor expired. */
  async findAlive(id: string): Promise<PersonSession | null> {
    if (!isUuid(id)) return null;
    const session = await this.sessions.findOneBy({
      id,
      userId: Not(IsNull()),
      revokedAt: IsNull(),
      expiresAt: MoreThan(new Date(this.clock.now().getTime() - TOLERANCE_SECONDS * 1000)),
    });
    return session as PersonSession | null;
  }

  list(userId: string, page: Page): Promise<[Session[], number]> {
    return this.listWhere({ userId }, page);
  }

  /** The sessions that a person opened for applications, newest first. */
  listOfApplications(userId: string, page: Page): Promise<[Session[], number]> {
    return this.listWhere({ userId, clientId: Not(FIRST_PARTY_CLIENT) }, page);
  }

  /** Ends a session of the caller. Throws 404 when it belongs to somebody else or has ended. */
  async revoke(call: Call, id: string): Promise<void> {
    const ended = isUuid(id) ? await this.end(call, sql`${hasId(id)} AND ${isOf(call.principal.id)}`) : [];
    if (ended.length === 0) throw new PlatformError('NotFound', `There is no session ${id}.`);
  }

  /** Ends any session, unless it has ended. */
  async close(call: Call, id: string): Promise<void> {
    await this.end(call, hasId(id));
  }

  /** Ends all sessions of the caller except the one of this call. */
  async revokeOthers(call: Call): Promise<void> {
    const { id: userId, sessionId } = call.principal;
    const others = sql`${isOf(userId)} AND id IS DISTINCT FROM ${param(sessionId ?? null, 'uuid')}`;
    await this.end(call, others);
  }

  /** Ends all sessions of a user, in the caller's transaction. */
  async revokeAll(manager: EntityManager, call: Call, userId: string): Promise<void> {
    await this.endIn(manager, call, isOf(userId));
  }

  /** Ends the sessions that a passkey began, in the caller's transaction. */
  async revokeOfPasskey(manager: EntityManager, call: Call, passkeyId: string): Promise<void> {
    await this.endIn(manager, call, sql`passkey_id = ${param(passkeyId, 'uuid')}`);
  }

  /** Stores the active organization in the session (spec rule 11). */
  async activateOrg(call: Call, orgSlug: string): Promise<void> {
    const id = call.principal.sessionId as string;
    await this.transactions.run(async manager => {
      await manager.update(Session, { id }, { activeOrgSlug: orgSlug });
      await this.record(manager, call, 'sessions.updated', id, { after: { activeOrgSlug: orgSlug } });
    });
  }

  /** Removes expired sessions. Returns their number. */
  removeExpired(signal?: AbortSignal): Promise<number> {
    const before = new Date(this.clock.now().getTime() - TOLERANCE_SECONDS * 1000);
    const expired = { entity: Session, time: 'expiresAt', before } as const;
    return this.pruning.remove({ ...expired, event: outlived('sessions') }, signal);
  }

  private listWhere(which: FindOptionsWhere<Session>, page: Page): Promise<[Session[], number]> {
    return this.sessions.findAndCount({
      where: { ...which, revokedAt: IsNull(), expiresAt: MoreThan(this.clock.now()) },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: offsetOf(page),
      take: page.limit,
    });
  }

  private async insert<O extends Pick<Session, 'userId' | 'serviceAccountId'>>(
    manager: EntityManager,
    { ip = null }: { readonly ip?: string | null | undefined },
    owner: O,
    {
      seconds = Number.POSITIVE_INFINITY,
      userAgent,
      clientId = FIRST_PARTY_CLIENT,
      activeOrgSlug,
      passkeyId,
    }: SessionDraft,
  ): Promise<Session & O> {
    const now = this.clock.now();
    const lifetime = Math.min(seconds, this.settings.ACCESS_TOKENS_MAX_AGE);
    const session = Object.assign(new Session(), {
      ...owner,
      id: newId(),
      clientId,
      activeOrgSlug: activeOrgSlug ?? null,
      ip,
      userAgent: userAgent?.slice(0, 500) ?? null,
      createdAt: now,
      lastUsedAt: now,
      // Whole seconds, so that the session and the `exp` of its JWT end at the same time.
      expiresAt: new Date((Math.floor(now.getTime() / 1000) + lifetime) * 1000),
      revokedAt: null,
      passkeyId: passkeyId ?? null,
    });
    await manager.insert(Session, session);
    return session;
  }

  private end(call: Call, which: Sql): Promise<string[]> {
    return this.transactions.run(manager => this.endIn(manager, call, which));
  }

  /** Two statements for any number of sessions. Rows are locked in the order of ids, so that two calls do not deadlock. */
  private async endIn(manager: EntityManager, call: Call, which: Sql): Promise<string[]> {
    const [ended]: [{ id: string }[]] = await execute(
      manager,
      sql`WITH alive AS MATERIALIZED (
          SELECT id FROM sessions WHERE ${which} AND revoked_at IS NULL ORDER BY id FOR UPDATE)
        UPDATE sessions SET revoked_at = ${param(this.clock.now(), 'timestamptz')} FROM alive
        WHERE sessions.id = alive.id RETURNING sessions.id`,
    );
    const ids = ended.map(({ id }) => id);
    await this.audit.recordEach(manager, call, undefined, {
      type: 'sessions.revoked',
      target: { type: 'session', ids },
    });
    return ids;
  }

  private record(
    manager: EntityManager,
    call: Call,
    type: string,
    id: string,
    changes?: { after: object },
  ): Promise<void> {
    return this.audit.record(manager, call, undefined, { type, target: { type: 'session', id }, changes });
  }
}

function hasId(id: string): Sql {
  return sql`id = ${param(id, 'uuid')}`;
}

function isOf(userId: string): Sql {
  return sql`user_id = ${param(userId, 'uuid')}`;
}
