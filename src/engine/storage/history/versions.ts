import { joined, literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { type CollectionShape } from '../collection-shape.js';
import { WRITE_TIME } from '../records/insert.js';
import { schemaNumber } from '../retired-columns.js';
import type { TableAccess } from '../table-access.js';
import { columnLists, columnsOf, flexibleOf, type Table, tableOf } from '../table-sql.js';
import {
  createRecordingFunction,
  dropTriggerFunction,
  movingValues,
  triggerFunction,
} from '../trigger-function.js';
import { createVersions, dropVersions, type VersionsTarget, versionsTable } from './history-table.js';
import { EVENT } from './named-event.js';

/** Begins the history of a collection that has none. Creates the table of versions and the triggers. */
export async function beginHistory(
  tables: TableAccess,
  transaction: Queryable,
  shape: CollectionShape,
): Promise<void> {
  await createVersions(transaction, shape);
  await keepVersions(transaction, shape, await tables.versionsForTriggers(transaction, shape));
}

/** Ends the history of a collection, if it has one, and removes all versions. */
export async function endHistory(transaction: Queryable, table: Table): Promise<void> {
  await forgetVersions(transaction, table);
  await dropVersions(transaction, table);
}

/**
 * Creates triggers on the table of a collection that store what updates and deletes replace, whichever statement writes.
 * The table of versions is there, with the columns of `shape`. `target` is what `TableAccess.versionsForTriggers` returned;
 * `table` has the triggers.
 */
export async function keepVersions(
  transaction: Queryable,
  shape: CollectionShape,
  target: VersionsTarget,
  table: Sql = tableOf(shape),
): Promise<void> {
  await describeVersions(transaction, shape, target);
  const updated = target.endsByRow ? sql` NEW TABLE AS written` : NOTHING;
  for (const [trigger, more] of [
    [sql`keep_updated AFTER update`, updated],
    [sql`keep_deleted AFTER delete`, NOTHING],
  ] as const) {
    await execute(
      transaction,
      sql`CREATE TRIGGER ${trigger} ON ${table} REFERENCING OLD TABLE AS replaced${more}
        FOR EACH STATEMENT EXECUTE FUNCTION ${triggerFunction(shape, 'keep')}()`,
    );
  }
}

/**
 * Makes the function of these triggers, for the columns of `shape`. It ignores what a transaction writes after
 * `MOVES_VALUES`, the removal of expired records, and temporary values (`vacateStatement`). A deleted record gets a second
 * version, without content and not ended by any event: the time from its deletion on.
 */
export async function describeVersions(
  transaction: Queryable,
  shape: CollectionShape,
  { versions, endsByRow }: VersionsTarget,
): Promise<void> {
  const { names } = columnLists(shape);
  const values = joined(
    columnsOf(shape).map(({ column }) => sql`, t.${column}`),
    '',
  );
  const variables = sql`
      named text := nullif(current_setting(${EVENT}, true), '');
      -- One event for all records, or a JSON object with one for each.
      events jsonb := CASE WHEN starts_with(named, '{') THEN named::jsonb END;
      event uuid := CASE WHEN events IS NULL THEN named::uuid END;`;
  const content = sql`schema, created_at, expires_at, x${names}`;
  const kept = (end: Sql, join: Sql) => sql`
      INSERT INTO ${versions} (record_id, version, valid_from, valid_to, event_id, own_event, created_by, updated_by, ${content})
      SELECT t._id, t.version, t.updated_at, ${end}, ${EVENT_OF_RECORD}, events IS NOT NULL, t.created_by, t.updated_by,
        ${literal(schemaNumber(shape))}, t.created_at, t.expires_at, ${flexibleOf(shape)}${values}
      FROM replaced t ${join}
      WHERE t.version > 0 AND (TG_OP = 'UPDATE' OR t.expires_at IS NULL OR t.expires_at > statement_timestamp());`;
  const byClock = kept(WRITE_TIME, NOTHING);
  const byRow = kept(sql`w.updated_at`, sql`JOIN written w ON w._id = t._id `);
  const replaced = endsByRow ? sql`IF TG_OP = 'UPDATE' THEN ${byRow} ELSE ${byClock} END IF;` : byClock;
  const statements = sql`${replaced}
      IF TG_OP = 'DELETE' THEN
        INSERT INTO ${versions} (record_id, version, valid_from, valid_to)
        SELECT t._id, t.version + 1, ${WRITE_TIME}, ${WRITE_TIME} FROM replaced t
        WHERE t.expires_at IS NULL OR t.expires_at > statement_timestamp();
      ELSIF named IS NULL THEN ${NUMBERED}
      END IF;`;
  await createRecordingFunction(transaction, shape, 'keep', { variables, statements });
}

/**
 * Statements of the service number the records that they write (`writeMarks`), and name an event. This numbers the records that
 * others have written, for example an operator.
 */
const NUMBERED = movingValues(
  sql`EXECUTE format('UPDATE %I.%I t SET version = t.version + 1 FROM replaced o WHERE t._id = o._id AND t.version = o.version',
          TG_TABLE_SCHEMA, TG_TABLE_NAME);`,
);

const EVENT_OF_RECORD = sql`coalesce(event, (events ->> t._id::text)::uuid)`;

/** Drops the triggers, if there are any. What they have stored stays. */
export function forgetVersions(transaction: Queryable, shape: Table): Promise<void> {
  return dropTriggerFunction(transaction, shape, 'keep');
}

/**
 * Versions that this transaction has replaced by temporary values (`vacateStatement`) end when the records got their final
 * ones, so that no instant is between two versions.
 */
export async function endVacated(
  transaction: Queryable,
  shape: CollectionShape,
  eventId: string,
): Promise<void> {
  await execute(
    transaction,
    sql`UPDATE ${versionsTable(shape)} v SET valid_to = t.updated_at FROM ${tableOf(shape)} t
      WHERE v.event_id = ${param(eventId, 'uuid')} AND NOT v.own_event AND t._id = v.record_id AND v.version = t.version - 1
        AND v.valid_to < t.updated_at`,
  );
}
