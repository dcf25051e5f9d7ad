import type { JsonObject, JsonValue } from '../../../base/kernel/json.js';
import { MAX_VALUES } from '../../../base/kernel/limits.js';
import { Cte, joined, literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { COLUMN_TYPES, type ColumnType } from '../../columns/index.js';
import { type CollectionShape, columnOf, declaredColumn } from '../collection-shape.js';
import { refused } from '../refused-value.js';
import { currentVersion, partCtes, type Statement, type WriteParts } from '../statement.js';
import { type TableColumn, tableOf } from '../table-sql.js';
import { allowedColumn, writeMarks } from './insert.js';
import { flexibleIf, LONG, mayBeOversize } from './record-size.js';
import { isDone, lockedIds, type Selection, withinBound } from './selection.js';

/** The change of a declared column in one statement. The arithmetic is for columns of numbers and treats NULL as 0. */
export interface ColumnChange {
  readonly column: string;
  readonly change: 'set' | 'inc' | 'mul' | 'min' | 'max';
  readonly value: JsonValue;
}

/** Validated changes of top-level fields. */
export interface FieldChanges {
  readonly columns: readonly ColumnChange[];
  readonly flexible: JsonObject;
  /** Flexible fields to remove. */
  readonly removed: readonly string[];
  /** New time of expiry of the records; null means never, undefined leaves it unchanged. */
  readonly expiresAt?: Date | null | undefined;
}

/**
 * Changes fields of the selected records, with the audit event. One row: the count of version checks that held, records
 * matched, records changed, and the record's id when the selection is `oldest`. A record that already has all the
 * values is matched but not written. Refuses a number beyond the range of its column, and the size of
 * a record that may be too large (`isRefusedFor`).
 */
export function changeStatement(
  shape: CollectionShape,
  selection: Selection,
  changes: FieldChanges,
  parts: WriteParts,
): Statement {
  const current = currentVersion(shape, parts);
  const matched = new Cte('matched', lockedIds(shape, selection, current));
  const { assigned, differs } = assignments(shape, changes, parameters(changes));
  const bound = withinBound(selection, matched);
  const written = new Cte(
    'written',
    sql`
      UPDATE ${tableOf(shape)} t SET ${writeMarks(shape, param(parts.author, 'uuid'))}${assigned}
      FROM ${matched} m WHERE t._id = m._id AND (${differs}) AND ${bound}
      RETURNING t._id${allowedColumn(shape, sql`m.held`)}`,
  );
  const done = () => isDone(selection, { current, matched, written, bound });
  const oldest = 'oldest' in selection ? sql`, (SELECT _id::text FROM ${matched}) AS id` : NOTHING;
  return {
    ctes: [current, matched, written, ...partCtes(shape, parts, written, done)],
    query: sql`
    SELECT (SELECT count(*) FROM ${current})::int AS current, (SELECT count(*) FROM ${matched})::int AS matched,
      (SELECT count(*) FROM ${written})::int AS written${oldest}`,
  };
}

/** SQL of the values in `FieldChanges`. */
export interface Operands {
  /** `position`: of the change in `columns`. */
  readonly column: (position: number, type: ColumnType) => Sql;
  /** Undefined when no flexible field is added. */
  readonly flexible: Sql | undefined;
  /** Undefined when no flexible field is removed. */
  readonly removed: Sql | undefined;
}

/** The values as parameters of the statement. */
function parameters({ columns, flexible, removed }: FieldChanges): Operands {
  return {
    column: (position, { castType, family }) => {
      const { value } = columns[position] as ColumnChange;
      return param(family === 'document' && value !== null ? JSON.stringify(value) : value, castType);
    },
    flexible: isEmpty(flexible) ? undefined : param(JSON.stringify(flexible), 'jsonb'),
    removed: removed.length === 0 ? undefined : param(removed, 'text[]'),
  };
}

export function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}

