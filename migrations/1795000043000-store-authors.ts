import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, orgSchemas, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Stores who inserted each record and who wrote it last: `created_by` and `updated_by` in the tables of records, of their
 * versions and of changes. Both are null for records from before. One collection at a time, each in a transaction of its
 * own, so that nobody waits for the locks of others and every step can be repeated.
 *
 * Instances of earlier versions go on beside it: they write no authors. They create tables and triggers without these
 * columns, to which a trigger on `collections` adds them before the transaction of that instance ends.
 */
export class StoreAuthors1795000043000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ADD_AUTHORS);
    await runner.query(`
      CREATE OR REPLACE FUNCTION add_missing_authors() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM public.add_authors('org_' || replace(NEW.org_id::text, '-', ''), replace(NEW.id::text, '-', ''));
        RETURN NULL;
      END $$;
      CREATE OR REPLACE FUNCTION add_org_authors(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('ALTER TABLE %I.record_changes ADD COLUMN IF NOT EXISTS created_by uuid,
          ADD COLUMN IF NOT EXISTS updated_by uuid', 'org_' || replace(org_id::text, '-', ''));
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_before_authors', 'add_org_authors');
    const [trigger] = await runner.query(
      `SELECT FROM pg_trigger WHERE tgrelid = 'public.collections'::regclass AND tgname = 'add_missing_authors'`,
    );
    if (trigger === undefined)
      await runner.query(`CREATE CONSTRAINT TRIGGER add_missing_authors AFTER INSERT OR UPDATE OF version ON collections
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION add_missing_authors()`);
    for (const schema of await orgSchemas(runner)) {
      for (const name of await tables(runner, schema, false, 'record_changes'))
        await runner.query(
          `ALTER TABLE ${schema}.${name} ADD COLUMN IF NOT EXISTS created_by uuid, ADD COLUMN IF NOT EXISTS updated_by uuid`,
        );
      for (const id of await collections(runner, schema, false))
        await runner.query(`SELECT add_authors('${schema}', '${id}')`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION IF EXISTS add_missing_authors CASCADE');
    await reduceOrgSchema(runner, 'create_org_before_authors');
    await runner.query(DROP_AUTHORS);
    for (const schema of await orgSchemas(runner)) {
      for (const id of await collections(runner, schema, true))
        await runner.query(`SELECT drop_authors('${schema}', '${id}')`);
      for (const name of await tables(runner, schema, true, 'record_changes'))
        await runner.query(
          `ALTER TABLE ${schema}.${name} DROP COLUMN IF EXISTS created_by, DROP COLUMN IF EXISTS updated_by`,
        );
    }
    await runner.query('DROP FUNCTION IF EXISTS add_authors, add_org_authors, drop_authors');
  }
}

/** The tables of a schema, by a regular expression of their names, that have columns for authors or lack them. */
async function tables(
  runner: QueryRunner,
  schema: string,
  have: boolean,
  names: string,
): Promise<readonly string[]> {
  const found: { name: string }[] = await runner.query(
    `SELECT relname AS name FROM pg_class c
     WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND relname ~ $1 AND $2 = EXISTS (
       SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'created_by' AND NOT a.attisdropped)
     ORDER BY relname`,
    [`^(${names})$`, have],
  );
  return found.map(({ name }) => name);
}

/** The ids, in the form that names have, of the collections with such tables, also of those in the trash. */
async function collections(runner: QueryRunner, schema: string, have: boolean): Promise<ReadonlySet<string>> {
  const found = await tables(runner, schema, have, '(c|h|trash)_[0-9a-f]{32}');
  return new Set(found.map(name => name.slice(-32)));
}

/**
 * Parts of the functions of triggers, without authors and with them: of those that store versions (`keep`), and of those
 * that record changes (`follow`). The service makes these functions (`versions.ts`, `change-feed.ts`).
 */
const PARTS = `(VALUES
          ('keep', 'own_event, schema,', 'own_event, created_by, updated_by, schema,'),
          ('keep', 'events IS NOT NULL,', 'events IS NOT NULL, t.created_by, t.updated_by,'),
          ('follow', '(collection_id, xid,', '(collection_id, created_by, updated_by, xid,'),
          ('follow', ', (SELECT greatest(pg_current', ', t.created_by, t.updated_by, (SELECT greatest(pg_current')
        ) AS p(purpose, without, authored)`;

/**
 * Replaces parts of these functions. A function is left as it is if it does not have each part as often as the others:
 * names that users chose may contain such a text. It then stores no authors.
 */
const replaceParts = (from: 'without' | 'authored', to: 'without' | 'authored') => `
      FOR made IN
        SELECT f.proname AS name, f.prosrc AS source, split_part(f.proname, '_', 1) AS purpose FROM pg_proc f
        WHERE f.pronamespace = schema::regnamespace AND f.proname IN ('keep_' || id, 'follow_' || id)
      LOOP
        SELECT array_agg(DISTINCT (length(made.source) - length(replace(made.source, p.${from}, ''))) / length(p.${from})), bool_or(strpos(made.source, p.authored) ${to === 'authored' ? '>' : '='} 0)
          INTO times, is_done FROM ${PARTS} WHERE p.purpose = made.purpose;
        CONTINUE WHEN is_done OR cardinality(times) <> 1 OR times[1] NOT BETWEEN 1 AND 2;
        source := made.source;
        FOR part IN SELECT * FROM ${PARTS} WHERE p.purpose = made.purpose LOOP
          source := replace(source, part.${from}, part.${to});
        END LOOP;
        EXECUTE format('CREATE OR REPLACE FUNCTION %I.%I() RETURNS trigger LANGUAGE plpgsql AS %L', schema, made.name, source);
      END LOOP;`;

const VARIABLES = `
      name text;
      made record;
      part record;
      source text;
      times int[];
      is_done boolean;`;

/** Arguments: the schema of the organization, and the id of the collection as names have it. Records are locked first. */
const ADD_AUTHORS = `
    CREATE OR REPLACE FUNCTION add_authors(schema text, id text) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE ${VARIABLES}
    BEGIN
      FOREACH name IN ARRAY ARRAY['c_', 'trash_', 'h_'] LOOP
        name := name || id;
        IF to_regclass(schema || '.' || name) IS NOT NULL AND NOT EXISTS (
          SELECT FROM pg_attribute a
          WHERE a.attrelid = to_regclass(schema || '.' || name) AND a.attname = 'created_by' AND NOT a.attisdropped)
        THEN
          EXECUTE format('ALTER TABLE %I.%I ADD COLUMN created_by uuid, ADD COLUMN updated_by uuid', schema, name);
        END IF;
      END LOOP;
      ${replaceParts('without', 'authored')}
    END $$`;

const DROP_AUTHORS = `
    CREATE OR REPLACE FUNCTION drop_authors(schema text, id text) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE ${VARIABLES}
    BEGIN
      FOREACH name IN ARRAY ARRAY['c_', 'trash_', 'h_'] LOOP
        EXECUTE format('ALTER TABLE IF EXISTS %I.%I DROP COLUMN IF EXISTS created_by, DROP COLUMN IF EXISTS updated_by', schema, name || id);
      END LOOP;
      ${replaceParts('authored', 'without')}
    END $$`;
