import { MAX_RECORD_BYTES, MAX_VALUES } from '../../../base/kernel/limits.js';
import { joined, literal, type Sql, sql } from '../../../base/sql/index.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { refused } from '../refused-value.js';
import { columnsOf, type TableColumn } from '../table-sql.js';

/** SQL of the values that a record will have. */
export interface FutureRecord {
  readonly flexible: Sql;
  column(column: TableColumn): Sql;
}

/** The record is measured when a write sets a text or JSON with more characters. */
export const LONG = 4_096;

/** Texts and JSON up to this length belong to a record of at most 16 MiB; names and other values have the rest. */
const SURE_BYTES = 16_000_000;

/**
 * Longer texts and JSON belong to a record of more than 16 MiB. PostgreSQL writes a space after each comma and each
 * colon, which the limit of a record does not count.
 */
const OVERSIZE_BYTES = MAX_RECORD_BYTES + 2 * MAX_VALUES;

/** SQL that is true for a record that may have more than 16 MiB; the caller then computes its exact size. */
export function mayBeOversize(shape: CollectionShape, record: FutureRecord): Sql {
  return isLonger(shape, record, SURE_BYTES);
}

/** SQL that is true for a record that surely has more than 16 MiB. */
export function isOversize(shape: CollectionShape, record: FutureRecord): Sql {
  return isLonger(shape, record, OVERSIZE_BYTES);
}

/**
 * Compares the bytes of texts and JSON in JSON. Reads the texts only if they may be too long: PostgreSQL knows the length
 * of a text without reading it, and JSON has at most six times as many bytes.
 */
function isLonger(shape: CollectionShape, record: FutureRecord, most: number): Sql {
  const { texts, json } = longValues(shape, record);
  const documents = json.map(lengthOf);
  const greatest = joined([...documents, ...texts.map(text => sql`6 * ${lengthOf(text)}`)], ' + ');
  const exact = joined([...documents, ...texts.map(lengthInJson)], ' + ');
  return sql`(CASE WHEN ${greatest} <= ${literal(SURE_BYTES)} THEN false ELSE ${exact} > ${literal(most)} END)`;
}

/** The flexible fields if the condition is true for the record `t`; otherwise the statement refuses its size. */
export function flexibleIf(condition: Sql, flexible: Sql): Sql {
  return sql`CASE WHEN ${condition} THEN ${flexible} ELSE ${refused(sql`t.x`, 'size')} END`;
}

function longValues(shape: CollectionShape, record: FutureRecord): { texts: Sql[]; json: Sql[] } {
  const texts: Sql[] = [];
  const json: Sql[] = [sql`(${record.flexible})::text`];
  for (const column of columnsOf(shape)) {
    const { name, family } = COLUMN_TYPES[column.definition.type];
    if (family === 'document') json.push(sql`(${record.column(column)})::text`);
    else if (name === 'text') texts.push(record.column(column));
  }
  return { texts, json };
}

function lengthOf(text: Sql): Sql {
  return sql`coalesce(octet_length(${text}), 0)::bigint`;
}

/** The bytes of a text between the quotes of JSON. `json_object` is the immutable function that writes texts as JSON. */
function lengthInJson(text: Sql): Sql {
  return sql`octet_length(json_object(ARRAY[''], ARRAY[coalesce(${text}, '')])::text)::bigint - ${literal(EMPTY_TEXT.length)}`;
}

/** How `json_object` writes an empty text. */
const EMPTY_TEXT = '{"" : ""}';
