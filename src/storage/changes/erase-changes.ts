import { execute, type Queryable } from '../../database/queryable.js';
import { param, type Sql, sql } from '../../sql/index.js';
import type { Table } from '../collection-shape.js';
import { changesTable } from './change-feed.js';

/** SQL of the JSON text that takes the place of an erased record. `id` is SQL of the record's id as text. */
export function erasedRecord(id: Sql): Sql {
  return sql`'{"_id":"' || ${id} || '"}'`;
}

/**
 * SQL that is true for the content `record` (jsonb) of a change of an erased record. Every other record has its system
 * fields.
 */
export function isErased(record: Sql): Sql {
  return sql`NOT ${record} ? 'created_at'`;
}

/**
 * Removes the content of a record from the change feed. Its last change stays without content, so that followers learn
 * of the deletion. Resolves to the number of changes that there were.
 */
export async function eraseChanges(
  transaction: Queryable,
  { id, orgId }: Table,
  recordId: string,
): Promise<number> {
  const table = changesTable(orgId);
  const ofRecord = sql`c.collection_id = ${param(id, 'uuid')} AND c.record_id = ${param(recordId, 'uuid')}`;
  const [{ known }] = await execute(
    transaction,
    sql`
    WITH last AS MATERIALIZED (
      SELECT xid, seq FROM ${table} c WHERE ${ofRecord} ORDER BY xid DESC, seq DESC LIMIT 1),
    emptied AS (
      UPDATE ${table} c SET record = ${erasedRecord(param(recordId, 'text'))} FROM last
      WHERE ${ofRecord} AND (c.xid, c.seq) = (last.xid, last.seq) RETURNING 1),
    removed AS (
      DELETE FROM ${table} c USING last
      WHERE ${ofRecord} AND (c.xid, c.seq) < (last.xid, last.seq) RETURNING 1)
    SELECT ((SELECT count(*) FROM emptied) + (SELECT count(*) FROM removed))::int AS known`,
  );
  return known;
}
