import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, inEveryOrg, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Adds to each audit log the hash chain that a job makes of its events, and signed statements about the head of
 * the chain. Transactions that write events do not touch these tables. The migration runs in batches, not in one
 * transaction, so every step can be repeated.
 */
export class CreateAuditChains1795000014000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS audit_keys (
        kid text PRIMARY KEY,
        sealed_private_jwk text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE OR REPLACE FUNCTION create_audit_chain(name text) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        -- No foreign key to the events: it would lock their rows. Of events older than settled_until, none is to come.
        EXECUTE format('CREATE TABLE %I.audit_chain (
          seq bigint PRIMARY KEY,
          event_id uuid NOT NULL UNIQUE,
          hash bytea NOT NULL,
          settled_until timestamptz NOT NULL)', name);
        EXECUTE format('CREATE TABLE %I.audit_checkpoints (
          created_at timestamptz PRIMARY KEY,
          seq bigint NOT NULL,
          hash bytea NOT NULL,
          pruned_seq bigint NOT NULL,
          kid text NOT NULL,
          signature bytea NOT NULL)', name);
      END $$;
      CREATE OR REPLACE FUNCTION create_org_audit_chain(org_id uuid) RETURNS void LANGUAGE sql AS $$
        SELECT public.create_audit_chain('org_' || replace(org_id::text, '-', ''))
      $$;

      DO $$ BEGIN
        IF to_regclass('public.audit_chain') IS NULL THEN
          PERFORM create_audit_chain('public');
        END IF;
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_before_audit_chain', 'create_org_audit_chain');
    await inEveryOrg(runner, 'create_org_audit_chain', { lacks: 'audit_chain' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_org_audit_chain(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('DROP TABLE %1$I.audit_chain, %1$I.audit_checkpoints', 'org_' || replace(org_id::text, '-', ''));
      END $$;
    `);
    await reduceOrgSchema(runner, 'create_org_before_audit_chain');
    await inEveryOrg(runner, 'drop_org_audit_chain', { has: 'audit_chain' });
    await runner.query(`
      DROP FUNCTION drop_org_audit_chain;
      DROP FUNCTION IF EXISTS create_org_audit_chain, create_audit_chain;
      DROP TABLE IF EXISTS audit_chain, audit_checkpoints, audit_keys;
    `);
  }
}
