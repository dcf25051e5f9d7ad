import type { DataSource } from 'typeorm';
import type { Settings } from '../../config/settings.js';
import { SESSION_PARAMETERS } from '../connections/options.js';
import type { Queryable } from '../queryable.js';
import { Transactions } from '../transactions.js';
import { hasCitus } from './org-placement.js';

/** Tables of the platform that are never written in the same transaction as an organization's tables. */
const ALONE = ['rate_limits', 'job_runs', 'job_positions', 'migrations'];

/** The setting that decides on which servers organizations are. */
export type PlacementSettings = Pick<Settings, 'DATABASE_CITUS'>;

/** Prepares a migrated database for the setting; undefined when there is nothing to prepare. */
export function preparation({
  DATABASE_CITUS,
}: PlacementSettings): ((source: DataSource) => Promise<void>) | undefined {
  return DATABASE_CITUS === 'on' ? prepareIfInstalled : undefined;
}

/** Without the extension nothing is prepared: `CitusCheck` reports that at the start. */
async function prepareIfInstalled(source: DataSource): Promise<void> {
  if (await hasCitus(source)) await Transactions.on(source).run(prepareCitus);
}

/**
 * Prepares a database for organizations on the nodes of Citus. Creates only what is missing, because creating an
 * existing trigger again would wait for the writers of its table at every start. Everything is created on the
 * coordinator, except the session parameters, which the coordinator's connections to the nodes need too, and a function
 * that runs on the nodes.
 */
async function prepareCitus(transaction: Queryable): Promise<void> {
  await setParameters(transaction);
  await runOnNodes(transaction);
  await transaction.query('SET LOCAL citus.enable_ddl_propagation = off');
  await copyVersions(transaction);
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
 * Creates a function on all nodes, also on those that are added later. It runs a statement, whose `$1` is the array
 * `given`, and returns its rows.
 */
async function runOnNodes(transaction: Queryable): Promise<void> {
  const [{ found }] = await transaction.query(
    `SELECT to_regprocedure('public.run_on_node(text, text[], boolean)') IS NOT NULL AS found`,
  );
  if (found) return;
  await transaction.query(`
    CREATE FUNCTION public.run_on_node(statement text, given text[], has_rows boolean) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
    DECLARE
      found_row record;
    BEGIN
      IF NOT has_rows THEN
        EXECUTE statement USING given;
        RETURN;
      END IF;
      FOR found_row IN EXECUTE statement USING given LOOP
        RETURN NEXT to_jsonb(found_row);
      END LOOP;
    END $$`);
}

/**
 * Copies each change of a collection's version, including manual changes, to the table `fences` beside its records.
 * Both are committed together. For a moment only the original may be visible; readers then use the original.
 */
async function copyVersions(transaction: Queryable): Promise<void> {
  if (await isThere(transaction, 'keep_org_fence')) return;
  await transaction.query(`
    CREATE FUNCTION public.keep_org_fence() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      fences text := 'org_' || replace(coalesce(NEW.org_id, OLD.org_id)::text, '-', '') || '.fences';
    BEGIN
      -- The schema of a deleted organization may be gone.
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
    CREATE TRIGGER collections_fence_made AFTER INSERT OR DELETE ON public.collections
      FOR EACH ROW EXECUTE FUNCTION public.keep_org_fence();
    CREATE TRIGGER collections_fence_kept AFTER UPDATE ON public.collections
      FOR EACH ROW WHEN (OLD.version IS DISTINCT FROM NEW.version) EXECUTE FUNCTION public.keep_org_fence()`);
}

/**
 * When a transaction writes on one node and on the coordinator, Citus commits on the node first. A coordinator that is
 * killed in between would leave the two inconsistent. Citus uses two-phase commit when a table that it knows was
 * written on the coordinator too, even by a statement that changes no row: the triggers run such a statement.
 */
async function commitInTwoPhases(transaction: Queryable): Promise<void> {
  if (!(await isThere(transaction, 'commit_in_two_phases'))) {
    await transaction.query('CREATE TABLE public.two_phase_commit (id integer PRIMARY KEY)');
    await transaction.query(`SELECT citus_add_local_table_to_metadata('public.two_phase_commit')`);
    await transaction.query(`
      CREATE FUNCTION public.commit_in_two_phases() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM public.two_phase_commit;
        RETURN NULL;
      END $$`);
  }
  const tables: { name: string }[] = await transaction.query(
    `SELECT quote_ident(relname) AS name FROM pg_class c
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> ALL ($1)
       AND relname NOT LIKE 'two_phase_commit%' AND NOT EXISTS (
         SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'committed_in_two_phases')`,
    [ALONE],
  );
  for (const { name } of tables) {
    await transaction.query(`
      CREATE TRIGGER committed_in_two_phases AFTER INSERT OR UPDATE OR DELETE ON public.${name}
      FOR EACH STATEMENT EXECUTE FUNCTION public.commit_in_two_phases()`);
  }
}

async function isThere(transaction: Queryable, name: string): Promise<boolean> {
  const [{ found }] = await transaction.query(
    `SELECT to_regprocedure('public.${name}()') IS NOT NULL AS found`,
  );
  return found;
}

/** Removes what `prepareCitus` created, when no organization is on another node any more. */
export async function forgetCitus(transaction: Queryable): Promise<void> {
  await transaction.query(
    'DROP FUNCTION IF EXISTS public.keep_org_fence, public.commit_in_two_phases CASCADE',
  );
  await transaction.query('DROP TABLE IF EXISTS public.two_phase_commit');
  await transaction.query('DROP FUNCTION IF EXISTS public.run_on_node(text, text[], boolean)');
}
