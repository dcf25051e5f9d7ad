import { joined, param, type Sql, sql } from '../../base/sql/index.js';
import { auditTable } from './audit-log.js';
import { narrowing } from './audit-trail.service.js';

/** Types of the events of writes that replace or insert records. */
export const RECORD_WRITES = [
  'inserted',
  'updated',
  'upserted',
  'deleted',
  'written',
  'undone',
  'restored',
].map(act => `collections.records.${act}`);

/** Which events of a collection to find: by their ids, by the id of their request, or those of a caller. */
export type EventSelection =
  | { readonly eventIds: readonly string[] }
  | { readonly correlationId: string }
  | { readonly actor: WriteActor; readonly since: Date; readonly until: Date | undefined };

export interface WriteActor {
  readonly type: string;
  readonly id: string;
}

/** A found event. */
export interface WriteEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: Date;
  readonly actor: WriteActor;
  readonly count: number | null;
}

/**
 * The selected events of a collection, oldest first: with `eventIds` those of every type, otherwise the writes of
 * records.
 */
export function selectedEvents(
  orgId: string,
  collectionId: string,
  selection: EventSelection,
  limit: number,
): Sql {
  return sql`SELECT id, type, created_at, actor, count FROM ${auditTable(orgId)}
    WHERE target->>'id' = ${param(collectionId, 'text')} AND ${joined(conditions(selection), ' AND ')}
    ORDER BY id LIMIT ${param(limit, 'bigint')}`;
}

function conditions(selection: EventSelection): Sql[] {
  if ('eventIds' in selection) return [sql`id = ANY(${param(selection.eventIds, 'uuid[]')})`];
  const isWrite = sql`type = ANY(${param(RECORD_WRITES, 'text[]')})`;
  if ('correlationId' in selection) return [isWrite, ...narrowing({ correlation: selection.correlationId })];
  const { actor, since, until } = selection;
  return [
    isWrite,
    sql`actor->>'type' = ${param(actor.type, 'text')}`,
    ...narrowing({ actor: actor.id, since, until }),
  ];
}
