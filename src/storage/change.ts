import { COLUMN_TYPES } from '../columns/index.js';
import type { SqlParameters } from '../filter/index.js';
import type { JsonObject, JsonValue } from '../kernel/json.js';
import { type CollectionShape, declaredColumn, physicalColumn, tableOf } from './collection-shape.js';
import { NOW } from './insert.js';
import { isDone, lockedIds, type Selection, withinBound } from './selection.js';
import { type Carried, carriedCtes, claimed, FENCE, fencedParameters, type Statement } from './statement.js';

/** What one statement says of a declared column; the arithmetic is for columns of numbers, whose NULL is 0. */
export interface ColumnChange {
  readonly column: string;
  readonly change: 'set' | 'inc' | 'mul' | 'min' | 'max';
  readonly value: JsonValue;
}

/** Changes of top-level fields, already judged. */
export interface FieldChanges {
  readonly columns: readonly ColumnChange[];
  readonly flexible: JsonObject;
  /** Flexible fields that go. */
  readonly removed: readonly string[];
  /** When the records expire from now on, null = never; undefined leaves it. */
  readonly expiresAt?: Date | null | undefined;
}

/**
 * Changes fields of the selected records with the audit event. One row comes back: how many fences held, records matched,
 * records changed, and for the oldest of several its id. A record that already has all the values is matched and not
 * written. Fails with 22003 when a number leaves its column's range or the flexible fields may be too large for a record.
 */
export function changeStatement(
  shape: CollectionShape,
  selection: Selection,
  changes: FieldChanges,
  carried: Carried,
): Statement {
  const parameters = fencedParameters(shape);
  const add = parameters.add.bind(parameters);
  const matched = lockedIds(shape, selection, parameters);
  const assignments = assignmentsOf(shape, changes, parameters);
  const differs = assignments
    .map(({ target, value }) => `t.${target} IS DISTINCT FROM ${value}`)
    .join(' OR ');
  const bound = withinBound(selection, parameters);
  const text = `
    WITH fence AS (${FENCE}${claimed(carried, add)}),
    matched AS (${matched}),
    written AS (
      UPDATE ${tableOf(shape)} t SET updated_at = ${NOW}${assignments.map(({ target, value }) => `, ${target} = ${value}`).join('')}
      FROM matched m WHERE t._id = m._id AND (${differs || 'false'}) AND ${bound}
      RETURNING t._id),
    ${carriedCtes(carried, 'written', () => isDone(selection, bound), add)}
    SELECT (SELECT count(*) FROM fence)::int AS fences, (SELECT count(*) FROM matched)::int AS matched,
      (SELECT count(*) FROM written)::int AS written${'oldest' in selection ? ', (SELECT _id::text FROM matched) AS id' : ''}`;
  return { text, values: parameters.values };
}

interface SqlAssignment {
  readonly target: string;
  readonly value: string;
}

function assignmentsOf(
  shape: CollectionShape,
  changes: FieldChanges,
  parameters: SqlParameters,
): SqlAssignment[] {
  const { columns, flexible, removed, expiresAt } = changes;
  const assignments = columns.map(change => columnAssignment(shape, change, parameters));
  const rest = removed.length === 0 ? 't.x' : `(t.x - ${parameters.add(removed, 'text[]')})`;
  const added =
    Object.keys(flexible).length === 0 ? '' : ` || ${parameters.add(JSON.stringify(flexible), 'jsonb')}`;
  if (rest !== 't.x' || added !== '') assignments.push({ target: 'x', value: ofRecordSize(rest + added) });
  if (expiresAt !== undefined)
    assignments.push({ target: 'expires_at', value: parameters.add(expiresAt, 'timestamptz') });
  return assignments;
}

function columnAssignment(
  shape: CollectionShape,
  { column, change, value }: ColumnChange,
  parameters: SqlParameters,
): SqlAssignment {
  const definition = declaredColumn(shape.columns, column);
  if (definition === undefined) throw new Error(`there is no column ${column}`);
  const { name, castType, family } = COLUMN_TYPES[definition.type];
  const target = physicalColumn(definition);
  const operand = parameters.add(
    family === 'document' && value !== null ? JSON.stringify(value) : value,
    castType,
  );
  switch (change) {
    case 'set':
      return { target, value: operand };
    case 'min':
      return { target, value: `least(t.${target}, ${operand})` };
    case 'max':
      return { target, value: `greatest(t.${target}, ${operand})` };
    default: {
      const result = `coalesce(t.${target}, 0) ${change === 'inc' ? '+' : '*'} ${operand}`;
      return { target, value: name === 'integer' ? exactInteger(result) : `((${result}) + 0)` };
    }
  }
}

/** Beyond ±(2^53−1) the multiplication overflows, so that the statement fails with 22003; no constant, which would be
 * computed beforehand. */
function exactInteger(sql: string): string {
  return `CASE WHEN (${sql}) BETWEEN -9007199254740991 AND 9007199254740991 THEN (${sql}) ELSE (${sql}) * 1099511627776 END`;
}

/**
 * A record has at most 16 MiB; whoever asks for more must measure exactly. Of immutable functions only: on Citus no others
 * may be in a CASE of an update.
 */
function ofRecordSize(sql: string): string {
  const size = `octet_length((${sql})::text)`;
  return `CASE WHEN ${size} <= 16000000 THEN ${sql} ELSE power(${size}::float8, 400)::text::jsonb END`;
}
