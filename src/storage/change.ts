import { COLUMN_TYPES } from '../columns/index.js';
import type { JsonObject, JsonValue } from '../kernel/json.js';
import { ALIVE, type CollectionShape, physicalColumn, tableOf } from './collection-shape.js';
import { NOW } from './insert.js';
import { type EventSql, FENCE, fencedParameters, type Statement } from './statement.js';

/** New values of top-level fields, already judged: declared columns by name, the rest together. */
export interface Assignments {
  readonly columns: Readonly<Record<string, JsonValue>>;
  readonly flexible: JsonObject;
}

/**
 * Sets fields of one record (`$set`) with its audit event. One row comes back: how many fences held, records
 * matched, and records changed; a record that already has all the values is matched and not written.
 */
export function setFieldsStatement(
  shape: CollectionShape,
  recordId: string,
  { columns, flexible }: Assignments,
  event: EventSql,
): Statement {
  const parameters = fencedParameters(shape);
  const add = parameters.add.bind(parameters);
  const changes = Object.entries(columns).map(([name, value]) => assignment(shape, name, value, add));
  if (Object.keys(flexible).length > 0) {
    changes.push({ target: 'x', value: `t.x || ${add(JSON.stringify(flexible), 'jsonb')}` });
  }
  const differs = changes.map(({ target, value }) => `t.${target} IS DISTINCT FROM ${value}`).join(' OR ');
  const text = `
    WITH fence AS (${FENCE}),
    matched AS (
      SELECT t._id FROM fence, ${tableOf(shape)} t
      WHERE t._id = ${add(recordId, 'uuid')} AND ${ALIVE} FOR UPDATE OF t),
    written AS (
      UPDATE ${tableOf(shape)} t SET updated_at = ${NOW}${changes.map(({ target, value }) => `, ${target} = ${value}`).join('')}
      FROM matched m WHERE t._id = m._id AND (${differs || 'false'})
      RETURNING t._id),
    event AS (${event('written', add)})
    SELECT (SELECT count(*) FROM fence)::int, (SELECT count(*) FROM matched)::int, (SELECT count(*) FROM written)::int`;
  return { text, values: parameters.values };
}

function assignment(
  shape: CollectionShape,
  name: string,
  value: JsonValue,
  add: (value: unknown, castType: string) => string,
): { target: string; value: string } {
  const definition = shape.columns[name];
  if (definition === undefined) throw new Error(`no column ${name}`);
  const { castType, family } = COLUMN_TYPES[definition.type];
  const parameter = family === 'document' && value !== null ? JSON.stringify(value) : value;
  return { target: physicalColumn(definition), value: add(parameter, castType) };
}

/** Deletes one record with its audit event. One row comes back: how many fences held, and records deleted. */
export function deleteStatement(shape: CollectionShape, recordId: string, event: EventSql): Statement {
  const parameters = fencedParameters(shape);
  const add = parameters.add.bind(parameters);
  const text = `
    WITH fence AS (${FENCE}),
    written AS (
      DELETE FROM ${tableOf(shape)} t USING fence WHERE t._id = ${add(recordId, 'uuid')} AND ${ALIVE} RETURNING t._id),
    event AS (${event('written', add)})
    SELECT (SELECT count(*) FROM fence)::int, (SELECT count(*) FROM written)::int`;
  return { text, values: parameters.values };
}

/** Removes a batch of expired records with its audit event. One row: how many fences held, and records removed. */
export function expireStatement(shape: CollectionShape, event: EventSql): Statement {
  const parameters = fencedParameters(shape);
  const table = tableOf(shape);
  const text = `
    WITH fence AS (${FENCE}),
    written AS (
      DELETE FROM ${table} t USING fence
      WHERE t._id IN (SELECT _id FROM ${table} WHERE expires_at <= statement_timestamp() LIMIT 5000 FOR UPDATE SKIP LOCKED)
      RETURNING t._id),
    event AS (${event('written', parameters.add.bind(parameters))})
    SELECT (SELECT count(*) FROM fence)::int, (SELECT count(*) FROM written)::int`;
  return { text, values: parameters.values };
}
