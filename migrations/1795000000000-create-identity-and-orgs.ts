import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdentityAndOrgs1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE users (
        id uuid PRIMARY KEY,
        email text,
        email_verified boolean NOT NULL DEFAULT false,
        first_name text,
        last_name text,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        anonymous boolean NOT NULL DEFAULT false,
        last_seen_at timestamptz NOT NULL DEFAULT now(),
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX users_email_key ON users (lower(email));

      CREATE TABLE orgs (
        id uuid PRIMARY KEY,
        slug text NOT NULL UNIQUE,
        name text NOT NULL,
        settings jsonb NOT NULL DEFAULT '{}',
        subscription jsonb NOT NULL DEFAULT '{}',
        default_role text NOT NULL DEFAULT 'member',
        join_rules jsonb NOT NULL DEFAULT '[]',
        auth jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        deleted_at timestamptz
      );

      CREATE TABLE agents (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        slug text NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (org_id, slug)
      );

      CREATE TABLE org_roles (
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        slug text NOT NULL,
        name text NOT NULL,
        permissions text[] NOT NULL DEFAULT '{}',
        scopes text[] NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (org_id, slug)
      );

      CREATE TABLE org_memberships (
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        role_slug text NOT NULL,
        joined_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, user_id)
      );
      CREATE INDEX org_memberships_user ON org_memberships (user_id, joined_at);

      CREATE TABLE org_groups (
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        slug text NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (org_id, slug)
      );

      CREATE TABLE org_group_members (
        org_id uuid NOT NULL,
        group_slug text NOT NULL,
        user_id uuid NOT NULL,
        PRIMARY KEY (org_id, group_slug, user_id),
        FOREIGN KEY (org_id, group_slug) REFERENCES org_groups ON DELETE CASCADE,
        FOREIGN KEY (org_id, user_id) REFERENCES org_memberships ON DELETE CASCADE
      );

      CREATE TABLE org_api_keys (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        slug text NOT NULL,
        name text NOT NULL,
        permissions text[] NOT NULL DEFAULT '{}',
        scopes text[] NOT NULL DEFAULT '{}',
        secret_hash text NOT NULL UNIQUE,
        prefix text NOT NULL,
        previous_secret_hash text UNIQUE,
        previous_valid_until timestamptz,
        expires_at timestamptz,
        disabled boolean NOT NULL DEFAULT false,
        owner_type text CHECK (owner_type IN ('user', 'agent')),
        owner_id uuid,
        ip_allow_list text[] NOT NULL DEFAULT '{}',
        collection_id uuid,
        created_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        UNIQUE (org_id, slug),
        CHECK ((owner_type IS NULL) = (owner_id IS NULL))
      );
      CREATE INDEX org_api_keys_collection ON org_api_keys (collection_id) WHERE collection_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE org_api_keys, org_group_members, org_groups, org_memberships, org_roles, agents, orgs, users',
    );
  }
}
