import { BoundedMap } from '../../../base/kernel/bounds/bounded-map.js';
import { Cte, identifier, joined, param, type Sql, sql, typeName } from '../../../base/sql/index.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { ALIVE, type CollectionShape, declaredColumn } from '../collection-shape.js';
import { namingEvent } from '../history/named-event.js';
import { lockTimeout, type SharedParts, type Statement, sharedCtes, versionCheck } from '../statement.js';
import { tableOf } from '../table-sql.js';
import {
  assignments,
  type ColumnChange,
  type FieldChanges,
  isEmpty,
  type Operands,
  setsLongValue,
} from './change.js';
import { writeMarks } from './insert.js';
import { LONG } from './record-size.js';

/** Changes of one record, for a statement that changes several. */
export interface SharedChange {
  /** In lower case, as the database returns it. */
  readonly recordId: string;
  readonly changes: FieldChanges;
  /** The record's id, the author and the values of the changes as JSON. */
  readonly json: string;
  /** Changes of one collection that have the same key have the same SQL: they differ in their values only. */
  readonly key: string;
}

/** `author`: the caller, as records name it. */
export function sharedChange(id: string, changes: FieldChanges, author: string | null): SharedChange {
  const { columns, flexible, removed } = changes;
  const recordId = id.toLowerCase();
  const row: Record<string, unknown> = { _id: recordId, author };
  let key = '';
  for (let position = 0; position < columns.length; position++) {
    const { column, change, value } = columns[position] as ColumnChange;
    row[valueName(position)] = value;
    // No name has a NUL character.
    key += `${change} ${column}\0`;
  }
  if (!isEmpty(flexible)) {
    row.x = flexible;
    key += 'x';
  }
  if (removed.length > 0) {
    row.u = removed;
    key += 'u';
  }
  const json = JSON.stringify(row);
  if (json.length > LONG && setsLongValue(columns)) key += 'long';
  return { recordId, changes, json, key };
}

/** Names of the first values. To make a name for each value of each update takes twice as long as to look it up. */
const VALUE_NAMES = Array.from({ length: 32 }, (_, position) => `v${position}`);

function valueName(position: number): string {
  return VALUE_NAMES[position] ?? `v${position}`;
}

/**
 * Changes records as `changeStatement` changes one, with an audit event for each. All changes have the same key, and no
 * record comes twice. One row: the count of version checks that held, and the ids of the records matched and of those
 * changed, and, when some have an Idempotency-Key, of those whose key is free or that have none; each separated by commas,
 * null for none.
 * `lockTimeoutMs`: see `sharedInsertsStatement`.
 */
export function sharedChangesStatement(
  shape: CollectionShape,
  records: readonly SharedChange[],
  parts: SharedParts,
  lockTimeoutMs: number,
): Statement {
  const { assigned, differs, typed } = changeSql(shape, records);
  const rows = param(`[${records.map(({ json }) => json).join()}]`, 'jsonb');
  const current = new Cte(
    'version_check',
    sql`${versionCheck(shape)}${namingEvent(shape, parts)} AND ${lockTimeout(lockTimeoutMs)}`,
    {
      materialized: true,
    },
  );
  const free = parts.free(current);
  // Records are locked in the order of ids, as in every write, so that two writes cannot deadlock.
  const matched = new Cte(
    'matched',
    sql`SELECT t._id FROM ${current}, ${tableOf(shape)} t WHERE ${ALIVE} AND t._id = ANY(${free === undefined ? idsOfAll(records) : sql`ARRAY(SELECT _id FROM ${free})`})
    ORDER BY t._id FOR UPDATE OF t`,
  );
  const written = new Cte(
    'written',
    sql`
      UPDATE ${tableOf(shape)} t SET ${writeMarks(shape, sql`r.author`)}${assigned}
      FROM ${matched} m JOIN jsonb_to_recordset(${rows}) AS r(_id uuid, author uuid, x jsonb, u text[]${typed}) ON r._id = m._id
      WHERE t._id = m._id AND (${differs})
      RETURNING t._id`,
  );
  const idsOf = (cte: Cte) => sql`(SELECT string_agg(_id::text, ',') FROM ${cte})`;
  const counts = sql`SELECT (SELECT count(*) FROM ${current})::int AS current, ${idsOf(matched)} AS matched, ${idsOf(written)} AS written`;
  const side = sharedCtes(parts, free, matched, written);
  if (free === undefined) return { ctes: [current, matched, written, ...side], query: counts };
  return {
    ctes: [current, free, matched, written, ...side],
    query: sql`${counts}, ${idsOf(free)} AS free`,
  };
}

function idsOfAll(records: readonly SharedChange[]): Sql {
  return param(
    records.map(({ recordId }) => recordId),
    'uuid[]',
  );
}

/** The SQL of all changes with the same key. It contains no values, so it is made once. */
interface ChangeSql {
  readonly assigned: Sql;
  readonly differs: Sql;
  /** The values in the row `r`: `, v0 text, v1 bigint`. */
  readonly typed: Sql;
}

/** The keys that are remembered for a collection. Clients choose which fields they change. */
const MAX_KEYS = 100;
const known = new WeakMap<CollectionShape, BoundedMap<string, ChangeSql>>();

/** The SQL of changes with the same key. */
function changeSql(shape: CollectionShape, [first]: readonly SharedChange[]): ChangeSql {
  const { key, changes } = first as SharedChange;
  const ofKeys = known.get(shape) ?? new BoundedMap<string, ChangeSql>(MAX_KEYS);
  known.set(shape, ofKeys);
  let made = ofKeys.get(key);
  if (made === undefined) {
    made = { ...assignments(shape, changes, ofRow(changes)), typed: typed(shape, changes) };
    ofKeys.set(key, made);
  }
  return made;
}

/** The values in the row `r`. */
function ofRow({ flexible, removed }: FieldChanges): Operands {
  return {
    column: position => sql`r.${identifier(valueName(position))}`,
    flexible: isEmpty(flexible) ? undefined : sql`r.x`,
    removed: removed.length === 0 ? undefined : sql`r.u`,
  };
}

function typed(shape: CollectionShape, { columns }: FieldChanges): Sql {
  const list = columns.map(({ column }, position) => {
    const definition = declaredColumn(shape.columns, column);
    if (definition === undefined) throw new Error(`there is no column ${column}`);
    return sql`, ${identifier(valueName(position))} ${typeName(COLUMN_TYPES[definition.type].castType)}`;
  });
  return joined(list, '');
}
