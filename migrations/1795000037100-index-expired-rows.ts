import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';

/**
 * The deletion of a row looks for the rows that refer to it, so each foreign key has an index, and jobs remove expired rows
 * in the order of their time. A deletion of many rows is announced with the ids of the rows, so that instances drop the
 * cached rights of those alone.
 */
export class IndexExpiredRows1795000037100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, table, keys] of INDEXES) await addIndex(runner, { name, table, keys });
    await runner.query(tellChangedRows(IN_LISTS));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(tellChangedRows(IN_ONE));
    for (const [name] of INDEXES) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}

const INDEXES: readonly [name: string, table: string, keys: string][] = [
  ['web_session_tickets_session', 'web_session_tickets', '(session_id)'],
  ['web_session_tickets_expiry', 'web_session_tickets', '(expires_at)'],
  ['users_idle', 'users', '(last_seen_at) WHERE anonymous'],
  ['users_home_org', 'users', '(home_org_id) WHERE home_org_id IS NOT NULL'],
  ['org_group_members_member', 'org_group_members', '(org_id, user_id)'],
  ['org_invites_user', 'org_invites', '(user_id) WHERE user_id IS NOT NULL'],
  ['workspace_collaborators_workspace', 'workspace_collaborators', '(workspace_id, org_id)'],
  ['webhooks_org', 'webhooks', '(org_id)'],
];

/** Lists of 150 ids, because PostgreSQL takes payloads of fewer than 8,000 bytes. */
const IN_LISTS = `
        -- Members of a group belong to its organization: a large group is told of by the organization's id.
        IF TG_TABLE_NAME = 'org_group_members' AND jsonb_array_length(ids) > 150 THEN
          EXECUTE format('SELECT jsonb_agg(DISTINCT org_id) FROM (%s) changed', changed) INTO ids;
        END IF;
        IF jsonb_array_length(ids) > 1500 THEN
          PERFORM public.notify_event(TG_ARGV[0], '{"all":true}');
          RETURN NULL;
        END IF;
        FOR part IN SELECT jsonb_agg(id) FROM jsonb_array_elements(ids) WITH ORDINALITY AS each(id, n) GROUP BY (n - 1) / 150
        LOOP
          PERFORM public.notify_event(TG_ARGV[0], jsonb_build_object('table', TG_TABLE_NAME, 'ids', part));
        END LOOP;`;

/** As the migrations before this one have it. */
const IN_ONE = `
        -- Members of a group belong to its organization: a large group is told of by the organization's id.
        IF TG_TABLE_NAME = 'org_group_members' AND octet_length(ids::text) > 7000 THEN
          EXECUTE format('SELECT jsonb_agg(DISTINCT org_id) FROM (%s) changed', changed) INTO ids;
        END IF;
        PERFORM public.notify_event(TG_ARGV[0], jsonb_build_object('table', TG_TABLE_NAME, 'ids', ids));`;

function tellChangedRows(ending: string): string {
  return `
      -- Arguments: the event, the column that names the rows, the columns that count. Nothing is told of an UPDATE that
      -- leaves those as they were: the times of last use change all the time.
      CREATE OR REPLACE FUNCTION tell_changed_rows() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        counting text := (SELECT string_agg(quote_ident(name), ', ') FROM unnest(TG_ARGV[1:]) name);
        changed text;
        ids jsonb;
        part jsonb;
      BEGIN
        IF TG_OP = 'TRUNCATE' THEN
          PERFORM public.notify_event(TG_ARGV[0], '{"all":true}');
          RETURN NULL;
        END IF;
        changed := CASE TG_OP
          WHEN 'UPDATE' THEN format('(SELECT %1$s FROM before EXCEPT SELECT %1$s FROM after)
            UNION ALL (SELECT %1$s FROM after EXCEPT SELECT %1$s FROM before)', counting)
          WHEN 'DELETE' THEN 'SELECT * FROM before'
          ELSE 'SELECT * FROM after' END;
        EXECUTE format('SELECT jsonb_agg(DISTINCT %I) FROM (%s) changed', TG_ARGV[1], changed) INTO ids;
        IF ids IS NULL THEN RETURN NULL; END IF;${ending}
        RETURN NULL;
      END $$;`;
}
