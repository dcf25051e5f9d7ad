import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tables whose rows decide what a credential may do, with the column that the event lists and the columns that
 * matter.
 */
const PERMISSIONS: readonly [table: string, id: string, counting: readonly string[], inserts: boolean][] = [
  ['users', 'id', ['status', 'email'], false],
  ['orgs', 'id', ['slug', 'name', 'deleted_at'], false],
  ['org_roles', 'org_id', ['slug', 'name', 'permissions', 'scopes'], true],
  ['org_memberships', 'user_id', ['org_id', 'role_slug', 'joined_at'], true],
  ['org_group_members', 'user_id', ['org_id', 'group_slug'], true],
  ['agents', 'id', ['org_id', 'slug'], false],
  [
    'org_api_keys',
    'id',
    [
      ...['permissions', 'scopes', 'secret_hash', 'previous_secret_hash', 'previous_valid_until'],
      ...['expires_at', 'disabled', 'ip_allow_list', 'name', 'collection_id', 'owner_type', 'owner_id'],
    ],
    false,
  ],
  ['service_accounts', 'id', ['permissions', 'scopes', 'secret_hash', 'disabled'], false],
  ['access_tokens', 'id', ['user_id', 'secret_hash', 'expires_at'], false],
  ['workspace_api_keys', 'id', ['workspace_id', 'rules', 'secret_hash'], false],
];

/** The events of the migrations before this one. */
const FORMER: readonly [table: string, events: string, about: string][] = [
  ['users', 'DELETE OR UPDATE OF status, email', 'credentials'],
  ['orgs', 'DELETE OR UPDATE OF name, deleted_at', 'credentials'],
  ['org_roles', 'INSERT OR UPDATE OR DELETE OR TRUNCATE', 'credentials'],
  ['org_memberships', 'INSERT OR UPDATE OR DELETE OR TRUNCATE', 'credentials'],
  ['org_group_members', 'INSERT OR UPDATE OR DELETE OR TRUNCATE', 'credentials'],
  ['agents', 'DELETE OR TRUNCATE', 'credentials'],
  [
    'org_api_keys',
    'DELETE OR TRUNCATE OR UPDATE OF permissions, scopes, secret_hash, previous_secret_hash, previous_valid_until, expires_at, disabled, ip_allow_list, name',
    'credentials',
  ],
  [
    'service_accounts',
    'DELETE OR TRUNCATE OR UPDATE OF permissions, scopes, secret_hash, disabled',
    'credentials',
  ],
  ['access_tokens', 'DELETE OR TRUNCATE OR UPDATE OF expires_at', 'credentials'],
  ['workspace_api_keys', 'DELETE OR TRUNCATE OR UPDATE OF workspace_id, rules, secret_hash', 'credentials'],
  ['sessions', 'DELETE OR TRUNCATE OR UPDATE OF active_org_slug, expires_at, revoked_at', 'credentials'],
  ['signing_keys', 'INSERT OR UPDATE OR DELETE OR TRUNCATE', 'signing-keys'],
];

