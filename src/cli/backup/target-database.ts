import pg from 'pg';
import { newId } from '../../base/kernel/id.js';
import { beginFeed } from '../../engine/storage/changes/change-feed.js';
import {
  type CollectionShape,
  type ColumnDefinition,
  inDeclaredOrder,
} from '../../engine/storage/collection-shape.js';
import { HIDDEN_MIGRATIONS } from '../../platform/database/migrating/lowest-version.js';
import { ORG_SCHEMA } from '../../platform/database/org-schema.js';
import type { Queryable } from '../../platform/database/queryable.js';

/** Text formats of values that PostgreSQL reads back without loss. */
const AS_TEXT = `
  SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'; SET extra_float_digits = 1;
  SET bytea_output = 'hex'; SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0`;

/** application_name of the connections of a backup or restore. Connections of the service have other names. */
const APPLICATION = 'typed-collections-backup';

/** Runs `work` on its own connection, without timeouts for statements. */
export async function withSession<T>(url: string, work: (session: Queryable) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: APPLICATION, keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(AS_TEXT);
    return await work({ query: async (text, values) => (await client.query(text, values)).rows });
  } finally {
    await client.end();
  }
}

/** Throws when the service uses the database, or when it is not empty and `force` is false. */
export async function assertReplaceable(session: Queryable, force: boolean): Promise<void> {
  const [{ connections }] = await session.query(
    `SELECT count(*)::int AS connections FROM pg_stat_activity
     WHERE datname = current_database() AND application_name ~ '^typed-collections' AND application_name <> $1`,
    [APPLICATION],
  );
  if (connections > 0) {
    throw new Error('The service is running on this database. Stop all instances before a restore.');
  }
  if (force || !(await holdsSomething(session))) return;
  throw new Error(
    'The database is not empty. Restore into a new one, or replace all of its data with --force.',
  );
}

/** A database that is only migrated counts as empty, and so does the rest of an unfinished restore. */
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

/** Drops all objects of the service, one organization at a time, since each takes hundreds of PostgreSQL's locks. */
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

interface FollowedCollection {
  readonly id: string;
  readonly orgId: string;
  readonly version: number;
  readonly columns: Record<string, ColumnDefinition>;
  readonly mayExpire: boolean;
  readonly leftovers: readonly string[];
}

/**
 * Ends all change feeds and begins new ones for webhooks, because positions in a feed contain transaction ids of the
 * other cluster. Webhooks report writes from now on; programs with an old position get 410 and must read the collection
 * again.
 */
export async function restartFeeds(session: Queryable): Promise<void> {
  await session.query(`
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE proname ~ '^follow_[0-9a-f]{32}$'
        AND pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname ~ '${ORG_SCHEMA}') LOOP
        EXECUTE format('DROP FUNCTION %s CASCADE', name);
      END LOOP;
    END $$`);
  // A backup of an earlier version has no columns for the trash and for leftovers.
  const followed: FollowedCollection[] = await session.query(
    `SELECT id, org_id AS "orgId", version::float8, columns, may_expire AS "mayExpire",
       ARRAY(SELECT jsonb_array_elements_text(to_jsonb(c) -> 'leftovers')) AS leftovers
     FROM collections c
     WHERE to_jsonb(c) ->> 'deleted_at' IS NULL AND id IN (SELECT collection_id FROM webhooks)`,
  );
  for (const collection of followed) {
    const feed = newId();
    // biome-ignore lint/plugin/one-transaction-class: the command has a connection of its own
    await session.query('BEGIN');
    await beginFeed(session, shapeOf(collection), feed);
    await session.query(
      'UPDATE webhooks SET feed = $2, after_xid = 0, after_seq = 0 WHERE collection_id = $1',
      [collection.id, feed],
    );
    await session.query('COMMIT');
  }
}

function shapeOf({ columns, ...collection }: FollowedCollection): CollectionShape {
  return { ...collection, columns: inDeclaredOrder(columns) };
}
