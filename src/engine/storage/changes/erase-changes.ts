import { param, type Sql, sql } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { Table } from '../table-sql.js';
import { changesTable } from './change-feed.js';

/** SQL of the JSON text that takes the place of an erased record. `id` is SQL of the record's id as text. */
export function erasedRecord(id: Sql): Sql {
  return sql`'{"_id":"' || ${id} || '"}'`;
}

/** SQL that is true for the change `c` of an erased record. Every other record has its system fields. */
export const IS_ERASED: Sql = sql`c.record = ${erasedRecord(sql`c.record_id::text`)}`;

/** SQL that does the work of `eraseChanges`. One row with `known`, the number of changes that there were. */
export function eraseChangesStatement({ id, orgId }: Table, recordId: string): Sql {
  const table = changesTable(orgId);
  const ofCollection = sql`c.collection_id = ${param(id, 'uuid')}`;
  return sql`
    WITH known AS MATERIALIZED (
      SELECT xid, seq, row_number() OVER (ORDER BY xid DESC, seq DESC) = 1 AS is_last
      FROM ${table} c WHERE ${ofCollection} AND c.record_id = ${param(recordId, 'uuid')}),
    emptied AS (
      UPDATE ${table} c SET record = ${erasedRecord(param(recordId, 'text'))}, replaced = NULL, created_by = NULL, updated_by = NULL FROM known
      WHERE ${ofCollection} AND (c.xid, c.seq) = (known.xid, known.seq) AND known.is_last RETURNING 1),
    removed AS (
      DELETE FROM ${table} c USING known
      WHERE ${ofCollection} AND (c.xid, c.seq) = (known.xid, known.seq) AND NOT known.is_last RETURNING 1)
    SELECT ((SELECT count(*) FROM emptied) + (SELECT count(*) FROM removed))::int AS known`;
}

/**
 * Removes the content of a record from the change feed. Its last change stays without content, so that followers learn
 * of the deletion. Resolves to the number of changes that there were.
 */
export async function eraseChanges(transaction: Queryable, table: Table, recordId: string): Promise<number> {
  const [{ known }] = await execute(transaction, eraseChangesStatement(table, recordId));
  return known;
}
