import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { refreshCollection, refreshSoon } from '../use-schema.js';
import { entriesOf, entryKey, type IndexEntry, setOf } from './index-set.js';

/** An entry to build, or one to drop. */
export type IndexChange = { readonly add: IndexEntry } | { readonly remove: IndexEntry };

/**
 * Builds or drops one index. The service takes the full set, so the present one is read right before: an index that
 * somebody else has built meanwhile stays.
 */
export function useIndexChange(info: CollectionInfo, inAddress: string) {
  const queries = useQueryClient();
  const { collection_id } = info;
  return useMutation({
    mutationFn: async (change: IndexChange) => {
      const present = entriesOf(await api.collections.getCollection({ collection_id }));
      const key = entryKey('add' in change ? change.add : change.remove);
      const others = present.filter(entry => entryKey(entry) !== key);
      const wanted = 'add' in change ? [...others, change.add] : others;
      refreshSoon(queries, inAddress);
      return api.schema.applyIndexes({ collection_id, ...setOf(wanted) });
    },
    onSettled: () => refreshCollection(queries, inAddress),
  });
}
