import type { AuditEntry } from '../../audit/audit-event.js';
import type { OrgInvite } from './invite.entity.js';

/** What the log says of an act on an invitation: never its code nor a hash of it. */
export function inviteEvent(act: 'created' | 'accepted' | 'revoked', invite: OrgInvite): AuditEntry {
  const { id, email, roleSlug, groups, maxUses, uses, expiresAt } = invite;
  const state = { email, roleSlug, groups, maxUses, uses, expiresAt };
  return {
    type: `orgs.invites.${act}`,
    target: { type: 'invite', id },
    changes: act === 'revoked' ? { before: state } : { after: state },
  };
}
