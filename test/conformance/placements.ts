import type pg from 'pg';
import type { JsonObject, JsonValue } from '../../src/base/kernel/json.js';
import { identifier, render, sql } from '../../src/base/sql/index.js';
import { COLUMN_TYPES, type ColumnType, id } from '../../src/engine/columns/index.js';
import {
  compileFilter,
  IRREGULAR,
  type PathKey,
  parseFilter,
  pathKey,
  type TableShape,
} from '../../src/engine/filter/index.js';

/** A table with one row per document (`n` counts from 0), and the shape that locates the document's fields. */
export interface Placement {
  readonly table: string;
  readonly shape: TableShape;
  /** The name of a filter's field in this placement. */
  readonly prefix: string;
}

export type TypedColumns = Readonly<Record<string, ColumnType>>;

/** Stores documents as flexible fields. */
export async function placeFlexible(client: pg.Client, table: string, documents: readonly JsonObject[]) {
  await client.query(
    `CREATE TEMP TABLE ${table} (n int, _id uuid DEFAULT gen_random_uuid(), x jsonb NOT NULL)`,
  );
  await client.query(
    `INSERT INTO ${table} (n, x) SELECT ordinality - 1, value FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY`,
    [JSON.stringify(documents)],
  );
  return placement(table, {}, '');
}

/** Stores documents as values of one json column, `doc`. */
export async function placeInJson(client: pg.Client, table: string, documents: readonly JsonObject[]) {
  await client.query(
    `CREATE TEMP TABLE ${table} (n int, _id uuid DEFAULT gen_random_uuid(), x jsonb DEFAULT '{}', doc jsonb)`,
  );
  await client.query(
    `INSERT INTO ${table} (n, doc) SELECT ordinality - 1, value FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY`,
    [JSON.stringify(documents)],
  );
  return placement(table, { doc: COLUMN_TYPES.json }, 'doc.');
}

/** Stores every field of a document in a typed column. */
export async function placeTyped(
  client: pg.Client,
  table: string,
  columns: TypedColumns,
  documents: readonly JsonObject[],
) {
  const named = Object.entries(columns);
  const declared = named.map(([name, type]) => `${name} ${render(type.sqlType).text}`).join(', ');
  const cast = named.map(([name, type]) => `${name} ${type.castType}`).join(', ');
  await client.query(
    `CREATE TEMP TABLE ${table} (n int, _id uuid DEFAULT gen_random_uuid(), x jsonb DEFAULT '{}', ${declared})`,
  );
  await client.query(
    `INSERT INTO ${table} (n, ${Object.keys(columns).join(', ')}) SELECT * FROM jsonb_to_recordset($1::jsonb) AS t(n int, ${cast})`,
    [JSON.stringify(documents.map((document, n) => ({ ...accepted(document, columns), n })))],
  );
  return placement(table, columns, '');
}

/** The same placement with an index on each path, of which the filters know. */
export async function indexed(
  client: pg.Client,
  { table, shape, prefix }: Placement,
  paths: readonly string[],
): Promise<Placement> {
  const root = prefix === '' ? sql`x` : sql`doc`;
  const keys = paths.map((path): [string, PathKey] => [path, pathKey(root, path.split('.'))]);
  for (const [, { code, hashes }] of keys) {
    const on = sql`ON ${identifier(table)}`;
    await client.query(render(sql`CREATE INDEX ${on} (${code} NULLS FIRST, _id)`));
    await client.query(render(sql`CREATE INDEX ${on} USING gin ((${hashes})) WHERE ${code} = ${IRREGULAR}`));
  }
  const pathKeys = new Map(keys.map(([path, key]) => [prefix + path, key]));
  return { table, prefix, shape: { ...shape, pathKeys } };
}

function accepted(document: JsonObject, columns: TypedColumns): JsonObject {
  const values = Object.entries(columns).map(([name, type]): [string, JsonValue] => {
    const value = document[name] ?? null;
    return [name, value === null ? null : type.accept(value)!];
  });
  return Object.fromEntries(values);
}

function placement(table: string, columns: TypedColumns, prefix: string): Placement {
  const all: TypedColumns = { ...columns, _id: id };
  return {
    table,
    prefix,
    shape: {
      flexible: sql`t.x`,
      column: name =>
        Object.hasOwn(all, name) ? { sql: sql`t.${identifier(name)}`, type: all[name]! } : undefined,
      textColumns: Object.keys(columns)
        .filter(name => columns[name] === COLUMN_TYPES.text)
        .map(name => sql`t.${identifier(name)}`),
    },
  };
}

/** The numbers of the documents that a filter finds in a placement. */
export async function matching(client: pg.Client, { table, shape, prefix }: Placement, filter: JsonObject) {
  const where = compileFilter(parseFilter(prefixed(filter, prefix)), shape);
  const { rows } = await client.query(
    render(sql`SELECT n FROM ${identifier(table)} t WHERE ${where} ORDER BY n`),
  );
  return rows.map(row => row.n as number);
}

/** Renames the fields of a filter, except inside `$elemMatch`, where they are fields of an element. */
function prefixed(filter: JsonObject, prefix: string): JsonObject {
  const entries = Object.entries(filter).map(([name, value]): [string, JsonValue] => {
    if (!name.startsWith('$')) return [prefix + name, value];
    return [name, Array.isArray(value) ? value.map(inner => prefixed(inner as JsonObject, prefix)) : value];
  });
  return Object.fromEntries(entries);
}
