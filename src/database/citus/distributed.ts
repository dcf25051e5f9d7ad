import { orgSchema } from '../org-schema.js';
import type { Queryable } from '../queryable.js';

/** True where the extension is in the database, used or not. */
export async function hasCitus(queryable: Queryable): Promise<boolean> {
  const [{ found }] = await queryable.query(
    `SELECT to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL AS found`,
  );
  return found;
}

/** True for an organization whose data is on a node of Citus. */
export async function isPlaced(queryable: Queryable, orgId: string): Promise<boolean> {
  const [{ found }] = await queryable.query(
    `SELECT to_regclass('${orgSchema(orgId)}.fences') IS NOT NULL AS found`,
  );
  return found;
}
