import { orgTable } from '../../database/org-schema.js';
import { execute, type Queryable } from '../../database/queryable.js';
import { literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, type Table, tableOf } from '../collection-shape.js';
import { WRITE_TIME } from '../records/insert.js';
import { rowJson } from '../records/row-json.js';
import { createRecordingFunction, dropTriggerFunction, triggerFunction } from '../trigger-function.js';
import { EVENT } from './named-event.js';

/** What updates and deletes replaced in the collections of an organization. */
export function versionsTable(orgId: string): Sql {
  return orgTable(orgId, 'record_versions');
}

/** How triggers on tables of records store versions. */
export interface VersionsTarget {
  /** The name of the table of versions. */
  readonly versions: Sql;
  /** True where a write has the time of another server: a version ends at the `updated_at` of the row that replaces it. */
  readonly endsByRow: boolean;
}

/** The target on the server of the platform's tables. */
export function ownVersions(orgId: string): VersionsTarget {
  return { versions: versionsTable(orgId), endsByRow: false };
}

/**
 * Creates triggers on the table of a collection that store what updates and deletes replace, whichever statement writes.
 * A version is stored as the JSON that reads returned, so a later change of the schema does not change it. `target` is
 * what `TableAccess.versionsForTriggers` returned; `table` has the triggers.
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
  const record = rowJson(shape);
  const id = literal(shape.id);
  const variables = sql`
      named text := nullif(current_setting(${EVENT}, true), '');
      -- One event for all records, or a JSON object with one for each.
      events jsonb := CASE WHEN starts_with(named, '{') THEN named::jsonb END;
      event uuid := CASE WHEN events IS NULL THEN named::uuid END;`;
  const kept = (end: Sql, join: Sql) => sql`
      INSERT INTO ${versions} (collection_id, record_id, version, valid_from, valid_to, expires_at, event_id, record)
      SELECT ${id}, t._id, ${newest(versions, id)} + 1, t.updated_at, ${end}, t.expires_at, ${EVENT_OF_RECORD}, ${record.text}
      FROM replaced t ${join}${record.join}
      WHERE TG_OP = 'UPDATE' OR t.expires_at IS NULL OR t.expires_at > statement_timestamp();`;
  const byClock = kept(WRITE_TIME, NOTHING);
  const byRow = kept(sql`w.updated_at`, sql`JOIN written w ON w._id = t._id `);
  const replaced = endsByRow ? sql`IF TG_OP = 'UPDATE' THEN ${byRow} ELSE ${byClock} END IF;` : byClock;
  const statements = sql`${replaced}
      IF TG_OP = 'DELETE' THEN
        INSERT INTO ${versions} (collection_id, record_id, version, valid_from, valid_to)
        SELECT ${id}, t._id, ${newest(versions, id)} + 1, ${WRITE_TIME}, ${WRITE_TIME} FROM replaced t
        WHERE t.expires_at IS NULL OR t.expires_at > statement_timestamp();
      END IF;`;
  await createRecordingFunction(transaction, shape, 'keep', { variables, statements });
}

const EVENT_OF_RECORD = sql`coalesce(event, (events ->> t._id::text)::uuid)`;

/** SQL of the highest version number that is stored of the record `t`. */
function newest(versions: Sql, id: Sql): Sql {
  return sql`coalesce((SELECT max(v.version) FROM ${versions} v WHERE v.collection_id = ${id} AND v.record_id = t._id), 0)`;
}

/** Drops the triggers, if there are any. What they have stored is removed later. */
export function forgetVersions(transaction: Queryable, shape: Table): Promise<void> {
  return dropTriggerFunction(transaction, shape, 'keep');
}

/**
 * Of the versions that this transaction has replaced, keeps only the first one of each record: the others had temporary
 * values. The first one ends when the last one did.
 */
export async function forgetTemporary(
  transaction: Queryable,
  { id, orgId }: CollectionShape,
  eventId: string,
): Promise<void> {
  const table = versionsTable(orgId);
  const replaced = (v: Sql) =>
    sql`${v}.collection_id = ${param(id, 'uuid')} AND ${v}.event_id = ${param(eventId, 'uuid')} AND ${v}.record IS NOT NULL`;
  await execute(
    transaction,
    sql`UPDATE ${table} v SET valid_to = l.valid_to
      FROM (SELECT o.record_id, max(o.valid_to) AS valid_to FROM ${table} o WHERE ${replaced(sql`o`)} GROUP BY o.record_id) l
      WHERE ${replaced(sql`v`)} AND v.record_id = l.record_id AND v.valid_to < l.valid_to`,
  );
  await execute(
    transaction,
    sql`DELETE FROM ${table} v WHERE ${replaced(sql`v`)} AND EXISTS (
      SELECT FROM ${table} o WHERE o.collection_id = v.collection_id AND o.record_id = v.record_id
        AND o.event_id = v.event_id AND o.version < v.version)`,
  );
}
