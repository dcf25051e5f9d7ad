import type { AuditEntry } from '../../audit/audit-event.js';
import type { OrgInvite } from './invite.entity.js';

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
