import { type QueryClient, useQuery } from '@tanstack/react-query';
import { type CollectionInfo, collectionQuery } from '../../api/collection-query.js';

/** How often the progress of a change is asked for. */
const POLL_MS = 1_000;

/** The collection, asked for again and again while its schema changes or its indexes are built. */
export function useSchema(collection: string): CollectionInfo | undefined {
  const { data } = useQuery({
    ...collectionQuery(collection),
    refetchInterval: ({ state }) => (state.data?.status === 'building' ? POLL_MS : false),
  });
  return data;
}

/** Reads the collection again after a change, and what the pages show of its records. */
export function refreshCollection(queries: QueryClient, collection: string): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['collections'] });
  void queries.invalidateQueries({ queryKey: ['find', 'fields'] });
  return queries.invalidateQueries({ queryKey: collectionQuery(collection).queryKey });
}

/**
 * Reads the collection again a moment after a change was asked for. The service answers when the change is made;
 * meanwhile the collection says that it is being changed.
 */
export function refreshSoon(queries: QueryClient, collection: string): void {
  setTimeout(() => void refreshCollection(queries, collection), 500);
}
