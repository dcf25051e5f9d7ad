import type { AuditEntry } from '../../platform/audit/audit-log.js';
import type { Collection } from './collection.entity.js';

/** The target of audit events about a collection. */
export function collectionTarget({ id, name }: Pick<Collection, 'id' | 'name'>): AuditEntry['target'] {
  return { type: 'collection', id, name };
}

/** An audit event about a collection. */
export function collectionEvent(
  type: string,
  collection: Pick<Collection, 'id' | 'name'>,
  details: Omit<AuditEntry, 'type' | 'target'> = {},
): AuditEntry {
  return { type, target: collectionTarget(collection), ...details };
}
