import { COLUMN_TYPES } from '../../columns/index.js';
import { joined, literal, param, type Sql, sql } from '../../sql/index.js';
import {
  type CollectionShape,
  columnsOf,
  flexibleOf,
  SYSTEM_FIELDS,
  type TableColumn,
  tableNamed,
} from '../collection-shape.js';
import { versionsTable } from './versions.js';

/**
 * The collection as it was at an instant, for every statement that only reads. Its records are those that were last
 * written before, and the versions that writes have replaced since. It has the present columns: an earlier
 * value that does not fit one counts as null in filters, and is shown unchanged.
 */
export function asOf<Shape extends CollectionShape>(shape: Shape, instant: Date): Shape {
  return { ...shape, past: pastRecords(shape, param(instant, 'timestamptz')) };
}

function pastRecords(shape: CollectionShape, instant: Sql): Sql {
  const columns = columnsOf(shape);
  const names = joined(
    columns.map(({ column }) => sql`, t.${column}`),
    '',
  );
  const typed = joined(
    columns.map(column => sql`, ${columnThen(column)} AS ${column.column}`),
    '',
  );
  return sql`(
    SELECT t._id, t.created_at, t.updated_at, t.expires_at, ${flexibleOf(shape)} AS x, NULL::jsonb AS was${names}
    FROM ${tableNamed(shape)} t WHERE t.updated_at <= ${instant}
    UNION ALL
    SELECT v.record_id, (d.was ->> 'created_at')::timestamptz, v.valid_from, v.expires_at,
      ${flexibleThen(shape)}, d.was${typed}
    FROM ${versionsTable(shape.orgId)} v CROSS JOIN LATERAL (SELECT v.record::jsonb AS was OFFSET 0) d
    WHERE v.collection_id = ${param(shape.id, 'uuid')} AND v.valid_from <= ${instant} AND v.valid_to > ${instant})`;
}

/** SQL of the value that a present column had in the version `d.was`; null for one that does not fit. */
export function columnThen({ name, definition: { type } }: TableColumn): Sql {
  const { fromJson, sqlType } = COLUMN_TYPES[type];
  const value = fromJson(sql`nullif(d.was -> ${literal(name)}, 'null'::jsonb)`);
  return sql`(${value})::${sqlType}`;
}

/** SQL of the fields of the version `d.was` that are not present columns. */
export function flexibleThen(shape: CollectionShape): Sql {
  const names = [...SYSTEM_FIELDS, ...columnsOf(shape).map(({ name }) => name)].map(name => literal(name));
  return sql`(d.was - ARRAY[${joined(names)}]::text[])`;
}
