import { HIDDEN_MIGRATIONS } from '../../database/migrate.js';
import type { Queryable } from '../../database/queryable.js';
import { ORG_SCHEMA } from './catalog.js';
import { APPLICATION } from './session.js';

/** Throws when the database may not be replaced: a service works on it, or there is something in it. */
export async function assertReplaceable(session: Queryable, force: boolean): Promise<void> {
  const [{ connections }] = await session.query(
    `SELECT count(*)::int AS connections FROM pg_stat_activity
     WHERE datname = current_database() AND application_name ~ '^typed-collections' AND application_name <> $1`,
    [APPLICATION],
  );
  if (connections > 0) {
    throw new Error('The service is running on this database: stop all instances before a restore.');
  }
  if (force || !(await holdsSomething(session))) return;
  throw new Error(
    'The database is not empty. Restore into a new one, or replace everything that is in it with --force.',
  );
}

/** A database that was only migrated holds nothing; nor does what an unfinished restore has left. */
async function holdsSomething(session: Queryable): Promise<boolean> {
  const [found] = await session.query(
    `SELECT to_regclass('public.${HIDDEN_MIGRATIONS}') IS NOT NULL AS unfinished,
       to_regclass('public.users') IS NOT NULL AND to_regclass('public.orgs') IS NOT NULL AS platform,
       EXISTS (SELECT FROM pg_tables WHERE schemaname <> 'information_schema' AND schemaname !~ '^pg_') AS tables`,
  );
  if (found.unfinished || !found.tables) return false;
  if (!found.platform) return true;
  const [{ populated }] = await session.query(
    'SELECT EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM orgs) AS populated',
  );
  return populated;
}

/** Drops what the platform has made; one organization at a time, since each takes hundreds of PostgreSQL's locks. */
export async function clear(session: Queryable): Promise<void> {
  const schemas: { name: string }[] = await session.query(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '${ORG_SCHEMA}'`,
  );
  for (const { name } of schemas) await session.query(`DROP SCHEMA ${name} CASCADE`);
  await session.query(`
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT oid::regclass FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('DROP TABLE %s CASCADE', name);
      END LOOP;
      FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e') LOOP
        EXECUTE format('DROP ROUTINE %s CASCADE', name);
      END LOOP;
    END $$`);
}
