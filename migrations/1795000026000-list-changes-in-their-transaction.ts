import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each payload that a transaction announces is also appended to its setting `platform.changes`, one per line. The
 * instance that runs the transaction thus knows which cache entries to drop without waiting for the notification.
 */
export class ListChangesInTheirTransaction1795000026000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION notify_event;

      -- PostgreSQL takes payloads of fewer than 8,000 bytes.
      CREATE FUNCTION notify_event(event text, payload jsonb) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        told text := CASE WHEN octet_length(payload::text) < 8000 THEN payload::text ELSE '{"all":true}' END;
        listed text := coalesce(current_setting('platform.changes', true), '');
      BEGIN
        PERFORM pg_notify(event, told);
        -- Bounded: a long list would be copied for every statement.
        IF listed = '{"all":true}' THEN RETURN; END IF;
        PERFORM set_config('platform.changes', CASE
          WHEN octet_length(listed) + octet_length(told) > 64000 THEN '{"all":true}'
          WHEN listed = '' THEN told
          ELSE listed || E'\\n' || told END, true);
      END $$;

      -- Arguments: the event, the column that names the rows, the columns that count. Nothing is told of an UPDATE that
      -- leaves those as they were: the times of last use change all the time.
      CREATE OR REPLACE FUNCTION tell_changed_rows() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        counting text := (SELECT string_agg(quote_ident(name), ', ') FROM unnest(TG_ARGV[1:]) name);
        changed text;
        ids jsonb;
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
        IF ids IS NULL THEN RETURN NULL; END IF;
        -- Members of a group belong to its organization: a large group is told of by the organization's id.
        IF TG_TABLE_NAME = 'org_group_members' AND octet_length(ids::text) > 7000 THEN
          EXECUTE format('SELECT jsonb_agg(DISTINCT org_id) FROM (%s) changed', changed) INTO ids;
        END IF;
        PERFORM public.notify_event(TG_ARGV[0], jsonb_build_object('table', TG_TABLE_NAME, 'ids', ids));
        RETURN NULL;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION notify_event;
      CREATE FUNCTION notify_event(event text, payload jsonb) RETURNS void LANGUAGE sql AS $$
        SELECT pg_notify(event, CASE WHEN octet_length(payload::text) < 8000 THEN payload::text ELSE '{"all":true}' END)
      $$;
      CREATE OR REPLACE FUNCTION tell_changed_rows() RETURNS trigger LANGUAGE plpgsql AS $$
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
    `);
  }
}
