import type { AuditEntry } from '../audit/audit-event.js';
import { eventCte } from '../audit/event-cte.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Call } from '../kernel/call.js';
import type { EventSql } from '../storage/statement.js';

type RecordEventType = `collections.records.${'inserted' | 'updated' | 'upserted' | 'deleted'}`;

/** What is written about records of a collection: who does it, and what it is called. */
export interface RecordAct {
  readonly call: Call;
  readonly type: RecordEventType;
}

/** The event of a write to records of a collection; count and ids are filled in by whoever counts them. */
export function recordEntry({ id, name }: Collection, { type }: RecordAct): AuditEntry {
  return { type, target: { type: 'collection', id, name } };
}

/** The same as a part of the write's own statement. */
export function recordEvent(collection: Collection, act: RecordAct): EventSql {
  return (written, add) => eventCte(act.call, collection.orgId, recordEntry(collection, act), written, add);
}
