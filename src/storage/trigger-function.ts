import { orgTable } from '../database/org-schema.js';
import { execute, type Queryable } from '../database/queryable.js';
import { literal, render, type Sql, sql } from '../sql/index.js';
import type { CollectionShape } from './collection-shape.js';

/**
 * What the triggers of a table of records do: `follow` records changes for the feed, `keep` stores versions for the
 * history, `move` fills new columns during a schema change. Each has one function, in the schema of the organization.
 */
export type TriggerPurpose = 'follow' | 'keep' | 'move';

type Table = Pick<CollectionShape, 'id' | 'orgId'>;

/** The qualified name of the function. */
export function triggerFunction({ id, orgId }: Table, purpose: TriggerPurpose): Sql {
  return orgTable(orgId, `${purpose}_${id.replaceAll('-', '').toLowerCase()}`);
}

/** Creates or replaces the function. `body` is a PL/pgSQL block without parameters. */
export async function createTriggerFunction(
  transaction: Queryable,
  table: Table,
  purpose: TriggerPurpose,
  body: Sql,
): Promise<void> {
  // The body is a literal instead of dollar-quoted, because a name in it could contain the dollar quote.
  const source = literal(render(body).text);
  await execute(
    transaction,
    sql`CREATE OR REPLACE FUNCTION ${triggerFunction(table, purpose)}() RETURNS trigger LANGUAGE plpgsql SET "TimeZone" = 'UTC' AS ${source}`,
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

const MOVING = literal('platform.moving_values');

/**
 * SQL that is true. What the transaction writes after it only moves values between columns: records read the same, so
 * there are no changes for followers and no versions for the history.
 */
export const MOVES_VALUES = sql`set_config(${MOVING}, 'on', true) = 'on'`;

/** The first statement of a statement-level trigger's function that ignores writes after `MOVES_VALUES`. */
export const IGNORE_MOVED_VALUES = sql`IF current_setting(${MOVING}, true) = 'on' THEN RETURN NULL; END IF;`;
