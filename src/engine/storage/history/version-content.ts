import { identifier, joined, literal, NOTHING, type Sql, sql } from '../../../base/sql/index.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { type CollectionShape, physicalColumn } from '../collection-shape.js';
import { rowJson } from '../records/row-json.js';
import { type RetiredColumn, schemaNumber } from '../retired-columns.js';
import { columnsOf, flexibleOf, type TableColumn } from '../table-sql.js';

/*
 * The content of a version `v`. Its values are in the columns of the schema with which it was stored (`v.schema`). A present
 * column may have had another type then, or may have been a flexible field. The columns of then are those with
 * numbers up to `v.schema`; of several with one name it is the last of these.
 */

/** SQL of the value that a present column had; null for one that does not fit. */
export function columnThen(shape: CollectionShape, { name, column, definition }: TableColumn): Sql {
  const { fromJson, sqlType } = COLUMN_TYPES[definition.type];
  const earlier = fromJson(sql`nullif(${earlierValue(shape, name)}, 'null'::jsonb)`);
  return sql`CASE WHEN v.schema >= ${literal(definition.number)} THEN v.${column} ELSE (${earlier})::${sqlType} END`;
}

/** SQL of the fields that are not present columns. */
export function flexibleThen(shape: CollectionShape): Sql {
  const names = columnsOf(shape).map(({ name }) => literal(name));
  if (names.length === 0) return sql`v.x`;
  return sql`CASE WHEN v.schema >= ${literal(schemaNumber(shape))} THEN v.x ELSE v.x - ARRAY[${joined(names)}] END`;
}

/**
 * SQL of a JSON object with the values that present columns had while they had other types or were flexible fields; null
 * for a version that has the present columns.
 */
export function earlierFields(shape: CollectionShape): Sql {
  const retired = (shape.retiredColumns ?? []).map(column => {
    const wasColumn = sql`v.schema >= ${literal(column.number)} AND v.schema < ${literal(successor(shape, column))}`;
    return sql` || CASE WHEN ${wasColumn} THEN jsonb_build_object(${literal(column.name)}, ${jsonOf(column)}) ELSE '{}' END`;
  });
  return sql`CASE WHEN v.schema < ${literal(schemaNumber(shape))} THEN v.x${joined(retired, '')} END`;
}

/** SQL that is true if the version had the field of a present column, as a column of any type or as a flexible field. */
export function hadField(shape: CollectionShape, { name, definition }: TableColumn): Sql {
  const [first = definition] = retiredOf(shape, name);
  return sql`(v.schema >= ${literal(first.number)} OR v.x ? ${literal(name)})`;
}

/** SQL that selects the version `v` as a record with the present columns. */
export function versionRow(shape: CollectionShape): Sql {
  const typed = columnsOf(shape).map(column => sql`, ${columnThen(shape, column)} AS ${column.column}`);
  return sql`SELECT v.record_id AS _id, v.created_at, v.valid_from AS updated_at, v.expires_at, v.created_by, v.updated_by,
    ${flexibleThen(shape)} AS x, ${earlierFields(shape)} AS was${joined(typed, '')}`;
}

/** SQL of the JSON text of the record as reads returned it then; null for a version without content. */
export function versionText(shape: CollectionShape): Sql {
  const record = rowJson(shape);
  const columns = joined(
    columnsOf(shape).map(({ column }) => sql`, v.${column}`),
    '',
  );
  return sql`(
    SELECT CASE WHEN v.schema >= ${literal(schemaNumber(shape))} THEN ${record.text} WHEN v.schema IS NOT NULL THEN ${earlierText(shape)} END
    FROM (SELECT v.record_id AS _id, v.created_at, v.valid_from AS updated_at, v.created_by, v.updated_by, v.x${columns}) t ${record.join})`;
}

/** SQL of the text of a version that was stored with an earlier schema. The row `t` has its system columns. */
function earlierText(shape: CollectionShape): Sql {
  const instant = (value: Sql) => COLUMN_TYPES.datetime.toJson(value);
  const system = sql`jsonb_build_object('_id', t._id, 'created_at', ${instant(sql`t.created_at`)}, 'updated_at', ${instant(sql`t.updated_at`)})`;
  const fields = columnsOf(shape).map(column => {
    const { name, definition } = column;
    const [first = definition] = retiredOf(shape, name);
    const present = jsonOf({ ...definition, name });
    const value = sql`CASE WHEN v.schema >= ${literal(definition.number)} THEN ${present} ELSE ${earlierValue(shape, name)} END`;
    return sql`(${literal(name)}, ${value}, v.schema >= ${literal(first.number)})`;
  });
  const columns =
    fields.length === 0
      ? NOTHING
      : sql` || (SELECT coalesce(jsonb_object_agg(c.name, c.value), '{}') FROM (VALUES ${joined(fields)}) c(name, value, existed) WHERE c.existed)`;
  return sql`(${system}${columns} || ${flexibleOf(shape)})::text`;
}

/** SQL of the jsonb value of a present column before it had its present type. */
function earlierValue(shape: CollectionShape, name: string): Sql {
  const field = sql`v.x -> ${literal(name)}`;
  const retired = retiredOf(shape, name).reverse();
  if (retired.length === 0) return sql`(${field})`;
  const cases = retired.map(column => sql`WHEN v.schema >= ${literal(column.number)} THEN ${jsonOf(column)}`);
  return sql`(CASE ${joined(cases, ' ')} ELSE ${field} END)`;
}

/** SQL of the jsonb value of a column; null for a null. */
function jsonOf(column: RetiredColumn): Sql {
  return sql`to_jsonb(${COLUMN_TYPES[column.type].toJson(sql`v.${identifier(physicalColumn(column))}`)})`;
}

/** The retired columns of a name, the oldest first. */
function retiredOf({ retiredColumns = [] }: CollectionShape, name: string): RetiredColumn[] {
  return retiredColumns.filter(column => column.name === name).sort((a, b) => a.number - b.number);
}

/** The number of the column that took the place of a retired one. */
function successor(shape: CollectionShape, { name, number }: RetiredColumn): number {
  const later = retiredOf(shape, name).find(column => column.number > number);
  return later?.number ?? (shape.columns[name]?.number as number);
}
