import { Cte, param, type Sql, sql } from '../../../base/sql/index.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { CollectionShape } from '../collection-shape.js';
import { COLLECTIONS, type WriteParts } from '../statement.js';
import type { TableServer } from '../table-server.js';

/** Records of an event whose ids are stored. An event with more records cannot be undone. */
export const MAX_UNDONE = 100_000;

/** The ids of records that events inserted, where the audit event does not name all of them. */
export function insertedIdsTable(orgId: string): Sql {
  return orgTable(orgId, 'inserted_ids');
}

/** Stores the ids (`_id`) of the records in `inserted`, of which there are at most MAX_UNDONE. */
export function keepInsertedIds({ id, orgId }: CollectionShape, eventId: string, inserted: Sql): Sql {
  return sql`INSERT INTO ${insertedIdsTable(orgId)} (collection_id, event_id, record_ids, inserted_at)
    SELECT ${param(id, 'uuid')}, ${param(eventId, 'uuid')}, array_agg(_id), statement_timestamp() FROM ${inserted} HAVING count(*) > 0`;
}

/** The CTE of a write that stores the ids of the records in `inserted`, if it has to. */
export function keptIdsCtes(
  shape: CollectionShape,
  { keepsIds, eventId }: Pick<WriteParts, 'keepsIds' | 'eventId'>,
  inserted: Cte,
): Cte[] {
  return keepsIds && eventId !== undefined
    ? [new Cte('kept_ids', keepInsertedIds(shape, eventId, inserted))]
    : [];
}

/** Removes ids of an organization that no undo needs any more. `server` has the tables of the organization. */
export async function pruneInsertedIds(
  connection: Queryable,
  server: TableServer,
  orgId: string,
): Promise<void> {
  const table = insertedIdsTable(orgId);
  const stored: { id: string }[] = await execute(
    server,
    sql`SELECT DISTINCT collection_id::text AS id FROM ${table}`,
  );
  if (stored.length === 0) return;
  const ids = stored.map(({ id }) => id);
  const collections: object[] = await execute(
    connection,
    sql`SELECT c.id, c.version, CASE WHEN c.history_since IS NOT NULL THEN (c.settings ->> 'history_days')::int END AS days
      FROM ${COLLECTIONS} c WHERE c.id = ANY(${param(ids, 'uuid[]')})`,
  );
  // A collection that has changed since is left out: its history may be on again, with new ids.
  await execute(
    server,
    sql`DELETE FROM ${table} i WHERE i.collection_id = ANY(${param(ids, 'uuid[]')}) AND NOT EXISTS (
      SELECT FROM jsonb_to_recordset(${param(JSON.stringify(collections), 'jsonb')}) AS c(id uuid, version bigint, days int)
      WHERE c.id = i.collection_id AND (i.inserted_at > now() - make_interval(days => c.days)
        OR NOT EXISTS (SELECT FROM ${COLLECTIONS} p WHERE p.id = c.id AND p.version = c.version)))`,
  );
}
