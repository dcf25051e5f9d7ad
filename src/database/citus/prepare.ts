import { SESSION_PARAMETERS } from '../connection.js';
import type { Queryable } from '../queryable.js';

/** Tables of the platform that are written without an organization's being written in the same transaction, and often. */
const ALONE = ['rate_limits', 'job_runs', 'sessions', 'access_tokens', 'web_session_tickets', 'migrations'];

/**
 * Makes what a database needs whose organizations are on the nodes of Citus. It can be done again and does what is missing.
 * All of it stays on the coordinator but the parameters of sessions, which the coordinator's connections to the nodes need.
 */
export async function prepareCitus(transaction: Queryable): Promise<void> {
  await setParameters(transaction);
  await transaction.query('SET LOCAL citus.enable_ddl_propagation = off');
  await keepFences(transaction);
  await commitInTwoPhases(transaction);
}

async function setParameters(transaction: Queryable): Promise<void> {
  const wanted = Object.entries(SESSION_PARAMETERS);
  const settings = wanted.map(([name]) => `current_setting('${name}')`).join(` || ' ' || `);
  const asked = await transaction.query(
    `SELECT result FROM run_command_on_all_nodes('SELECT ' || $1) WHERE success`,
    [settings],
  );
  const right = wanted.map(([, value]) => value).join(' ');
  if (asked.every(({ result }: { result: string }) => result === right)) return;
  const [{ name }] = await transaction.query('SELECT quote_ident(current_database()) AS name');
  for (const [parameter, value] of wanted)
    await transaction.query(`ALTER DATABASE ${name} SET ${parameter} = '${value}'`);
}

/**
 * Whoever changes the version of a collection, by hand as well, changes the copy beside its records. Both are there when
 * the transaction is; for the moment in which only the original is, readers ask for that one.
 */
async function keepFences(transaction: Queryable): Promise<void> {
  await transaction.query(`
    CREATE OR REPLACE FUNCTION public.keep_org_fence() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      fences text := 'org_' || replace(coalesce(NEW.org_id, OLD.org_id)::text, '-', '') || '.fences';
    BEGIN
      -- An organization's schema goes before the rows of its collections.
      IF to_regclass(fences) IS NULL THEN RETURN NULL; END IF;
      IF TG_OP = 'INSERT' THEN
        EXECUTE format('INSERT INTO %s VALUES ($1, $2)', fences) USING NEW.id, NEW.version;
      ELSIF TG_OP = 'UPDATE' THEN
        EXECUTE format('UPDATE %s SET version = $2 WHERE id = $1', fences) USING NEW.id, NEW.version;
      ELSE
        EXECUTE format('DELETE FROM %s WHERE id = $1', fences) USING OLD.id;
      END IF;
      RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER collections_fence_made AFTER INSERT OR DELETE ON public.collections
      FOR EACH ROW EXECUTE FUNCTION public.keep_org_fence();
    CREATE OR REPLACE TRIGGER collections_fence_kept AFTER UPDATE ON public.collections
      FOR EACH ROW WHEN (OLD.version IS DISTINCT FROM NEW.version) EXECUTE FUNCTION public.keep_org_fence()`);
}

/**
 * Citus commits a transaction that has written on one node there first, then here; a coordinator that is killed in between
 * would leave an audit event of what never happened. Two phases it takes when a table that it knows was written here as
 * well, if only by a statement without a row.
 */
async function commitInTwoPhases(transaction: Queryable): Promise<void> {
  const [{ known }] = await transaction.query(
    `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('public.two_phase_commit')) AS known`,
  );
  if (!known) {
    await transaction.query('CREATE TABLE public.two_phase_commit (id integer PRIMARY KEY)');
    await transaction.query(`SELECT citus_add_local_table_to_metadata('public.two_phase_commit')`);
  }
  await transaction.query(`
    CREATE OR REPLACE FUNCTION public.commit_in_two_phases() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM public.two_phase_commit;
      RETURN NULL;
    END $$`);
  const tables: { name: string }[] = await transaction.query(
    `SELECT quote_ident(tablename) AS name FROM pg_tables
     WHERE schemaname = 'public' AND tablename <> ALL ($1) AND tablename NOT LIKE 'two_phase_commit%'`,
    [ALONE],
  );
  for (const { name } of tables) {
    await transaction.query(`
      CREATE OR REPLACE TRIGGER committed_in_two_phases AFTER INSERT OR UPDATE OR DELETE ON public.${name}
      FOR EACH STATEMENT EXECUTE FUNCTION public.commit_in_two_phases()`);
  }
}

/** Takes away what `prepareCitus` has made. No organization is on another node any more. */
export async function forgetCitus(transaction: Queryable): Promise<void> {
  await transaction.query(
    'DROP FUNCTION IF EXISTS public.keep_org_fence, public.commit_in_two_phases CASCADE',
  );
  await transaction.query('DROP TABLE IF EXISTS public.two_phase_commit');
}
