import type { AuditEntry } from '../audit/audit-event.js';
import type { Access } from '../collections/collection-access.js';
import { type BoundPrincipal, principalId } from './bound-principal.js';

interface Role {
  readonly role: string;
}

/** The event of a changed binding: about the collection, its changes naming whose role it was and is. */
export function accessEvent(
  act: 'granted' | 'updated' | 'revoked',
  { collection, membership }: Access,
  principal: BoundPrincipal,
  { before, after }: { before?: Role; after?: Role },
): AuditEntry {
  const whose = {
    principal_type: principal.principalType,
    principal_id: principalId(membership.orgSlug, principal),
  };
  return {
    type: `collections.access.${act}`,
    target: { type: 'collection', id: collection.id, name: collection.name },
    changes: {
      ...(before && { before: { ...whose, role: before.role } }),
      ...(after && { after: { ...whose, role: after.role } }),
    },
  };
}
