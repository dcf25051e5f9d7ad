import { orgSchema } from '../../../platform/database/org-schema.js';
import type { Queryable } from '../../../platform/database/queryable.js';

/**
 * The shards of some tables of an organization, by the names of the tables. Each table is one shard, which is on the node
 * of the organization. A shard keeps its name until the table is renamed or the organization leaves Citus.
 */
export async function shardsOf(
  connection: Queryable,
  orgId: string,
  tables: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows: { name: string; shard: string }[] = await connection.query(
    `SELECT c.relname AS name, c.relname || '_' || s.shardid AS shard
     FROM pg_class c JOIN pg_dist_shard s ON s.logicalrelid = c.oid
     WHERE c.relnamespace = to_regnamespace($1) AND c.relname = ANY ($2)`,
    [orgSchema(orgId), tables],
  );
  return new Map(rows.map(({ name, shard }) => [name, shard]));
}
