import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { type Principal } from '../../api/directory.js';
import { accessKey } from '../../api/directory-queries.js';

export type Binding = Awaited<ReturnType<typeof api.sharing.listAccess>>['items'][number];
export type Explanation = Awaited<ReturnType<typeof api.sharing.explainAccess>>;

export const BINDINGS_PER_PAGE = 25;

export const bindingsQuery = (collection: string, page: number) =>
  queryOptions({
    queryKey: [...accessKey(collection), 'bindings', page],
    queryFn: ({ signal }) =>
      api.sharing.listAccess({ collection_id: collection, page, limit: BINDINGS_PER_PAGE }, { signal }),
  });

export const explanationQuery = (collection: string, { type, id }: Principal) =>
  queryOptions({
    queryKey: [...accessKey(collection), 'explanation', type, id],
    queryFn: ({ signal }) =>
      api.sharing.explainAccess(
        { collection_id: collection, principal_type: type, principal_id: id },
        { signal },
      ),
  });
