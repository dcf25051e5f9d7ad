import { useMutation, useQueryClient } from '@tanstack/react-query';
import { collectionQuery } from '../../api/collection-query.js';
import { accessKey } from '../../api/directory-queries.js';
import { accessRoute } from './route.js';

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
