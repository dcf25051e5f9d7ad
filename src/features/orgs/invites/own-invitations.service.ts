import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { offsetOf, type Page, type ResultList } from '../../../platform/http/list-page.js';
import { lockOrg } from '../org-lock.js';
import type { OwnInvitationView } from './invite.dto.js';
import { OrgInvite } from './invite.entity.js';
import { inviteEvent } from './invite-mint.service.js';

/** The invitations for user `$1` or their verified e-mail address that are open at the time `$2`. */
const OWN = `
  FROM users u
  JOIN org_invites i ON i.user_id = u.id OR (u.email_verified AND lower(i.email) = lower(u.email))
  JOIN orgs o ON o.id = i.org_id AND o.deleted_at IS NULL
  WHERE u.id = $1 AND NOT u.anonymous AND i.uses = 0 AND (i.expires_at IS NULL OR i.expires_at > $2)`;

/** The same 404 for every invitation that the caller cannot use. */
export function inviteNotFound(): PlatformError {
  return new PlatformError(
    'NotFound',
    'The invitation is unknown, revoked, expired or used up, or is for another person.',
  );
}

/** The invitations that the caller may accept or decline. */
@Injectable()
export class OwnInvitations {
  constructor(
    @InjectRepository(OrgInvite) private readonly invites: Repository<OrgInvite>,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first, without those of organizations where the caller is already a member. */
  async list({ principal }: Call, page: Page): Promise<ResultList<OwnInvitationView>> {
    const open = `${OWN} AND NOT EXISTS (
      SELECT 1 FROM org_memberships m WHERE m.org_id = i.org_id AND m.user_id = u.id)`;
    const values = [principal.id, this.clock.now()];
    const [{ total }] = await this.invites.query(`SELECT count(*)::int AS total ${open}`, values);
    const results = await this.invites.query(
      `SELECT i.id, o.slug AS "orgSlug", o.name AS "orgName", i.role_slug AS "roleSlug", i.groups,
         i.expires_at AS "expiresAt", i.created_at AS "createdAt"
       ${open} ORDER BY i.id DESC LIMIT $3 OFFSET $4`,
      [...values, page.limit, offsetOf(page)],
    );
    return { results, total };
  }

  /** The invitation; undefined when the caller may not use it. */
  async find(
    { principal }: Call,
    id: string,
    manager: EntityManager = this.invites.manager,
  ): Promise<OrgInvite | undefined> {
    if (!isUuid(id)) return undefined;
    const [found]: { id: string }[] = await manager.query(`SELECT i.id ${OWN} AND i.id = $3`, [
      principal.id,
      this.clock.now(),
      id,
    ]);
    return found && ((await manager.findOneBy(OrgInvite, { id })) ?? undefined);
  }

  decline(call: Call, id: string): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      const invite = await this.find(call, id, manager);
      if (invite === undefined) throw inviteNotFound();
      await lockOrg(manager, invite.orgId, 'change');
      const { affected } = await manager.delete(OrgInvite, { id, uses: 0 });
      if (affected !== 1) throw inviteNotFound();
      await this.audit.record(manager, call, invite.orgId, inviteEvent('declined', invite));
      return { success: true };
    });
  }
}
