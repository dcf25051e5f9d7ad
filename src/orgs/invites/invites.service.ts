import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Secrets } from '../../config/secrets.js';
import type { Call } from '../../kernel/call.js';
import { PlatformError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/id.js';
import { offsetOf, type Page } from '../../kernel/page.js';
import type { Membership } from '../../kernel/principal.js';
import { lockOrg } from '../org-lock.js';
import type { ResultList } from '../result-list.js';
import type { CreateInviteBody } from './invite.dto.js';
import { OrgInvite } from './invite.entity.js';
import { type CreatedInviteView, InviteView } from './invite.view.js';
import { inviteEvent } from './invite-event.js';
import { InviteMint } from './invite-mint.service.js';

/** The invitations of an organization. */
@Injectable()
export class Invites {
  constructor(
    @InjectRepository(OrgInvite) private readonly invites: Repository<OrgInvite>,
    private readonly inviteMint: InviteMint,
    private readonly secrets: Secrets,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first, those that are used up or expired too. */
  async list({ orgId }: Membership, page: Page): Promise<ResultList<InviteView>> {
    const [rows, total] = await this.invites.findAndCount({
      where: { orgId },
      order: { id: 'DESC' },
      skip: offsetOf(page),
      take: page.limit,
    });
    return { results: rows.map(InviteView.of), total };
  }

  create(call: Call, membership: Membership, body: CreateInviteBody): Promise<CreatedInviteView> {
    const { email = null, roleSlug, maxUses, expiresAt } = body;
    const draft = { email, roleSlug, maxUses, expiresAt: expiresAt ? new Date(expiresAt) : null };
    return this.invites.manager.transaction(async manager => {
      const { invite, code } = await this.inviteMint.mint(manager, call, membership, draft);
      return { ...InviteView.of(invite), code };
    });
  }

  /** By its code, or by its id, which is all that a list shows. Whoever joined stays. */
  revoke(call: Call, { orgId }: Membership, codeOrId: string): Promise<{ success: true }> {
    const named = isUuid(codeOrId) ? { id: codeOrId } : { codeHash: In(this.secrets.hashes(codeOrId)) };
    return this.invites.manager.transaction(async manager => {
      await lockOrg(manager, orgId, 'keep');
      const lock = { mode: 'pessimistic_write' } as const;
      const invite = await manager.findOne(OrgInvite, { where: { orgId, ...named }, lock });
      if (invite === null) throw new PlatformError('NotFound', 'There is no such invitation.');
      await manager.delete(OrgInvite, invite.id);
      await this.audit.record(manager, call, orgId, inviteEvent('revoked', invite));
      return { success: true };
    });
  }
}