/** SQL of the changes: `assigned` for SET, with a comma before each; `differs` is true for a record to write. */
export function assignments(
  shape: CollectionShape,
  { columns, expiresAt }: FieldChanges,
  { column, flexible, removed }: Operands,
): { assigned: Sql; differs: Sql } {
  const made = columns.map((change, position) => {
    const definition = declaredColumn(shape.columns, change.column);
    if (definition === undefined) throw new Error(`there is no column ${change.column}`);
    const type = COLUMN_TYPES[definition.type];
    return columnAssignment(columnOf(shape, change.column), change, type, column(position, type));
  });
  const isFlexible = removed !== undefined || flexible !== undefined;
  const rest = removed === undefined ? sql`t.x` : sql`(t.x - ${removed})`;
  const whole = flexible === undefined ? rest : sql`${rest} || ${flexible}`;
  const x = { target: sql`x`, value: isFlexible ? withSureCount(whole) : whole };
  if (isFlexible) made.push(x);
  if (expiresAt !== undefined) made.push({ target: sql`expires_at`, value: param(expiresAt, 'timestamptz') });
  const differs = made.map(({ target, value }) => sql`t.${target} IS DISTINCT FROM ${value}`);
  if (setsLongValue(columns)) {
    const set = new Map(columns.map((change, position) => [change.column, made[position]?.value]));
    const record = {
      flexible: whole,
      column: ({ name, column }: TableColumn) => set.get(name) ?? sql`t.${column}`,
    };
    const sized = { ...x, value: flexibleIf(sql`NOT ${mayBeOversize(shape, record)}`, x.value) };
    made.splice(isFlexible ? made.indexOf(x) : made.length, 1, sized);
  }
  return {
    assigned: joined(
      made.map(({ target, value }) => sql`, ${target} = ${value}`),
      '',
    ),
    differs: differs.length === 0 ? sql`false` : joined(differs, ' OR '),
  };
}

/**
 * True when the changes may make a record much larger. Without that, the columns of a record can grow to 2 MB beyond the
 * limit, because there are at most 500.
 */
export function setsLongValue(columns: readonly ColumnChange[]): boolean {
  return columns.some(({ change, value }) => change === 'set' && isLong(value));
}

function isLong(value: JsonValue): boolean {
  if (typeof value === 'string') return value.length > LONG;
  return value !== null && typeof value === 'object' && JSON.stringify(value).length > LONG;
}

interface SqlAssignment {
  readonly target: Sql;
  readonly value: Sql;
}

function columnAssignment(
  target: Sql,
  { change }: ColumnChange,
  { name }: ColumnType,
  operand: Sql,
): SqlAssignment {
  switch (change) {
    case 'set':
      return { target, value: operand };
    case 'min':
      return { target, value: sql`least(t.${target}, ${operand})` };
    case 'max':
      return { target, value: sql`greatest(t.${target}, ${operand})` };
    default: {
      const before = sql`coalesce(t.${target}, 0)`;
      const result = change === 'inc' ? sql`${before} + ${operand}` : sql`${before} * ${operand}`;
      return { target, value: name === 'integer' ? exactInteger(result) : sql`((${result}) + 0)` };
    }
  }
}

/** The number, which the statement refuses beyond ±(2^53−1). */
function exactInteger(value: Sql): Sql {
  return sql`CASE WHEN (${value}) BETWEEN -9007199254740991 AND 9007199254740991 THEN (${value}) ELSE ${refused(value, 'number')} END`;
}

/** Text of flexible fields up to this length has no more than MAX_VALUES values: each has a character, a comma and a space. */
const SURE_BYTES = 3 * MAX_VALUES;

/**
 * Refuses flexible fields that are so long that they may have more values than a record may have; the caller then counts
 * them exactly.
 */
function withSureCount(value: Sql): Sql {
  return flexibleIf(sql`octet_length((${value})::text) <= ${literal(SURE_BYTES)}`, value);
}