/** One channel per event, with the ids concerned as payload. Statement triggers also notice rows changed by hand. */
export class NamePlatformEvents1795000013000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table] of FORMER) await runner.query(`DROP TRIGGER ${table}_changed ON ${table}`);
    await runner.query(`
      DROP FUNCTION notify_platform_change;

      -- PostgreSQL takes payloads of fewer than 8,000 bytes.
      CREATE FUNCTION notify_event(event text, payload jsonb) RETURNS void LANGUAGE sql AS $$
        SELECT pg_notify(event, CASE WHEN octet_length(payload::text) < 8000 THEN payload::text ELSE '{"all":true}' END)
      $$;

      -- Arguments: the event, the column that names the rows, the columns that count. Nothing is told of an UPDATE that
      -- leaves those as they were: the times of last use change all the time.
      CREATE FUNCTION tell_changed_rows() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        counting text := (SELECT string_agg(quote_ident(name), ', ') FROM unnest(TG_ARGV[1:]) name);
        ids jsonb;
      BEGIN
        IF TG_OP = 'TRUNCATE' THEN
          PERFORM public.notify_event(TG_ARGV[0], '{"all":true}');
          RETURN NULL;
        END IF;
        EXECUTE format('SELECT jsonb_agg(DISTINCT %I) FROM (%s) changed', TG_ARGV[1], CASE TG_OP
          WHEN 'UPDATE' THEN format('(SELECT %1$s FROM before EXCEPT SELECT %1$s FROM after)
            UNION ALL (SELECT %1$s FROM after EXCEPT SELECT %1$s FROM before)', counting)
          WHEN 'DELETE' THEN 'SELECT * FROM before'
          ELSE 'SELECT * FROM after' END) INTO ids;
        IF ids IS NOT NULL THEN
          PERFORM public.notify_event(TG_ARGV[0], jsonb_build_object('table', TG_TABLE_NAME, 'ids', ids));
        END IF;
        RETURN NULL;
      END $$;

      CREATE FUNCTION tell_signing_keys() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        about jsonb := '{"all":true}';
        created text[] := '{}';
        deleted text[] := '{}';
      BEGIN
        IF TG_OP <> 'TRUNCATE' THEN
          IF TG_OP IN ('INSERT', 'UPDATE') THEN created := ARRAY(SELECT kid FROM after); END IF;
          IF TG_OP IN ('DELETE', 'UPDATE') THEN deleted := ARRAY(SELECT kid FROM before); END IF;
          IF cardinality(created || deleted) = 0 THEN RETURN NULL; END IF;
          about := jsonb_build_object(
            'created', ARRAY(SELECT unnest(created) EXCEPT SELECT unnest(deleted)),
            'deleted', ARRAY(SELECT unnest(deleted) EXCEPT SELECT unnest(created)));
        END IF;
        PERFORM public.notify_event('gateway.jwks.updated', about), public.notify_event('runtime.jwks.updated', about);
        RETURN NULL;
      END $$;
    `);
    for (const [table, id, counting, inserts] of PERMISSIONS) {
      const call = `tell_changed_rows('permissions.changed', ${literals([id, ...counting])})`;
      await tell(runner, table, inserts ? ALL : ALL.slice(1), call);
    }
    await tell(runner, 'signing_keys', ALL, 'tell_signing_keys()');
    const ended = `tell_changed_rows('sessions.revoked', 'id', 'expires_at', 'revoked_at')`;
    await tell(runner, 'sessions', ALL.slice(1), ended);
    // The event signs nobody out. It is listed here because a session's rights are those in its active
    // organization.
    await runner.query(
      `CREATE TRIGGER sessions_told_active_org AFTER UPDATE ON sessions ${ROWS.UPDATE}
       FOR EACH STATEMENT EXECUTE FUNCTION tell_changed_rows('permissions.changed', 'id', 'active_org_slug')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION tell_changed_rows, tell_signing_keys CASCADE;
      DROP FUNCTION notify_event;
      CREATE FUNCTION notify_platform_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('platform_changes', TG_ARGV[0]);
        RETURN NULL;
      END $$;
    `);
    for (const [table, events, about] of FORMER) {
      await runner.query(
        `CREATE TRIGGER ${table}_changed AFTER ${events} ON ${table} EXECUTE FUNCTION notify_platform_change('${about}')`,
      );
    }
  }
}

const ALL = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'] as const;

/** A trigger can see the rows of a statement only if it is for one operation. */
const ROWS = {
  INSERT: 'REFERENCING NEW TABLE AS after',
  UPDATE: 'REFERENCING OLD TABLE AS before NEW TABLE AS after',
  DELETE: 'REFERENCING OLD TABLE AS before',
  TRUNCATE: '',
} as const;

async function tell(
  runner: QueryRunner,
  table: string,
  operations: readonly (typeof ALL)[number][],
  call: string,
): Promise<void> {
  for (const operation of operations) {
    await runner.query(
      `CREATE TRIGGER ${table}_told_${operation.toLowerCase()} AFTER ${operation} ON ${table}
       ${ROWS[operation]} FOR EACH STATEMENT EXECUTE FUNCTION ${call}`,
    );
  }
}

function literals(names: readonly string[]): string {
  return names.map(name => `'${name}'`).join(', ');
}
