import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { unlessTaken } from '../../../base/kernel/sql-state.js';
import { type AuditEntry, AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Capacity } from '../../../platform/database/capacity.js';
import { assertMayGroup } from '../granting.js';
import { grantorOf } from '../grantor.js';
import { ADDRESS_COUNTS } from '../members/membership.entity.js';
import { lockOrg } from '../org-lock.js';
import { Roles } from '../roles/roles.service.js';
import { EMAIL } from './invite.dto.js';
import { OrgInvite } from './invite.entity.js';

/** What the caller chooses of a new invitation. */
type InviteDraft = Pick<OrgInvite, 'email' | 'roleSlug'> &
  Partial<Pick<OrgInvite, 'userId' | 'groups' | 'maxUses' | 'expiresAt'>>;

/**
 * Creates invitations in the caller's transaction. Nobody can invite into a role or group that they could not grant.
 */
@Injectable()
export class InviteMint {
  constructor(
    private readonly roles: Roles,
    private readonly audit: AuditLog,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
  ) {}

  /** Creates an invitation with a code, which is not stored. 409 when the e-mail address is already invited. */
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

  /** Creates an invitation without a code. The user, or the owner of the verified e-mail address, accepts it. */
  async mintWithoutCode(
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
    const invite = this.newInvite(call, membership, draft, codeHash);
    await lockOrg(manager, orgId, 'change');
    await this.capacity.assertRoom(manager, 'org_invites', orgId);
    await this.roles.grantableRole(manager, call, membership, invite.roleSlug);
    await assertMayGroup(manager, call, membership, invite.groups);
    await this.assertInvitable(manager, invite);
    await unlessTaken(
      manager.insert(OrgInvite, invite),
      `${invite.email ?? invite.userId} is already invited. Revoke that invitation first.`,
    );
    await this.audit.record(manager, call, orgId, inviteEvent('created', invite));
    return invite;
  }

  /** Deletes an expired invitation of the same person. 409 for a person who is already a member. */
  private async assertInvitable(
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
       WHERE m.org_id = $1 AND ((lower(u.email) = lower($2) AND ${ADDRESS_COUNTS}) OR u.id = $3)`,
      [orgId, email, userId],
    );
    if (members.length > 0)
      throw new PlatformError('AlreadyExists', `${email ?? userId} is already a member.`);
  }

  private newInvite(
    { principal }: Call,
    membership: Membership,
    { email, userId = null, roleSlug, groups = [], maxUses = 1, expiresAt = null }: InviteDraft,
    codeHash: string | null,
  ): OrgInvite {
    const now = this.clock.now();
    if (email !== null && maxUses > 1)
      throw invalid('maxUses: expects 1 for an invitation with an e-mail address.');
    if (expiresAt !== null && expiresAt <= now) throw invalid('expiresAt: expects a time in the future.');
    const { person: invitedBy, ...grantor } = grantorOf(principal, membership);
    const { orgId } = membership;
    return Object.assign(new OrgInvite(), {
      id: newId(),
      orgId,
      codeHash,
      email,
      userId,
      roleSlug,
      groups,
      maxUses,
      uses: 0,
      expiresAt,
      invitedBy,
      ...grantor,
      createdAt: now,
    });
  }
}

/** The audit event of a change of an invitation. It never contains the code or its hash. */
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
