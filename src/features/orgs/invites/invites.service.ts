import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { inBatches } from '../../../base/kernel/bounds/batches.js';
import { type Call, platformCall } from '../../../base/kernel/call.js';
import { Clock, DAY_MS } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { type Page, pageOfRows, type ResultList } from '../../../platform/http/list-page.js';
import type { Language } from '../../../platform/http/request-language.js';
import { MailOutbox } from '../../../platform/mail/mail-outbox.service.js';
import { lockOrg } from '../org-lock.js';
import { type CreatedInviteView, type CreateInviteBody, InviteView } from './invite.dto.js';
import { OrgInvite } from './invite.entity.js';
import { invitationMail } from './invite-mail.js';
import { InviteMint, inviteEvent } from './invite-mint.service.js';

/** The invitations of an organization. */
@Injectable()
export class Invites {
  constructor(
    @InjectRepository(OrgInvite) private readonly invites: Repository<OrgInvite>,
    private readonly transactions: Transactions,
    private readonly inviteMint: InviteMint,
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    private readonly audit: AuditLog,
    private readonly outbox: MailOutbox,
  ) {}

  /** Newest first, including used-up and expired ones. */
  async list({ orgId }: Membership, page: Page): Promise<ResultList<InviteView>> {
    return pageOfRows(this.invites, { where: { orgId }, order: { id: 'DESC' } }, page, InviteView.of);
  }

  /** An invitation for an address is mailed, in this language. */
  create(
    call: Call,
    membership: Membership,
    body: CreateInviteBody,
    language: Language,
  ): Promise<CreatedInviteView> {
    const { email = null, roleSlug, maxUses, expiresAt } = body;
    const draft = { email, roleSlug, maxUses, expiresAt: expiresAt ? new Date(expiresAt) : null };
    return this.transactions.run(async manager => {
      const { invite, code } = await this.inviteMint.mint(manager, call, membership, draft);
      const url = `${this.settings.PUBLIC_URL}/console/join?${new URLSearchParams({ code })}`;
      const { orgId, orgName } = membership;
      const mailed =
        email !== null &&
        (await this.outbox.add(
          manager,
          invitationMail({ to: email, orgId, orgName, url, hasCode: true }, language),
        ));
      return { ...InviteView.of(invite), code, url, ...(mailed && { mailed }) };
    });
  }

  /** Finds the invitation by its code or its id. Members who joined with it stay members. */
  revoke(call: Call, { orgId }: Membership, codeOrId: string): Promise<{ success: true }> {
    const named = isUuid(codeOrId) ? { id: codeOrId } : { codeHash: In(this.secrets.hashes(codeOrId)) };
    return this.transactions.run(async manager => {
      await lockOrg(manager, orgId, 'keep');
      const lock = { mode: 'pessimistic_write' } as const;
      const invite = await manager.findOne(OrgInvite, { where: { orgId, ...named }, lock });
      if (invite === null)
        throw new PlatformError('NotFound', 'The organization has no invitation with this code or id.');
      await manager.delete(OrgInvite, invite.id);
      await this.audit.record(manager, call, orgId, inviteEvent('revoked', invite));
      return { success: true };
    });
  }
}

/** An ended invitation stays in the list for this time, so that managers of members see who was invited. */
const KEPT_MS = 30 * DAY_MS;
/** Invitations that one transaction removes. */
const BATCH = 1_000;

/** Invitations that were used up or expired before `$1`. */
const ENDED = 'created_at <= $1 AND (uses = max_uses OR expires_at <= $1)';

/** Removes invitations that ended long ago. */
@Injectable()
export class EndedInvites {
  constructor(
    @InjectRepository(OrgInvite) private readonly invites: Repository<OrgInvite>,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Removes invitations that expired, or were created and used up, more than 30 days ago. Each batch has
   * an audit event.
   */
  async removeOld(signal: AbortSignal): Promise<number> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    const found: { org_id: string }[] = await this.invites.query(
      `SELECT DISTINCT org_id FROM org_invites WHERE ${ENDED}`,
      [before],
    );
    let total = 0;
    for (const { org_id } of found)
      total += await inBatches(BATCH, signal, () => this.removeOf(org_id, before));
    return total;
  }

  private removeOf(orgId: string, before: Date): Promise<number> {
    return this.transactions.run(async manager => {
      const [, count]: [unknown, number] = await manager.query(
        `DELETE FROM org_invites WHERE id = ANY (ARRAY(
           SELECT id FROM org_invites WHERE ${ENDED} AND org_id = $2 LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
        [before, orgId],
      );
      const event = { type: 'orgs.invites.removed', target: { type: 'invite', id: 'ended' }, count };
      if (count > 0) await this.audit.record(manager, platformCall('job'), orgId, event);
      return count;
    });
  }
}
