import { param, render, sql } from '../../../base/sql/index.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { type CollectionShape } from '../collection-shape.js';
import { tableOf } from '../table-sql.js';
import { buildIndexes } from './index-build.js';

/** True for the names of search indexes of version 1.1.0, which were on texts in lower case. */
const IS_FORMER = sql`i.relkind IN ('i', 'I') AND i.relname LIKE 's\\_%'`;

/** The ids of collections with search indexes of version 1.1.0. Only reads. */
export async function collectionsWithFormerSearch(connection: Queryable): Promise<string[]> {
  const rows: { id: string }[] = await execute(
    connection,
    sql`SELECT DISTINCT substr(t.relname, 3) AS id
      FROM pg_class i JOIN pg_index x ON x.indexrelid = i.oid JOIN pg_class t ON t.oid = x.indrelid
      WHERE ${IS_FORMER} AND t.relname ~ '^c_[0-9a-f]{32}$'`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Builds the search indexes of a collection and drops those of version 1.1.0, without blocking readers and writers. The
 * connection is as for `buildIndexes`.
 */
export async function replaceFormerSearch(connection: Queryable, shape: CollectionShape): Promise<void> {
  const indexes = (shape.indexes ?? []).filter(({ kind }) => kind === 'search');
  await buildIndexes(connection, shape, { indexes, uniques: [] });
  const table = param(render(tableOf(shape)).text, 'text');
  const former: { relname: string }[] = await execute(
    connection,
    sql`SELECT i.relname FROM pg_class i JOIN pg_index x ON x.indexrelid = i.oid
      WHERE ${IS_FORMER} AND x.indrelid = to_regclass(${table})`,
  );
  for (const { relname } of former) {
    await execute(connection, sql`DROP INDEX CONCURRENTLY IF EXISTS ${orgTable(shape.orgId, relname)}`);
  }
}
