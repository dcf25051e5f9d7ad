import type { Queryable } from '../../database/queryable.js';
import { invalid } from '../../kernel/errors.js';
import type { CollectionShape, IndexDefinition } from '../../storage/collection-shape.js';
import { hasTrigrams } from '../../storage/table/table.js';

/** Throws 400 for an index of a kind that this database cannot build. */
export async function requireKinds(
  connection: Queryable,
  indexes: readonly IndexDefinition[],
): Promise<void> {
  const at = indexes.findIndex(({ kind }) => kind === 'search');
  if (at < 0 || (await hasTrigrams(connection))) return;
  throw invalid(
    `indexes.${at}.kind: the database has no search indexes, because it lacks the extension pg_trgm. The operator can create it: CREATE EXTENSION pg_trgm WITH SCHEMA public.`,
  );
}

/** Throws 400 for a change of a column's type that an index of the collection does not allow. */
export function requireIndexable(
  { columns }: Pick<CollectionShape, 'columns'>,
  indexes: readonly IndexDefinition[],
): void {
  for (const { kind, properties } of indexes) {
    const other = properties.find(name => columns[name]?.type !== 'text');
    if (kind === 'search' && other !== undefined)
      throw invalid(
        `properties.${other}.type: the column is in an index of the kind search. Drop the index first.`,
      );
  }
}
