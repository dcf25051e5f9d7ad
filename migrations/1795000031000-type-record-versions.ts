import type { MigrationInterface, QueryRunner } from 'typeorm';
import { orgSchemas } from './steps/org-schemas.js';

/**
 * Gives each collection with a history a table of versions that has the columns of its records. Before, all versions of an
 * organization were JSON texts in one table. Stored versions become flexible fields of an unknown schema (`schema` 0), from
 * which reads take the values of columns. The migration handles each collection in a transaction of its own, so every step
 * can be repeated.
 */
export class TypeRecordVersions1795000031000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE collections ADD COLUMN IF NOT EXISTS retired_columns jsonb NOT NULL DEFAULT '[]';
      CREATE OR REPLACE FUNCTION create_org_versions(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$;
      CREATE OR REPLACE FUNCTION create_org_undo(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        ${INSERTED_IDS}
      END $$;
      CREATE OR REPLACE FUNCTION index_org_versions(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$;
    `);
    for (const history of await histories(runner, 'IS NULL'))
      await inTransaction(runner, () => typed(runner, history));
    for (const schema of await orgSchemas(runner))
      await runner.query(`DROP TABLE IF EXISTS ${schema}.record_versions`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // An attempt that was killed at its end has dropped it.
    await runner.query(
      "ALTER TABLE collections ADD COLUMN IF NOT EXISTS retired_columns jsonb NOT NULL DEFAULT '[]'",
    );
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_org_versions(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        ${formatted(TABLE_OF_ORG)}
      END $$;
      CREATE OR REPLACE FUNCTION create_org_undo(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        ${formatted(PUT_BACK_OF_ORG)}
        ${INSERTED_IDS}
      END $$;
      CREATE OR REPLACE FUNCTION index_org_versions(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        ${formatted(TIMES_OF_ORG)}
      END $$;
    `);
    const citus = await hasCitus(runner);
    for (const schema of await orgSchemas(runner)) {
      await inTransaction(runner, async () => {
        const [{ found }] = await runner.query(
          `SELECT to_regclass('${schema}.record_versions') IS NOT NULL AS found`,
        );
        if (found) return;
        // Not by the functions above: Citus would leave a table that a function creates on the coordinator.
        const statements = [...TABLE_OF_ORG, ...PUT_BACK_OF_ORG, ...TIMES_OF_ORG];
        for (const statement of citus ? statements.filter(each => each !== STATISTICS_OF_ORG) : statements)
          await runner.query(statement.replaceAll('%I', schema));
      });
    }
    for (const history of await histories(runner, 'IS NOT NULL'))
      await inTransaction(runner, () => untyped(runner, history));
    await runner.query('ALTER TABLE collections DROP COLUMN IF EXISTS retired_columns');
  }
}

/** The table of the versions of an organization; `%I` stands for its schema. */
const TABLE_OF_ORG = [
  `CREATE TABLE %I.record_versions (
    collection_id uuid NOT NULL,
    record_id uuid NOT NULL,
    version integer NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_to timestamptz NOT NULL,
    expires_at timestamptz,
    event_id uuid,
    record text,
    PRIMARY KEY (collection_id, record_id, version))`,
  'CREATE INDEX record_versions_ended ON %I.record_versions (collection_id, valid_to)',
  'CREATE INDEX record_versions_event ON %I.record_versions (event_id)',
];
/** Citus does not support it. */
const STATISTICS_OF_ORG = 'ALTER TABLE %I.record_versions ALTER collection_id SET STATISTICS 0';
const PUT_BACK_OF_ORG = [
  'ALTER TABLE %I.record_versions ADD COLUMN put_back integer',
  STATISTICS_OF_ORG,
  `CREATE INDEX record_versions_put_back ON %I.record_versions (collection_id, record_id, version)
    WHERE put_back IS NOT NULL`,
];
const TIMES_OF_ORG = [
  'CREATE INDEX IF NOT EXISTS record_versions_times ON %I.record_versions (collection_id, valid_to, valid_from)',
  'DROP INDEX IF EXISTS %I.record_versions_ended',
];

/** The statements in PL/pgSQL. */
function formatted(statements: readonly string[]): string {
  return statements.map(statement => `EXECUTE format('${statement}', name);`).join('\n');
}

