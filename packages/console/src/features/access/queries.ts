import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { collectionQuery } from '../../api/collection-query.js';
import type { Principal } from '../../api/directory.js';
import { accessKey } from '../../api/directory-queries.js';
import { accessRoute } from '../../api/routes.js';

export type Binding = Awaited<ReturnType<typeof api.sharing.listAccess>>['items'][number];
/** The explanation of the access to a collection: that of a record has `grants`. */
export type Explanation = Exclude<
  Awaited<ReturnType<typeof api.sharing.explainAccess>>,
  { readonly grants: unknown }
>;

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
    queryFn: async ({ signal }) => {
      const named = { collection_id: collection, principal_type: type, principal_id: id };
      return (await api.sharing.explainAccess(named, { signal })) as Explanation;
    },
  });

/** Reads everything about access again, and the rights of the caller, who may have changed their own. */
export function useAccessReload(): () => Promise<unknown> {
  const { collection } = accessRoute.useParams();
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: accessKey(collection) }),
      queries.invalidateQueries({ queryKey: collectionQuery(collection).queryKey }),
    ]);
}

/** A change of access. Afterwards the page shows what the service says. */
export function useAccessChange<Input>(change: (input: Input) => Promise<unknown>) {
  const reload = useAccessReload();
  return useMutation({ mutationFn: change, onSettled: reload });
}
