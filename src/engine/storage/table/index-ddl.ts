import { identifier, joined, literal, NOTHING, type Sql, sql } from '../../../base/sql/index.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { foldedCase, IRREGULAR, pathKey, pathText } from '../../filter/index.js';
import {
  type CollectionShape,
  columnOf,
  declaredColumn,
  type IndexDefinition,
  type IndexSet,
  pathOf,
} from '../collection-shape.js';
import { tableOf } from '../table-sql.js';
import { hashesName, indexName } from './index-names.js';

/** Creates indexes and unique constraints in the caller's transaction. */
export async function createIndexes(
  transaction: Queryable,
  shape: CollectionShape,
  set: IndexSet,
): Promise<void> {
  for (const statements of indexStatements(shape, set, false).values()) {
    for (const statement of statements) await execute(transaction, statement);
  }
}

/** The statements that create each index of a set in the database, by its name. */
export function indexStatements(
  shape: CollectionShape,
  { indexes, uniques }: IndexSet,
  concurrently: boolean,
): ReadonlyMap<string, readonly Sql[]> {
  const all = new Map<string, readonly Sql[]>();
  for (const index of indexes) {
    const name = indexName(shape, index, false);
    const paths = index.properties.filter(property => pathOf(shape, property));
    const definition = literal(JSON.stringify(index));
    // The name of an index on paths does not tell the paths.
    const comment = sql`COMMENT ON INDEX ${orgTable(shape.orgId, name)} IS ${definition}`;
    all.set(name, [indexDdl(shape, index, false, concurrently), ...(paths.length > 0 ? [comment] : [])]);
    if (index.kind !== undefined) continue;
    for (const path of paths) all.set(hashesName(shape, path), [hashesDdl(shape, path, concurrently)]);
  }
  for (const unique of uniques) {
    all.set(indexName(shape, unique, true), [indexDdl(shape, unique, true, concurrently)]);
  }
  return all;
}

/**
 * SQL that creates an index. Nulls first ascending is MongoDB's order; `_id` at the end lets the index serve pages in
 * both directions. A single document column gets a GIN index, which serves searches inside documents. A search index has
 * the trigrams of the texts.
 */
export function indexDdl(
  shape: CollectionShape,
  index: IndexDefinition,
  unique: boolean,
  concurrently = false,
): Sql {
  const name = indexName(shape, index, unique);
  const head = sql`CREATE ${unique ? sql`UNIQUE ` : NOTHING}INDEX ${naming(shape, name, concurrently)}`;
  if (index.kind === 'search') {
    const texts = index.properties.map(property => sql`(${searchedText(shape, property)}) ${TRIGRAMS}`);
    return sql`${head} USING gin (${joined(texts)})`;
  }
  const [first, ...others] = index.properties;
  if (!unique && first !== undefined && others.length === 0 && isDocument(shape, first)) {
    // Must be the same expression that filters use.
    return sql`${head} USING gin ((coalesce(${columnOf(shape, first)}, 'null'::jsonb)) jsonb_path_ops)`;
  }
  const keys = index.properties.map(property => sql`${orderedValue(shape, property)} NULLS FIRST`);
  return sql`${head} (${joined([...keys, ...(unique ? [] : [sql`_id`])])})`;
}

/** SQL that creates the index of the hashes of a path, which has only the records that are not regular. */
function hashesDdl(shape: CollectionShape, property: string, concurrently: boolean): Sql {
  const { root, path } = pathOf(shape, property)!;
  const { code, hashes } = pathKey(identifier(root), path);
  const name = hashesName(shape, property);
  return sql`CREATE INDEX ${naming(shape, name, concurrently)} USING gin ((${hashes})) WHERE ${code} = ${IRREGULAR}`;
}

function naming(shape: CollectionShape, name: string, concurrently: boolean): Sql {
  return sql`${concurrently ? sql`CONCURRENTLY ` : NOTHING}${identifier(name)} ON ${tableOf(shape)}`;
}

function isDocument({ columns }: CollectionShape, property: string): boolean {
  const column = declaredColumn(columns, property);
  return column !== undefined && COLUMN_TYPES[column.type].family === 'document';
}

function orderedValue(shape: CollectionShape, property: string): Sql {
  const found = pathOf(shape, property);
  return found === undefined ? columnOf(shape, property) : pathKey(identifier(found.root), found.path).code;
}

function searchedText(shape: CollectionShape, property: string): Sql {
  const found = pathOf(shape, property);
  return found === undefined
    ? foldedCase(columnOf(shape, property))
    : pathText(identifier(found.root), found.path);
}

/** The operator class of search indexes. It belongs to the extension pg_trgm, which a migration creates. */
const TRIGRAMS = sql`public.gin_trgm_ops`;

/** True when this database can build search indexes. */
export async function hasTrigrams(connection: Queryable): Promise<boolean> {
  const rows = await execute(
    connection,
    sql`SELECT FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND opcnamespace = 'public'::regnamespace`,
  );
  return rows.length > 0;
}
