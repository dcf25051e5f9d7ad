import { OrgSchemas, orgSchema, orgSchemaOf } from '../org-schema.js';
import type { Queryable } from '../queryable.js';

/** Places each schema on one of the nodes. */
export class NodeSchemas extends OrgSchemas {
  override async create(transaction: Queryable, orgId: string): Promise<void> {
    await super.create(transaction, orgId);
    await placeOrg(transaction, orgId);
  }
}

/**
 * Distributes the schema of an organization in the caller's transaction; changes of collections wait until it ends.
 * From then on all tables of the schema, including those created later, are on one node. The schema's table `fences`
 * has copies of the versions in `public.collections`, so that the version check of a read needs no other node.
 */
export async function placeOrg(transaction: Queryable, orgId: string): Promise<void> {
  const schema = orgSchema(orgId);
  await transaction.query('LOCK TABLE public.collections IN SHARE ROW EXCLUSIVE MODE');
  await transaction.query(`CREATE TABLE ${schema}.fences (id uuid PRIMARY KEY, version bigint NOT NULL)`);
  await transaction.query(
    `INSERT INTO ${schema}.fences SELECT id, version FROM public.collections WHERE org_id = $1`,
    [orgId],
  );
  // For instances of version 1.0.0, which do not run beside this one with Citus.
  await transaction.query(`DROP VIEW IF EXISTS ${schema}.record_slots`);
  await transaction.query(`DROP TRIGGER IF EXISTS slots_granted ON ${schema}.record_quotas`);
  // There are no change feeds with Citus, which can distribute no table with a trigger and undistribute none with an
  // identity column.
  await transaction.query(`DROP TRIGGER note_changes ON ${schema}.record_changes`);
  await transaction.query(`ALTER TABLE ${schema}.record_changes ALTER seq DROP IDENTITY`);
  await transaction.query(`SELECT citus_schema_distribute('${schema}')`);
}

/** Moves the schema of an organization back to the coordinator. */
export async function unplaceOrg(transaction: Queryable, orgId: string): Promise<void> {
  const schema = orgSchema(orgId);
  await transaction.query('LOCK TABLE public.collections IN SHARE ROW EXCLUSIVE MODE');
  await transaction.query(`SELECT citus_schema_undistribute('${schema}')`);
  await transaction.query(`DROP TABLE ${schema}.fences`);
  await transaction.query(`ALTER TABLE ${schema}.record_changes ALTER seq ADD GENERATED ALWAYS AS IDENTITY`);
  await transaction.query('SELECT note_org_changes($1)', [orgId]);
}

/** Organizations with all tables on Citus, and the others: a table that a migration created may not be on Citus yet. */
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
      FROM public.orgs o JOIN pg_namespace n ON n.nspname = ${orgSchemaOf('o.id')}
      LEFT JOIN pg_dist_schema d ON d.schemaid = n.oid
      WHERE o.deleted_at IS NULL) AS each`);
  return row;
}

/** True when the database has the extension, used or not. */
export async function hasCitus(queryable: Queryable): Promise<boolean> {
  const [{ found }] = await queryable.query(
    `SELECT to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL AS found`,
  );
  return found;
}
