import { ALIVE, type CollectionShape, columnsOf, physicalOf, tableOf } from './collection-shape.js';
import { NOW, quotaFence, type RowBatch, rowSource } from './insert.js';
import { hasRoom, takenCte } from './quota.js';
import { type Carried, carriedCtes, claimed, FENCE, fencedParameters, type Statement } from './statement.js';

export interface BulkUpsert {
  /** A column with a unique of its own; never null in the batch, each value there once. */
  readonly key: string;
  /** Rows that also hold `d`: an object with a member for every physical column that was sent, null ones too. */
  readonly batch: RowBatch;
  /** `max_records`. */
  readonly most: number;
}

/**
 * Updates the records of a batch whose key exists, field by field as they were sent, and inserts the others, with one
 * audit event. One row comes back: how many fences held, how many records are new, and 1 when they fit under
 * `max_records`; else nothing was written. Of two such statements at once one may fail with 23505, or with QF001 where the
 * other was faster to take the room: run it again. They never wait for each
 * other in a circle: an UPDATE with a join locks rows in the order of its plan, so they are locked before it in the order
 * of ids, as every write locks them, and what is new is inserted after that, in the order of the batch.
 */
export function bulkUpsertStatement(shape: CollectionShape, upsert: BulkUpsert, carried: Carried): Statement {
  const parameters = fencedParameters(shape);
  const add = parameters.add.bind(parameters);
  const [table, key] = [tableOf(shape), physicalOf(shape, upsert.key)];
  const columns = columnsOf(shape).map(([, physical]) => physical);
  const listed = columns.map(name => `, ${name}`).join('');
  const most = add(upsert.most, 'bigint');
  const fence = quotaFence(hasRoom(shape, '0', most), claimed(carried, add));
  const source = rowSource(shape, add(upsert.batch.json, 'jsonb'), ', d jsonb');
  const assignments = columns.map(
    name => `, ${name} = CASE WHEN r.d ? '${name}' THEN r.${name} ELSE t.${name} END`,
  );
  const text = `
    WITH fence AS MATERIALIZED (${fence}),
    input AS MATERIALIZED (SELECT r.* FROM fence, ${source}),
    fresh AS (SELECT count(*) AS n FROM input r WHERE NOT EXISTS (SELECT FROM ${table} t WHERE t.${key} = r.${key} AND ${ALIVE})),
    room AS MATERIALIZED (SELECT 1 FROM fence, fresh WHERE ${hasRoom(shape, 'fresh.n', most)}),
    locked AS MATERIALIZED (
      SELECT FROM ${table} t, room WHERE t.${key} IN (SELECT r.${key} FROM input r) AND ${ALIVE}
      ORDER BY t._id FOR NO KEY UPDATE OF t),
    updated AS (
      UPDATE ${table} t SET updated_at = ${NOW}, x = t.x || coalesce(r.x, '{}')${assignments.join('')}
      FROM input r, room WHERE t.${key} = r.${key} AND ${ALIVE} AND (SELECT count(*) FROM locked) >= 0
      RETURNING t._id, t.${key} AS key),
    inserted AS (
      INSERT INTO ${table} (_id, created_at, updated_at, expires_at, x${listed})
      SELECT r._id, ${NOW}, ${NOW}, ${add(upsert.batch.expiresAt, 'timestamptz')}, coalesce(r.x, '{}')${columns.map(name => `, r.${name}`).join('')}
      FROM input r, room WHERE NOT EXISTS (SELECT FROM updated u WHERE u.key = r.${key})
      RETURNING _id),
    ${takenCte(shape, 'inserted', most)},
    written AS (SELECT _id FROM updated UNION ALL SELECT _id FROM inserted),
    ${carriedCtes(carried, 'written', () => ({ done: 'EXISTS (SELECT FROM room)' }), add)}
    SELECT (SELECT count(*) FROM fence)::int AS fences, (SELECT n FROM fresh)::int AS fresh, (SELECT count(*) FROM room)::int AS room,
      (SELECT count(*) FROM taken)::int AS taken`;
  return { text, values: parameters.values };
}

/** Rows of a batch that share the columns of a unique with a record that exists. Rows: `[_id of the row]`, at most 100. */
export function conflictsStatement(
  shape: CollectionShape,
  unique: readonly string[],
  batch: string,
): Statement {
  const parameters = fencedParameters(shape);
  const same = unique.map(name => physicalOf(shape, name)).map(column => `t.${column} = r.${column}`);
  const text = `
    SELECT r._id FROM (${FENCE}) f, ${rowSource(shape, parameters.add(batch, 'jsonb'))}
    WHERE EXISTS (SELECT FROM ${tableOf(shape)} t WHERE ${same.join(' AND ')} AND ${ALIVE}) LIMIT 100`;
  return { text, values: parameters.values };
}
