import type { Settings } from '../../config/settings.js';
import { orgSchema } from '../org-schema.js';
import type { Queryable } from '../queryable.js';

/** Makes the schema of an organization's data, with `DATABASE_CITUS=on` as a whole on one of the nodes. */
export async function createOrgSchema(
  transaction: Queryable,
  orgId: string,
  { DATABASE_CITUS }: Pick<Settings, 'DATABASE_CITUS'>,
): Promise<void> {
  await transaction.query('SELECT create_org_schema($1)', [orgId]);
  if (DATABASE_CITUS === 'on') await placeOrg(transaction, orgId);
}

/**
 * Gives the schema of an organization to Citus, in the caller's transaction; whoever changes its collections waits. Its
 * tables lie on one node from then on, those of collections to come as well. Beside them its fences: copies of the versions
 * in `public.collections`, so that a read needs no other node.
 */
export async function placeOrg(transaction: Queryable, orgId: string): Promise<void> {
  const schema = orgSchema(orgId);
  await transaction.query('LOCK TABLE public.collections IN SHARE ROW EXCLUSIVE MODE');
  await transaction.query(`CREATE TABLE ${schema}.fences (id uuid PRIMARY KEY, version bigint NOT NULL)`);
  await transaction.query(
    `INSERT INTO ${schema}.fences SELECT id, version FROM public.collections WHERE org_id = $1`,
    [orgId],
  );
  // Changes are not kept there, and Citus would not give back a table that numbers its rows.
  await transaction.query(`ALTER TABLE ${schema}.record_changes ALTER seq DROP IDENTITY`);
  await transaction.query(`SELECT citus_schema_distribute('${schema}')`);
}

/** Takes the schema of an organization back from Citus, to the server of the platform's tables. */
export async function unplaceOrg(transaction: Queryable, orgId: string): Promise<void> {
  const schema = orgSchema(orgId);
  await transaction.query('LOCK TABLE public.collections IN SHARE ROW EXCLUSIVE MODE');
  await transaction.query(`SELECT citus_schema_undistribute('${schema}')`);
  await transaction.query(`DROP TABLE ${schema}.fences`);
  await transaction.query(`ALTER TABLE ${schema}.record_changes ALTER seq ADD GENERATED ALWAYS AS IDENTITY`);
}

/** Organizations that Citus has with all their tables, and the others: a table that a migration has made is not its own. */
export async function orgsByPlacement(
  queryable: Queryable,
): Promise<{ placed: string[]; unplaced: string[]; touched: string[] }> {
  const [row] = await queryable.query(`
    SELECT coalesce(array_agg(id) FILTER (WHERE is_known AND is_whole), '{}') AS placed,
      coalesce(array_agg(id) FILTER (WHERE NOT is_known OR NOT is_whole), '{}') AS unplaced,
      coalesce(array_agg(id) FILTER (WHERE is_known), '{}') AS touched
    FROM (
      SELECT o.id::text, d.schemaid IS NOT NULL AS is_known, NOT EXISTS (
        SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'r'
          AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)) AS is_whole
      FROM public.orgs o JOIN pg_namespace n ON n.nspname = 'org_' || replace(o.id::text, '-', '')
      LEFT JOIN pg_dist_schema d ON d.schemaid = n.oid) AS each`);
  return row;
}

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
