import type { AuditEntry } from '../audit/audit-log.js';
import type { Collection } from './collection.entity.js';

/** An audit event about a collection. */
export function collectionEvent(
  type: string,
  { id, name }: Pick<Collection, 'id' | 'name'>,
  details: Omit<AuditEntry, 'type' | 'target'> = {},
): AuditEntry {
  return { type, target: { type: 'collection', id, name }, ...details };
}
