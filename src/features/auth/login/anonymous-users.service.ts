import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Repository } from 'typeorm';
import { type Call, callOfUser } from '../../../base/kernel/call.js';
import { Clock, DAY_MS } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Settings } from '../../../platform/config/settings.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { User } from '../../identity/identity.entity.js';
import { outlived, Pruning } from '../../identity/pruning.js';
import { Users } from '../../identity/users.service.js';
import { Memberships } from '../../orgs/members/memberships.service.js';
import { Org } from '../../orgs/org.entity.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';
import type { AnonymousLoginView, LogInAnonymouslyBody } from './login.dto.js';

/** The request of an anonymous login, for its audit events and its session. */
export interface LoginOrigin extends Omit<Call, 'principal'> {
  readonly userAgent: string | undefined;
}

/** Anonymous users. A login creates one. It is removed after ANONYMOUS_MAX_IDLE_DAYS without use. */
@Injectable()
export class AnonymousUsers {
  constructor(
    @InjectRepository(Org) private readonly orgs: Repository<Org>,
    private readonly transactions: Transactions,
    private readonly users: Users,
    private readonly memberships: Memberships,
    private readonly sessions: Sessions,
    private readonly jwts: SessionJwts,
    private readonly pruning: Pruning,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  async logIn(from: LoginOrigin, body: LogInAnonymouslyBody): Promise<AnonymousLoginView> {
    const session = await this.open(from, body);
    const { token, expires } = await this.jwts.mint(session);
    return { userId: session.userId, sessionId: session.id, token, expires: expires.toISOString() };
  }

  /** Creates a user, its session and, if asked for, its membership, in one transaction. */
  async open(
    { userAgent, ...request }: LoginOrigin,
    { expiresAfter, orgSlug }: LogInAnonymouslyBody,
  ): Promise<PersonSession> {
    const most = this.settings.ACCESS_TOKENS_MAX_AGE;
    if (expiresAfter !== undefined && expiresAfter > most) {
      throw invalid(`expiresAfter: expects a whole number from 60 to ${most}`);
    }
    return this.transactions.run(async (manager): Promise<PersonSession> => {
      const lastSeenAt = this.clock.now();
      const user = await this.users.create(manager, { anonymous: true, lastSeenAt });
      const call = callOfUser(user, request);
      const target = { type: 'user', id: user.id };
      await this.audit.record(manager, call, undefined, { type: 'users.created', target });
      if (orgSlug !== undefined) await this.join(manager, call, orgSlug);
      return this.sessions.open(manager, call, { userId: user.id, seconds: expiresAfter, userAgent });
    });
  }

  /** True if anonymous users may join the organization. False also for an unknown slug. */
  async areAdmittedBy(orgSlug: string): Promise<boolean> {
    const org = await this.orgs.findOneBy({ slug: orgSlug, deletedAt: IsNull() });
    return org?.auth.anonymous?.enabled === true;
  }

  /** Removes anonymous users that were not used for ANONYMOUS_MAX_IDLE_DAYS. Returns their number. */
  removeIdle(signal?: AbortSignal): Promise<number> {
    const before = new Date(this.clock.now().getTime() - this.settings.ANONYMOUS_MAX_IDLE_DAYS * DAY_MS);
    const idle = { entity: User, which: { anonymous: true }, time: 'lastSeenAt', before } as const;
    return this.pruning.remove({ ...idle, event: outlived('users') }, signal);
  }

  private async join(manager: EntityManager, call: Call, orgSlug: string): Promise<void> {
    const org = await manager.findOneBy(Org, { slug: orgSlug, deletedAt: IsNull() });
    if (org === null) throw new PlatformError('NotFound', `There is no organization ${orgSlug}.`);
    const { anonymous } = org.auth;
    if (anonymous?.enabled !== true) {
      throw new PlatformError('Forbidden', 'The organization has not enabled anonymous login.');
    }
    const userId = call.principal.id;
    await this.memberships.join(manager, call, {
      orgId: org.id,
      userId,
      roleSlug: anonymous.role,
      via: 'anonymous',
    });
  }
}
