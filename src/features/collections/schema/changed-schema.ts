import type { Call } from '../../../base/kernel/call.js';
import { retiredColumns } from '../../../engine/storage/retired-columns.js';
import type { AuditLog } from '../../../platform/audit/audit-log.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import { Collection } from '../collection.entity.js';
import { collectionEvent } from '../collection-event.js';
import { mergeColumns, requireIndexable, requireUncovered } from './parse-schema.js';
import { columnChanges } from './schema.dto.js';

/** The collection with the columns that a request asks for. Throws 400 naming the column and the reason. */
export function changedCollection(before: Collection, properties: unknown, now: Date): Collection {
  const columns = mergeColumns(before.columns, properties);
  const after = Object.assign(new Collection(), before, {
    columns,
    retiredColumns: retiredColumns(before, { columns }),
    version: before.version + 1,
    updatedAt: now,
  });
  requireUncovered(before.columns, after.columns, after);
  requireIndexable(after.columns, after.indexes);
  return after;
}

/** Records the change in the caller's transaction. */
export function recordSchemaChange(
  audit: AuditLog,
  transaction: Queryable,
  call: Call,
  before: Collection,
  after: Collection,
): Promise<void> {
  const changed = columnChanges(before, after);
  const changes = {
    before: Object.fromEntries(changed.map(change => [change.column, change.before])),
    after: Object.fromEntries(changed.map(change => [change.column, change.after])),
  };
  const event = collectionEvent('collections.schema.updated', after, { changes });
  return audit.record(transaction, call, after.orgId, event);
}
