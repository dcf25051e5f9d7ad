import { execute, type Queryable } from '../../database/queryable.js';
import { literal, param, sql } from '../../sql/index.js';
import type { TableServer } from '../table-server.js';
import { versionsTable } from './versions.js';

/** Pages of the table that a measurement reads, of 8 kB each. */
const SAMPLED_PAGES = 2_000;

/**
 * Measures the space of each history of an organization, with indexes and free space, and stores it in the metadata of
 * the collections. `server` has the tables of the organization. The space of the table is divided by the share of each collection in a sample of the rows.
 */
export async function measureVersions(
  connection: Queryable,
  server: TableServer,
  orgId: string,
): Promise<void> {
  const table = versionsTable(orgId);
  const name = server.nameOf(table);
  const [{ pages }] = await execute(
    server,
    sql`SELECT pg_relation_size(${name}::regclass) / 8192.0 AS pages`,
  );
  const percent = Math.min(100, (100 * SAMPLED_PAGES) / Math.max(1, Number(pages)));
  const measured: object[] = await execute(
    server,
    sql`
    WITH sampled AS (
      SELECT collection_id AS id, sum(pg_column_size(v.*))::float8 AS bytes
      FROM ${table} v TABLESAMPLE SYSTEM (${literal(percent)}) GROUP BY collection_id)
    SELECT id, round(pg_total_relation_size(${name}::regclass) * bytes / sum(bytes) OVER ())::float8 AS bytes FROM sampled`,
  );
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
