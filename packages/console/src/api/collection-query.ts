import { queryOptions } from '@tanstack/react-query';
import { api } from './client.js';

export type CollectionInfo = Awaited<ReturnType<typeof api.collections.getCollection>>;

/**
 * One collection by id or name: schema, settings, the role and the rights of the caller. It is read again when the window
 * gets the focus, because somebody else may have changed the schema.
 */
export const collectionQuery = (collection: string) =>
  queryOptions({
    queryKey: ['collection', collection],
    queryFn: ({ signal }) => api.collections.getCollection({ collection_id: collection }, { signal }),
    refetchOnWindowFocus: true,
  });
