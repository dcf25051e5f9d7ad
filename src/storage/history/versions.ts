import { orgTable } from '../../database/org-schema.js';
import { execute, type Queryable } from '../../database/queryable.js';
import { literal, param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, type Table, tableOf } from '../collection-shape.js';
import { WRITE_TIME } from '../records/insert.js';
import { rowJson } from '../records/row-json.js';
import { createRecordingFunction, dropTriggerFunction, triggerFunction } from '../trigger-function.js';
import { EVENT } from './named-event.js';

/** What updates and deletes replaced in the collections of an organization. */
export function versionsTable(orgId: string): Sql {
  return orgTable(orgId, 'record_versions');
}

/**
 * Creates triggers on the table of a collection that store what updates and deletes replace, whichever statement writes.
 * A version is stored as the JSON that reads returned, so a later change of the schema does not change it.
 */
export async function keepVersions(transaction: Queryable, shape: CollectionShape): Promise<void> {
  await describeVersions(transaction, shape);
  for (const trigger of [sql`keep_updated AFTER update`, sql`keep_deleted AFTER delete`]) {
    await execute(
      transaction,
      sql`CREATE TRIGGER ${trigger} ON ${tableOf(shape)} REFERENCING OLD TABLE AS replaced
        FOR EACH STATEMENT EXECUTE FUNCTION ${triggerFunction(shape, 'keep')}()`,
    );
  }
}

/**
 * Makes the function of these triggers, for the columns of `shape`. It ignores what a transaction writes after
 * `MOVES_VALUES`, and the removal of expired records. A deleted record gets a second version, without content and not
 * ended by any event: the time from its deletion on.
 */
export async function describeVersions(transaction: Queryable, shape: CollectionShape): Promise<void> {
  const record = rowJson(shape);
  const id = literal(shape.id);
  const table = versionsTable(shape.orgId);
  const variables = sql`
      named text := nullif(current_setting(${EVENT}, true), '');
      -- One event for all records, or a JSON object with one for each.
      events jsonb := CASE WHEN starts_with(named, '{') THEN named::jsonb END;
      event uuid := CASE WHEN events IS NULL THEN named::uuid END;`;
  const statements = sql`
      INSERT INTO ${table} (collection_id, record_id, version, valid_from, valid_to, expires_at, event_id, record)
      SELECT ${id}, t._id, ${newest(shape.orgId, id)} + 1, t.updated_at, ${WRITE_TIME}, t.expires_at, ${EVENT_OF_RECORD}, ${record.text}
      FROM replaced t ${record.join}
      WHERE TG_OP = 'UPDATE' OR t.expires_at IS NULL OR t.expires_at > statement_timestamp();
      IF TG_OP = 'DELETE' THEN
        INSERT INTO ${table} (collection_id, record_id, version, valid_from, valid_to)
        SELECT ${id}, t._id, ${newest(shape.orgId, id)} + 1, ${WRITE_TIME}, ${WRITE_TIME} FROM replaced t
        WHERE t.expires_at IS NULL OR t.expires_at > statement_timestamp();
      END IF;`;
  await createRecordingFunction(transaction, shape, 'keep', { variables, statements });
}

const EVENT_OF_RECORD = sql`coalesce(event, (events ->> t._id::text)::uuid)`;

/** SQL of the highest version number that is stored of the record `t`. */
function newest(orgId: string, id: Sql): Sql {
  return sql`coalesce((SELECT max(v.version) FROM ${versionsTable(orgId)} v WHERE v.collection_id = ${id} AND v.record_id = t._id), 0)`;
}

/** Drops the triggers, if there are any. What they have stored is removed later. */
export function forgetVersions(transaction: Queryable, shape: Table): Promise<void> {
  return dropTriggerFunction(transaction, shape, 'keep');
}

/**
 * Of the versions that this transaction has replaced, keeps only the first one of each record: the others had temporary
 * values.
 */
export function forgetTemporaryStatement({ id, orgId }: CollectionShape, eventId: string): Sql {
  const table = versionsTable(orgId);
  return sql`DELETE FROM ${table} v WHERE v.collection_id = ${param(id, 'uuid')} AND v.event_id = ${param(eventId, 'uuid')}
    AND v.record IS NOT NULL AND EXISTS (
      SELECT FROM ${table} o WHERE o.collection_id = v.collection_id AND o.record_id = v.record_id
        AND o.event_id = v.event_id AND o.version < v.version)`;
}
