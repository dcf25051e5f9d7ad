import type { CollectionInfo } from '../../../api/collection-query.js';
import type { IndexKind } from './index-set.js';

/** What an index of a kind can cover: columns, and for indexes also other fields and paths into them. */
export function indexableNames(
  kind: IndexKind,
  schema: CollectionInfo['schema'],
  otherFields: readonly string[],
): readonly string[] {
  const columns = Object.entries(schema).flatMap(([name, { type }]) =>
    kind === 'search' && type !== 'text' ? [] : [name],
  );
  return kind === 'unique' ? columns : [...columns, ...otherFields];
}
