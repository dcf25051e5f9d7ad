import { literal, NOTHING, render, type Sql, sql } from '../../base/sql/index.js';
import { orgTable } from '../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../platform/database/queryable.js';
import type { Table } from './table-sql.js';

/**
 * What the triggers of a table of records do: `follow` records changes for the feed, `keep` stores versions for the
 * history, `move` fills new columns during a schema change. Each has one function, in the schema of the organization.
 */
export type TriggerPurpose = 'follow' | 'keep' | 'move';

/** The qualified name of the function. */
export function triggerFunction({ id, orgId }: Table, purpose: TriggerPurpose): Sql {
  return orgTable(orgId, `${purpose}_${id.replaceAll('-', '').toLowerCase()}`);
}

const MOVING = literal('platform.moving_values');

/**
 * SQL that is true. What the transaction writes after it only moves values between columns: records read the same, so
 * there are no changes for followers and no versions for the history.
 */
export const MOVES_VALUES = sql`set_config(${MOVING}, 'on', true) = 'on'`;

/** PL/pgSQL statements in a trigger that only move values, as after `MOVES_VALUES`. */
export function movingValues(statements: Sql): Sql {
  return sql`
        PERFORM ${MOVES_VALUES};
        ${statements}
        PERFORM set_config(${MOVING}, '', true);`;
}

/**
 * Settings of the function `move`. Its statements are planned once for each connection: PostgreSQL would plan those of
 * hundreds of columns again for each record, because it expects a plan for known values to be cheaper.
 */
const MOVING_SETTINGS = sql`SET "TimeZone" = 'UTC' SET plan_cache_mode = 'force_generic_plan'`;

/** Creates or replaces the function `move`. `body` is a PL/pgSQL block without parameters; its time zone is UTC. */
export function createMovingFunction(transaction: Queryable, table: Table, body: Sql): Promise<void> {
  return createFunction(transaction, table, 'move', MOVING_SETTINGS, body);
}

/** What a statement-level trigger stores. */
export interface Recording {
  /** PL/pgSQL variables: `name type := value;`. */
  readonly variables: Sql;
  /** PL/pgSQL statements without `RETURN`. */
  readonly statements: Sql;
}

/**
 * Creates or replaces a function of statement-level triggers that ignores what a transaction writes after
 * `MOVES_VALUES`. Its statements should read no tables: their plans are made once for each connection, which may be while
 * the tables are small.
 */
export function createRecordingFunction(
  transaction: Queryable,
  table: Table,
  purpose: 'follow' | 'keep',
  { variables, statements }: Recording,
): Promise<void> {
  const body = sql`
    DECLARE
      ${variables}
    BEGIN
      IF current_setting(${MOVING}, true) = 'on' THEN RETURN NULL; END IF;
      ${statements}
      RETURN NULL;
    END`;
  return createFunction(transaction, table, purpose, NOTHING, body);
}

/**
 * PL/pgSQL statements with the time zone UTC, in which records are shown. All sessions of the service have it. A clause
 * `SET "TimeZone"` of the function would set it in every call, which takes a quarter of the time for one record.
 */
export function inUtc(statements: Sql): Sql {
  const zone = (value: Sql) =>
    sql`IF session_zone <> 'UTC' THEN PERFORM set_config('TimeZone', ${value}, true); END IF;`;
  return sql`
      DECLARE
        session_zone text := current_setting('TimeZone');
      BEGIN
        ${zone(sql`'UTC'`)}
        ${statements}
        ${zone(sql`session_zone`)}
      END;`;
}

async function createFunction(
  transaction: Queryable,
  table: Table,
  purpose: TriggerPurpose,
  settings: Sql,
  body: Sql,
): Promise<void> {
  // The body is a literal instead of dollar-quoted, because a name in it could contain the dollar quote.
  const source = literal(render(body).text);
  await execute(
    transaction,
    sql`CREATE OR REPLACE FUNCTION ${triggerFunction(table, purpose)}() RETURNS trigger LANGUAGE plpgsql ${settings} AS ${source}`,
  );
}

/** Drops the function with its triggers, if it is there. */
export async function dropTriggerFunction(
  transaction: Queryable,
  table: Table,
  purpose: TriggerPurpose,
): Promise<void> {
  await execute(transaction, sql`DROP FUNCTION IF EXISTS ${triggerFunction(table, purpose)}() CASCADE`);
}
