import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names that `create_org_schema` had before a migration added calls to it, with these calls. The first one stays. */
const CHAIN: readonly [before: string, ...calls: string[]][] = [
  ['create_org_records', 'create_org_idempotency'],
  ['create_org_before_changes', 'create_org_changes'],
  ['create_org_before_audit_chain', 'create_org_audit_chain'],
  ['create_org_before_quotas', 'create_org_quotas', 'replace_org_give_back'],
  ['create_org_before_audit_indexes', 'index_org_audit'],
  ['create_org_before_versions', 'create_org_versions'],
  ['create_org_before_undo', 'create_org_undo'],
  ['create_org_before_version_times', 'index_org_versions'],
  ['create_org_before_larger_leases', 'replace_org_lease'],
  ['create_org_before_claims', 'create_org_claims'],
  ['create_org_before_more_returns', 'replace_org_quota_lock'],
  ['create_org_before_change_notes', 'note_org_changes'],
];

/**
 * One function creates the schema of an organization, in place of a chain of functions that each call the one before. A
 * later migration replaces it, or adds a call by `extendOrgSchema`.
 */
export class CreateOrgSchemasAtOnce1795000041000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [[first], ...others] = CHAIN as [[string], ...string[][]];
    await runner.query(calling('create_org_schema', [first, ...CHAIN.flatMap(([, ...calls]) => calls)]));
    await runner.query(`DROP FUNCTION ${others.map(([before]) => before).join(', ')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [at, link] of CHAIN.entries())
      await runner.query(calling(CHAIN[at + 1]?.[0] ?? 'create_org_schema', link));
  }
}

/** A function that calls others with the id of an organization. */
function calling(name: string, calls: readonly string[]): string {
  return `CREATE OR REPLACE FUNCTION ${name}(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        ${calls.map(call => `PERFORM ${call}(org_id);`).join('\n        ')}
      END $$`;
}
