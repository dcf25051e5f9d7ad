import type { AuditEntry } from '../../audit/audit-event.js';
import type { OrgApiKey } from './org-api-key.entity.js';

export type ApiKeyAct = 'minted' | 'updated' | 'rotated' | 'revoked';

/** What the log says of an act on a key: never its secret nor a hash of it. */
export function apiKeyEvent(
  act: ApiKeyAct,
  after: OrgApiKey | undefined,
  before: OrgApiKey | undefined,
): AuditEntry {
  const key = (after ?? before) as OrgApiKey;
  return {
    type: key.collectionId === null ? `orgs.apikeys.${act}` : collectionEvent(act),
    target: { type: 'apikey', id: key.id, name: key.slug },
    changes: {
      ...(before && { before: loggable(before) }),
      ...(after && { after: loggable(after) }),
    },
  };
}

/** The collections contract calls the minting of a collection key its creation. */
function collectionEvent(act: ApiKeyAct): string {
  return `collections.apikeys.${act === 'minted' ? 'created' : act}`;
}

function loggable(key: OrgApiKey): object {
  const { name, permissions, scopes, expiresAt, disabled, ownerType, ownerId, ipAllowList, collectionId } =
    key;
  const { previousValidUntil } = key;
  return {
    ...{ name, permissions, scopes, expiresAt, previousValidUntil, disabled },
    ...{ ownerType, ownerId, ipAllowList, collectionId },
  };
}