const INSERTED_IDS = `
        EXECUTE format('CREATE TABLE %I.inserted_ids (
          collection_id uuid NOT NULL,
          event_id uuid NOT NULL,
          inserted_at timestamptz NOT NULL DEFAULT now(),
          record_ids uuid[] NOT NULL,
          PRIMARY KEY (collection_id, event_id))', name);
        -- Compressing ids takes longer than writing them.
        EXECUTE format('ALTER TABLE %I.inserted_ids ALTER record_ids SET STORAGE EXTERNAL', name);`;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly number: number;
}

/** A collection that keeps a history. */
export interface History {
  readonly id: string;
  /** Its schema, in quotes. */
  readonly schema: string;
  /** Names without the schema. */
  readonly records: string;
  readonly versions: string;
  readonly keeper: string;
  readonly columns: readonly Column[];
  readonly retired: readonly Column[];
  readonly leftovers: readonly string[];
}

/** The collections that keep a history and have a table of versions of their own, or that lack one. */
export async function histories(runner: QueryRunner, table: 'IS NULL' | 'IS NOT NULL'): Promise<History[]> {
  const rows: {
    id: string;
    hex: string;
    org: string;
    trashed: boolean;
    columns: Record<string, Omit<Column, 'name'>>;
    retired: Column[];
    leftovers: string[];
  }[] = await runner.query(`
    SELECT * FROM (
      SELECT id::text, replace(id::text, '-', '') AS hex, 'org_' || replace(org_id::text, '-', '') AS org,
        deleted_at IS NOT NULL AS trashed, columns, retired_columns AS retired, leftovers
      FROM collections WHERE history_since IS NOT NULL) c
    WHERE to_regclass(org || '.h_' || hex) ${table} ORDER BY id`);
  return rows.map(({ id, hex, org, trashed, columns, retired, leftovers }) => ({
    id,
    schema: `"${org}"`,
    records: trashed ? `trash_${hex}` : `c_${hex}`,
    versions: `h_${hex}`,
    keeper: `keep_${hex}`,
    columns: Object.entries(columns)
      .map(([name, { type, number }]) => ({ name, type, number }))
      .sort((a, b) => a.number - b.number),
    retired,
    leftovers,
  }));
}

/** Sends statements one by one, because Citus sends the whole text of a DDL statement to the nodes. */
async function each(runner: QueryRunner, statements: string): Promise<void> {
  for (const statement of statements.split(';\n')) await runner.query(statement);
}

