import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditEntry } from '../../audit/audit-event.js';
import { AuditLog } from '../../audit/audit-log.js';
import { Secrets } from '../../config/secrets.js';
import type { Call } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { newId } from '../../kernel/id.js';
import type { Membership } from '../../kernel/principal.js';
import { isUniqueViolation } from '../../kernel/sql-state.js';
import { assertMayGroup } from '../granting.js';
import { lockOrg } from '../org-lock.js';
import { Roles } from '../roles/roles.service.js';
import { EMAIL } from './invite.dto.js';
import { OrgInvite } from './invite.entity.js';

/** An invitation to be. */
type InviteDraft = Pick<OrgInvite, 'email' | 'roleSlug'> &
  Partial<Pick<OrgInvite, 'userId' | 'groups' | 'maxUses' | 'expiresAt'>>;

/** Makes invitations in the caller's transaction. Nobody invites into a role or group that they could not give. */
@Injectable()
export class InviteMint {
  constructor(
    private readonly roles: Roles,
    private readonly audit: AuditLog,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** With a code, to be shown once; it is nowhere else. 409 when the e-mail address is invited already. */
  async mint(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    draft: InviteDraft,
  ): Promise<{ invite: OrgInvite; code: string }> {
    const code = `inv_${randomBytes(32).toString('base64url')}`;
    const invite = await this.insert(manager, call, membership, draft, this.secrets.hash(code));
    return { invite, code };
  }

  /** Without a code: the user, or somebody who has proven the e-mail address, accepts it. */
  async expect(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    draft: InviteDraft,
  ): Promise<OrgInvite> {
    if (draft.email !== null && !EMAIL.test(draft.email)) {
      throw invalid(`users: ${draft.email} is not an e-mail address.`);
    }
    return this.insert(manager, call, membership, draft, null);
  }

  private async insert(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    draft: InviteDraft,
    codeHash: string | null,
  ): Promise<OrgInvite> {
    const { orgId } = membership;
    const invite = this.newInvite(call, orgId, draft, codeHash);
    await lockOrg(manager, orgId, 'change');
    await this.roles.grantable(manager, call, membership, invite.roleSlug);
    await assertMayGroup(manager, call, membership, invite.groups);
    await this.makeRoom(manager, invite);
    await manager.insert(OrgInvite, invite).catch(error => {
      if (!isUniqueViolation(error)) throw error;
      throw new PlatformError(
        'AlreadyExists',
        `${invite.email ?? invite.userId} is invited already: revoke that invitation first.`,
      );
    });
    await this.audit.record(manager, call, orgId, inviteEvent('created', invite));
    return invite;
  }

  /** An expired invitation does not stand in the way of a new one. Members need none: 409. */
  private async makeRoom(
    manager: EntityManager,
    { orgId, email, userId, createdAt }: OrgInvite,
  ): Promise<void> {
    if (email === null && userId === null) return;
    await manager.query(
      `DELETE FROM org_invites
       WHERE org_id = $1 AND (lower(email) = lower($2) OR user_id = $3) AND uses = 0 AND expires_at <= $4`,
      [orgId, email, userId, createdAt],
    );
    const members = await manager.query(
      `SELECT 1 FROM org_memberships m JOIN users u ON u.id = m.user_id
       WHERE m.org_id = $1 AND (lower(u.email) = lower($2) OR u.id = $3)`,
      [orgId, email, userId],
    );
    if (members.length > 0)
      throw new PlatformError('AlreadyExists', `${email ?? userId} is a member already.`);
  }

  private newInvite(
    { principal }: Call,
    orgId: string,
    { email, userId = null, roleSlug, groups = [], maxUses = 1, expiresAt = null }: InviteDraft,
    codeHash: string | null,
  ): OrgInvite {
    const now = this.clock.now();
    if (email !== null && maxUses > 1)
      throw invalid('maxUses: an invitation for one e-mail address is used once.');
    if (expiresAt !== null && expiresAt <= now)
      throw invalid('expiresAt: the invitation would be expired already.');
    return Object.assign(new OrgInvite(), {
      ...{ id: newId(), orgId, codeHash, email, userId, roleSlug, groups, maxUses, uses: 0, expiresAt },
      invitedBy: principal.type === 'user' ? principal.id : null,
      createdAt: now,
    });
  }
}

/** What the log says of an act on an invitation: never its code nor a hash of it. */
export function inviteEvent(
  act: 'created' | 'accepted' | 'declined' | 'revoked',
  invite: OrgInvite,
): AuditEntry {
  const { id, email, userId, roleSlug, groups, maxUses, uses, expiresAt } = invite;
  const state = { email, userId, roleSlug, groups, maxUses, uses, expiresAt };
  return {
    type: `orgs.invites.${act}`,
    target: { type: 'invite', id },
    changes: act === 'revoked' || act === 'declined' ? { before: state } : { after: state },
  };
}
