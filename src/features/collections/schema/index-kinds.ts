import { invalid } from '../../../base/kernel/errors.js';
import { param, sql } from '../../../base/sql/index.js';
import {
  type CollectionShape,
  type IndexDefinition,
  pathOf,
} from '../../../engine/storage/collection-shape.js';
import { hasTrigrams } from '../../../engine/storage/table/index-ddl.js';
import { tableOf } from '../../../engine/storage/table-sql.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';

/** Throws 400 for an index that this database cannot build, and for one on a field that no record has. */
export async function requireBuildable(
  connection: Queryable,
  collection: CollectionShape,
  indexes: readonly IndexDefinition[],
  { allow_unknown }: { readonly allow_unknown?: boolean | undefined },
): Promise<void> {
  await requireKinds(connection, indexes);
  if (!allow_unknown) await requireKnownFields(connection, collection, indexes);
}

async function requireKinds(connection: Queryable, indexes: readonly IndexDefinition[]): Promise<void> {
  const at = indexes.findIndex(({ kind }) => kind === 'search');
  if (at < 0 || (await hasTrigrams(connection))) return;
  throw invalid(
    `indexes.${at}.kind: the database has no search indexes, because it lacks the extension pg_trgm. The operator can create it: CREATE EXTENSION pg_trgm WITH SCHEMA public.`,
  );
}

/** Fields of indexes that the collection has already are known. */
async function requireKnownFields(
  connection: Queryable,
  collection: CollectionShape,
  indexes: readonly IndexDefinition[],
): Promise<void> {
  const known = new Set(flexibleFields(collection, collection.indexes ?? []));
  const fields = flexibleFields(collection, indexes).filter(field => !known.has(field));
  if (fields.length === 0) return;
  const [unknown] = await execute(
    connection,
    sql`SELECT field FROM unnest(${param(fields, 'text[]')}) AS named(field)
      WHERE NOT EXISTS (SELECT FROM ${tableOf(collection)} t WHERE t.x ? field) LIMIT 1`,
  );
  if (unknown === undefined) return;
  const at = indexes.findIndex(index => flexibleFields(collection, [index]).includes(unknown.field));
  throw invalid(
    `indexes.${at}.properties: ${JSON.stringify(unknown.field)} is neither a column nor a field of any record. Correct the name, or send allow_unknown: true.`,
  );
}

function flexibleFields(shape: CollectionShape, indexes: readonly IndexDefinition[]): string[] {
  const paths = indexes.flatMap(({ properties }) => properties).map(name => pathOf(shape, name));
  return [...new Set(paths.flatMap(found => (found?.root === 'x' ? [found.path[0] as string] : [])))];
}