export async function inTransaction(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  await runner.startTransaction();
  try {
    await work();
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

const SQL_TYPES: Readonly<Record<string, string>> = {
  text: 'text COLLATE "C"',
  integer: 'bigint',
  double: 'double precision',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamptz',
  json: 'jsonb',
  array: 'jsonb',
};

/**
 * Citus 13.2 makes wrong SQL of an INSERT of what a table of the same organization has. It stores the rows of a
 * materialized CTE instead.
 */
const BY_COORDINATOR = `SELECT set_config('citus.max_intermediate_result_size', '-1', true);`;

async function typed(runner: QueryRunner, history: History): Promise<void> {
  const { schema, records, versions, id } = history;
  const columns = history.columns.map(({ type, number }) => `, c${number} ${SQL_TYPES[type]}`).join('');
  await each(
    runner,
    `
    LOCK TABLE ${schema}.${records} IN SHARE ROW EXCLUSIVE MODE;
    CREATE TABLE ${schema}.${versions} (
      record_id uuid NOT NULL,
      version integer NOT NULL,
      schema integer,
      put_back integer,
      valid_from timestamptz NOT NULL,
      valid_to timestamptz NOT NULL,
      event_id uuid,
      created_at timestamptz,
      expires_at timestamptz,
      x jsonb${columns},
      PRIMARY KEY (record_id, version));
    ${BY_COORDINATOR}
    WITH stored AS MATERIALIZED (
      SELECT record_id, version, CASE WHEN record <> '' THEN 0 END AS schema, put_back, valid_from, valid_to, event_id,
        CASE WHEN record <> '' THEN (record::jsonb ->> 'created_at')::timestamptz END AS created_at, expires_at,
        CASE WHEN record <> '' THEN record::jsonb - '{_id,created_at,updated_at}'::text[] END AS x
      FROM ${schema}.record_versions WHERE collection_id = '${id}')
    INSERT INTO ${schema}.${versions}
      (record_id, version, schema, put_back, valid_from, valid_to, event_id, created_at, expires_at, x)
    SELECT record_id, version, schema, put_back, valid_from, valid_to, event_id, created_at, expires_at, x FROM stored;
    CREATE INDEX ${versions}_times ON ${schema}.${versions} (valid_to, valid_from);
    CREATE INDEX ${versions}_event ON ${schema}.${versions} (event_id)`,
  );
  await keepTyped(runner, history);
}

/** Lets the triggers of a collection store versions in its own table. They look up the number of the newest one. */
export async function keepTyped(runner: QueryRunner, history: History): Promise<void> {
  const names = history.columns.map(({ number }) => `, c${number}`).join('');
  const values = history.columns.map(({ number }) => `, t.c${number}`).join('');
  const number = Math.max(0, ...history.columns.map(column => column.number));
  await replaceKeeper(runner, history, history.versions, (target, newest) => ({
    replaced: end => `
      INSERT INTO ${target} (record_id, version, valid_from, valid_to, event_id, schema, created_at, expires_at, x${names})
      SELECT t._id, ${newest('v.record_id = t._id')} + 1, t.updated_at, ${end}, ${EVENT_OF_RECORD},
        ${number}, t.created_at, t.expires_at, ${flexible(history)}${values}`,
    deleted: `
        INSERT INTO ${target} (record_id, version, valid_from, valid_to)
        SELECT t._id, ${newest('v.record_id = t._id')} + 1, ${WRITE_TIME}, ${WRITE_TIME} FROM replaced t`,
  }));
}

async function untyped(runner: QueryRunner, history: History): Promise<void> {
  const { schema, records, versions, id, columns, retired } = history;
  const all = [...columns, ...retired];
  const fields = all.map(column => {
    const later = all.filter(({ name, number }) => name === column.name && number > column.number);
    const until =
      later.length === 0 ? '' : ` AND v.schema < ${Math.min(...later.map(({ number }) => number))}`;
    const value = `to_jsonb(${shown(column, 'v')})`;
    return ` || CASE WHEN v.schema >= ${column.number}${until} THEN jsonb_build_object(${literal(column.name)}, ${value}) ELSE '{}' END`;
  });
  const system = `jsonb_build_object('_id', v.record_id, 'created_at', ${instant('v.created_at')}, 'updated_at', ${instant('v.valid_from')})`;
  await each(
    runner,
    `
    LOCK TABLE ${schema}.${records} IN SHARE ROW EXCLUSIVE MODE;
    SET LOCAL TimeZone = 'UTC';
    ${BY_COORDINATOR}
    WITH stored AS MATERIALIZED (
      SELECT record_id, version, put_back, valid_from, valid_to, event_id, expires_at,
        CASE WHEN v.schema IS NOT NULL THEN (${system}${fields.join('')} || v.x)::text WHEN valid_to = 'infinity' THEN '' END AS record
      FROM ${schema}.${versions} v)
    INSERT INTO ${schema}.record_versions
      (collection_id, record_id, version, put_back, valid_from, valid_to, event_id, expires_at, record)
    SELECT '${id}', record_id, version, put_back, valid_from, valid_to, event_id, expires_at, record FROM stored`,
  );
  const list = columns.map(column => `, ${shown(column, 't')} AS ${quoted(column.name)}`).join('');
  const x = flexible(history);
  const text = `CASE WHEN ${x} = '{}' THEN row_to_json(r)::text ELSE left(row_to_json(r)::text, -1) || ',' || substr((${x})::text, 2) END`;
  await replaceKeeper(runner, history, 'record_versions', (target, newest) => ({
    replaced: end => `
      INSERT INTO ${target} (collection_id, record_id, version, valid_from, valid_to, expires_at, event_id, record)
      SELECT '${id}', t._id, ${newest(`v.collection_id = '${id}' AND v.record_id = t._id`)} + 1, t.updated_at, ${end}, t.expires_at,
        ${EVENT_OF_RECORD}, (SELECT ${text} FROM (SELECT t._id AS _id, ${instant('t.created_at')} AS created_at, ${instant('t.updated_at')} AS updated_at${list}) r)`,
    deleted: `
        INSERT INTO ${target} (collection_id, record_id, version, valid_from, valid_to)
        SELECT '${id}', t._id, ${newest(`v.collection_id = '${id}' AND v.record_id = t._id`)} + 1, ${WRITE_TIME}, ${WRITE_TIME} FROM replaced t`,
  }));
  await runner.query(`DROP TABLE ${schema}.${versions}`);
}

export const WRITE_TIME = `greatest(date_trunc('milliseconds', statement_timestamp()), t.updated_at)`;
/** Variables of the triggers, and from them the event of the record `t`. */
export const EVENT_VARIABLES = `named text := nullif(current_setting('platform.event', true), '');
      -- One event for all records, or a JSON object with one for each.
      events jsonb := CASE WHEN starts_with(named, '{') THEN named::jsonb END;
      event uuid := CASE WHEN events IS NULL THEN named::uuid END;`;
export const EVENT_OF_RECORD = 'coalesce(event, (events ->> t._id::text)::uuid)';

/** The beginnings of the statements of the triggers: up to the table of the replaced records, or with it. */
interface Kept {
  readonly replaced: (end: string) => string;
  readonly deleted: string;
}

/** Replaces the function of the triggers that store versions. With Citus it writes to the shard of the table. */
async function replaceKeeper(
  runner: QueryRunner,
  { schema, keeper }: History,
  versions: string,
  statements: (target: string, newest: (record: string) => string) => Kept,
): Promise<void> {
  const shard = await shardOf(runner, schema, versions);
  const target = `${schema}.${shard ?? versions}`;
  const kept = statements(
    target,
    record => `coalesce((SELECT max(v.version) FROM ${target} v WHERE ${record}), 0)`,
  );
  const alive = 't.expires_at IS NULL OR t.expires_at > statement_timestamp()';
  const byClock = `${kept.replaced(WRITE_TIME)} FROM replaced t WHERE TG_OP = 'UPDATE' OR ${alive};`;
  const byRow = `${kept.replaced('w.updated_at')} FROM replaced t JOIN written w ON w._id = t._id;`;
  const body = `
    DECLARE
      session_zone text := current_setting('TimeZone');
      ${EVENT_VARIABLES}
    BEGIN
      IF current_setting('platform.moving_values', true) = 'on' THEN RETURN NULL; END IF;
      IF session_zone <> 'UTC' THEN PERFORM set_config('TimeZone', 'UTC', true); END IF;
      ${shard === undefined ? byClock : `IF TG_OP = 'UPDATE' THEN ${byRow} ELSE ${byClock} END IF;`}
      IF TG_OP = 'DELETE' THEN ${kept.deleted} WHERE ${alive};
      END IF;
      IF session_zone <> 'UTC' THEN PERFORM set_config('TimeZone', session_zone, true); END IF;
      RETURN NULL;
    END`;
  await runner.query(
    `CREATE OR REPLACE FUNCTION ${schema}.${keeper}() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS ${literal(body)}`,
  );
}

export async function hasCitus(runner: QueryRunner): Promise<boolean> {
  const [{ found }] = await runner.query(
    `SELECT to_regclass('pg_catalog.pg_dist_shard') IS NOT NULL AS found`,
  );
  return found;
}

/** The shard of a table of an organization; undefined where the table is on this server. */
export async function shardOf(
  runner: QueryRunner,
  schema: string,
  table: string,
): Promise<string | undefined> {
  if (!(await hasCitus(runner))) return undefined;
  await runner.query('SET LOCAL citus.enable_unsafe_triggers = on');
  const [shard] = await runner.query(
    `SELECT shardid FROM pg_dist_shard WHERE logicalrelid = to_regclass('${schema}.${table}')`,
  );
  return shard === undefined ? undefined : `${table}_${shard.shardid}`;
}

export function flexible({ leftovers }: History): string {
  return leftovers.length === 0 ? 't.x' : `(t.x - ARRAY[${leftovers.map(literal).join()}])`;
}

/** The value of a column as JSON shows it. */
function shown({ type, number }: Column, alias: string): string {
  const value = `${alias}.c${number}`;
  return type === 'datetime' ? instant(value) : value;
}

function instant(value: string): string {
  return `substr(to_json(${value} + '1us'::interval)::text, 2, 23) || 'Z'`;
}

export function literal(text: string): string {
  const quotes = text.replaceAll("'", "''");
  return quotes.includes('\\') ? `E'${quotes.replaceAll('\\', '\\\\')}'` : `'${quotes}'`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
