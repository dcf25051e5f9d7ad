import { literal, param, type Sql, sql } from '../../../base/sql/index.js';
import { historyTable, orgSchema } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { TableServer } from '../table-server.js';
import type { Table } from '../table-sql.js';

/** The space of a history in bytes, with indexes and free space; 0 without versions. */
interface Measured {
  /** Of the collection. */
  readonly id: string;
  readonly bytes: number;
}

/** Measures the histories of an organization, also those of collections in the trash. `server` has its tables. */
export function measureVersions(server: TableServer, orgId: string): Promise<Measured[]> {
  // With Citus, the table of a node has the number of its shard after the name.
  return execute(
    server,
    sql`
    SELECT substr(c.relname, 3, 32)::uuid::text AS id,
      CASE WHEN pg_relation_size(c.oid) = 0 THEN 0 ELSE pg_total_relation_size(c.oid) END::float8 AS bytes
    FROM pg_class c
    WHERE c.relnamespace = to_regnamespace(${param(orgSchema(orgId), 'text')}) AND c.relkind = 'r'
      AND c.relname ~ '^h_[0-9a-f]{32}(_[0-9]+)?$'`,
  );
}

/** SQL that is true when the history of a collection, which is there, has another size than `bytes`. */
export function hasOtherSize({ id, orgId }: Table, bytes: number): Sql {
  const name = literal(`${orgSchema(orgId)}.${historyTable(id)}`);
  return sql`${literal(bytes)} <> (
    SELECT CASE WHEN pg_relation_size(h) = 0 THEN 0 ELSE pg_total_relation_size(h) END FROM to_regclass(${name}) h)`;
}

/** Stores the measured space in the metadata of the collections. */
export async function storeMeasured(
  connection: Queryable,
  orgId: string,
  measured: readonly Measured[],
): Promise<void> {
  await execute(
    connection,
    sql`
    WITH measured AS (
      SELECT id, bytes FROM jsonb_to_recordset(${param(JSON.stringify(measured), 'jsonb')}) AS m(id uuid, bytes bigint))
    UPDATE public.collections c SET history_bytes = coalesce(m.bytes, 0)
    FROM public.collections o LEFT JOIN measured m ON m.id = o.id
    WHERE o.org_id = ${param(orgId, 'uuid')} AND c.id = o.id AND c.history_bytes <> coalesce(m.bytes, 0)`,
  );
}
