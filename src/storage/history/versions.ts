import { execute, type Queryable } from '../../database/queryable.js';
import { joined, literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import {
  type CollectionShape,
  columnLists,
  columnsOf,
  flexibleOf,
  type Table,
  tableOf,
} from '../collection-shape.js';
import { WRITE_TIME } from '../records/insert.js';
import { schemaNumber } from '../retired-columns.js';
import type { TableAccess } from '../table-access.js';
import { createRecordingFunction, dropTriggerFunction, triggerFunction } from '../trigger-function.js';
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
 * `MOVES_VALUES`, and the removal of expired records. A deleted record gets a second version, without content and not
 * ended by any event: the time from its deletion on.
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
      INSERT INTO ${versions} (record_id, version, valid_from, valid_to, event_id, ${content})
      SELECT t._id, ${newest(versions)} + 1, t.updated_at, ${end}, ${EVENT_OF_RECORD},
        ${literal(schemaNumber(shape))}, t.created_at, t.expires_at, ${flexibleOf(shape)}${values}
      FROM replaced t ${join}
      WHERE TG_OP = 'UPDATE' OR t.expires_at IS NULL OR t.expires_at > statement_timestamp();`;
  const byClock = kept(WRITE_TIME, NOTHING);
  const byRow = kept(sql`w.updated_at`, sql`JOIN written w ON w._id = t._id `);
  const replaced = endsByRow ? sql`IF TG_OP = 'UPDATE' THEN ${byRow} ELSE ${byClock} END IF;` : byClock;
  const statements = sql`${replaced}
      IF TG_OP = 'DELETE' THEN
        INSERT INTO ${versions} (record_id, version, valid_from, valid_to)
        SELECT t._id, ${newest(versions)} + 1, ${WRITE_TIME}, ${WRITE_TIME} FROM replaced t
        WHERE t.expires_at IS NULL OR t.expires_at > statement_timestamp();
      END IF;`;
  await createRecordingFunction(transaction, shape, 'keep', { variables, statements });
}

const EVENT_OF_RECORD = sql`coalesce(event, (events ->> t._id::text)::uuid)`;

/** SQL of the highest version number that is stored of the record `t`. */
function newest(versions: Sql): Sql {
  return sql`coalesce((SELECT max(v.version) FROM ${versions} v WHERE v.record_id = t._id), 0)`;
}

/** Drops the triggers, if there are any. What they have stored stays. */
export function forgetVersions(transaction: Queryable, shape: Table): Promise<void> {
  return dropTriggerFunction(transaction, shape, 'keep');
}

/**
 * Of the versions that this transaction has replaced, keeps only the first one of each record: the others had temporary
 * values. The first one ends when the last one did.
 */
export async function forgetTemporary(
  transaction: Queryable,
  shape: CollectionShape,
  eventId: string,
): Promise<void> {
  const table = versionsTable(shape);
  const replaced = (v: Sql) => sql`${v}.event_id = ${param(eventId, 'uuid')} AND ${v}.schema IS NOT NULL`;
  await execute(
    transaction,
    sql`UPDATE ${table} v SET valid_to = l.valid_to
      FROM (SELECT o.record_id, max(o.valid_to) AS valid_to FROM ${table} o WHERE ${replaced(sql`o`)} GROUP BY o.record_id) l
      WHERE ${replaced(sql`v`)} AND v.record_id = l.record_id AND v.valid_to < l.valid_to`,
  );
  await execute(
    transaction,
    sql`DELETE FROM ${table} v WHERE ${replaced(sql`v`)} AND EXISTS (
      SELECT FROM ${table} o WHERE o.record_id = v.record_id AND o.event_id = v.event_id AND o.version < v.version)`,
  );
}
