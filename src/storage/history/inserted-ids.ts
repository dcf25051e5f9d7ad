import { orgTable } from '../../database/org-schema.js';
import { Cte, param, type Sql, sql } from '../../sql/index.js';
import type { CollectionShape } from '../collection-shape.js';
import type { WriteParts } from '../statement.js';

/** Records of an event whose ids are stored. An event with more records cannot be undone. */
export const MOST_UNDONE = 100_000;

/** The ids of records that events inserted, where the audit event does not name all of them. */
export function insertedIdsTable(orgId: string): Sql {
  return orgTable(orgId, 'inserted_ids');
}

/** Stores the ids (`_id`) of the records in `inserted`, of which there are at most MOST_UNDONE. */
export function keepInsertedIds({ id, orgId }: CollectionShape, eventId: string, inserted: Sql): Sql {
  return sql`INSERT INTO ${insertedIdsTable(orgId)} (collection_id, event_id, record_ids)
    SELECT ${param(id, 'uuid')}, ${param(eventId, 'uuid')}, array_agg(_id) FROM ${inserted} HAVING count(*) > 0`;
}

/** The CTE of a write that stores the ids of the records in `inserted`, if it has to. */
export function keptIdsCtes(
  shape: CollectionShape,
  { keepsIds, eventId }: Pick<WriteParts, 'keepsIds' | 'eventId'>,
  inserted: Cte,
): Cte[] {
  return keepsIds && typeof eventId === 'string'
    ? [new Cte('kept_ids', keepInsertedIds(shape, eventId, inserted))]
    : [];
}

/** Removes ids of an organization that no undo needs any more. */
export function pruneInsertedIds(orgId: string): Sql {
  return sql`
    DELETE FROM ${insertedIdsTable(orgId)} i WHERE NOT EXISTS (
      SELECT FROM public.collections c WHERE c.id = i.collection_id AND c.history_since IS NOT NULL
        AND i.inserted_at > now() - make_interval(days => (c.settings ->> 'history_days')::int))`;
}
