import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  EVENT_OF_RECORD,
  EVENT_VARIABLES,
  flexible,
  type History,
  hasCitus,
  histories,
  inTransaction,
  keepTyped,
  literal,
  shardOf,
  WRITE_TIME,
} from './1795000031000-type-record-versions.js';
import { orgSchemas } from './steps/org-schemas.js';

/**
 * Gives each record the number of its present version, so that the triggers of the history need not look up the newest
 * stored one. Also takes versions whose event names their record, and no other one, out of the index of events: an undo
 * finds them by the record. Every step can be repeated.
 */
export class NumberRecordVersions1795000031100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await alterRecords(runner, false, 'ADD COLUMN IF NOT EXISTS version integer NOT NULL DEFAULT 1');
    for (const history of await histories(runner, 'IS NOT NULL'))
      await inTransaction(runner, () => numbered(runner, history));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const history of await histories(runner, 'IS NOT NULL')) {
      await inTransaction(runner, async () => {
        const { schema, records, versions } = history;
        await runner.query(`LOCK TABLE ${schema}.${records} IN SHARE ROW EXCLUSIVE MODE`);
        await keepTyped(runner, history);
        await runner.query(`DROP INDEX IF EXISTS ${schema}.${versions}_event`);
        await runner.query(`ALTER TABLE ${schema}.${versions} DROP COLUMN IF EXISTS own_event`);
        await runner.query(`CREATE INDEX ${versions}_event ON ${schema}.${versions} (event_id)`);
      });
    }
    await alterRecords(runner, true, 'DROP COLUMN IF EXISTS version');
  }
}

/**
 * Changes the tables of the records of all collections, also of those in the trash, that are numbered or not. One table
 * at a time, so that nobody waits for the locks of others.
 */
async function alterRecords(runner: QueryRunner, areNumbered: boolean, change: string): Promise<void> {
  for (const schema of await orgSchemas(runner)) {
    const tables: { name: string }[] = await runner.query(
      `SELECT relname AS name FROM pg_class c
       WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND relname ~ '^(c|trash)_[0-9a-f]{32}$'
         AND $1 = EXISTS (
           SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'version' AND NOT a.attisdropped)
       ORDER BY relname`,
      [areNumbered],
    );
    for (const { name } of tables) await runner.query(`ALTER TABLE IF EXISTS ${schema}.${name} ${change}`);
  }
}

async function numbered(runner: QueryRunner, history: History): Promise<void> {
  const { schema, records, versions } = history;
  await runner.query(`LOCK TABLE ${schema}.${records} IN SHARE ROW EXCLUSIVE MODE`);
  // The triggers must not store versions of this update. With Citus they are on another server.
  if (await hasCitus(runner)) await runner.query(`SET LOCAL citus.propagate_set_commands = 'local'`);
  await runner.query(`SET LOCAL platform.moving_values = 'on'`);
  await runner.query(`
    UPDATE ${schema}.${records} t SET version = n.version
    FROM (SELECT record_id, max(version) + 1 AS version FROM ${schema}.${versions} GROUP BY record_id) n
    WHERE t._id = n.record_id AND t.version <> n.version`);
  await runner.query(
    `ALTER TABLE ${schema}.${versions} ADD COLUMN IF NOT EXISTS own_event boolean NOT NULL DEFAULT false`,
  );
  await runner.query(`DROP INDEX IF EXISTS ${schema}.${versions}_event`);
  await runner.query(
    `CREATE INDEX ${versions}_event ON ${schema}.${versions} (event_id) WHERE NOT own_event`,
  );
  await replaceKeeper(runner, history);
}

/** Replaces the function of the triggers that store versions. With Citus it writes to the shard of the table. */
async function replaceKeeper(runner: QueryRunner, history: History): Promise<void> {
  const { schema, versions, keeper, columns } = history;
  const shard = await shardOf(runner, schema, versions);
  const target = `${schema}.${shard ?? versions}`;
  const names = columns.map(({ number }) => `, c${number}`).join('');
  const values = columns.map(({ number }) => `, t.c${number}`).join('');
  const alive = 't.expires_at IS NULL OR t.expires_at > statement_timestamp()';
  const kept = (end: string, join: string) => `
      INSERT INTO ${target} (record_id, version, valid_from, valid_to, event_id, own_event, schema, created_at, expires_at, x${names})
      SELECT t._id, t.version, t.updated_at, ${end}, ${EVENT_OF_RECORD}, events IS NOT NULL,
        ${Math.max(0, ...columns.map(column => column.number))}, t.created_at, t.expires_at, ${flexible(history)}${values}
      FROM replaced t ${join}
      WHERE t.version > 0 AND (TG_OP = 'UPDATE' OR ${alive});`;
  const byClock = kept(WRITE_TIME, '');
  const byRow = kept('w.updated_at', 'JOIN written w ON w._id = t._id');
  const body = `
    DECLARE
      ${EVENT_VARIABLES}
    BEGIN
      IF current_setting('platform.moving_values', true) = 'on' THEN RETURN NULL; END IF;
      ${shard === undefined ? byClock : `IF TG_OP = 'UPDATE' THEN ${byRow} ELSE ${byClock} END IF;`}
      IF TG_OP = 'DELETE' THEN
        INSERT INTO ${target} (record_id, version, valid_from, valid_to)
        SELECT t._id, t.version + 1, ${WRITE_TIME}, ${WRITE_TIME} FROM replaced t WHERE ${alive};
      ELSIF named IS NULL THEN
        PERFORM set_config('platform.moving_values', 'on', true);
        EXECUTE format('UPDATE %I.%I t SET version = t.version + 1 FROM replaced o WHERE t._id = o._id AND t.version = o.version',
          TG_TABLE_SCHEMA, TG_TABLE_NAME);
        PERFORM set_config('platform.moving_values', '', true);
      END IF;
      RETURN NULL;
    END`;
  await runner.query(
    `CREATE OR REPLACE FUNCTION ${schema}.${keeper}() RETURNS trigger LANGUAGE plpgsql AS ${literal(body)}`,
  );
}
