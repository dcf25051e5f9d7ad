import type { MigrationInterface, QueryRunner } from 'typeorm';

/** E-mail domains that an organization has proved to own by a DNS TXT record. */
export class CreateOrgDomains1795000026200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE org_domains (
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        domain text NOT NULL,
        token text NOT NULL,
        created_at timestamptz NOT NULL,
        verified_at timestamptz,
        checked_at timestamptz,
        missed integer NOT NULL DEFAULT 0,
        PRIMARY KEY (org_id, domain)
      );
      -- Any number of organizations may claim a domain, but one at most has proven it.
      CREATE UNIQUE INDEX org_domains_verified ON org_domains (domain) WHERE verified_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE org_domains');
  }
}
