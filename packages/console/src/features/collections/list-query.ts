import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import type { CollectionsSearch } from './search.js';

export const PER_PAGE = 25;

const SCOPES = { own: 'owned', shared: 'shared' } as const;

/** One page of the list. The old page stays visible while the next one is loaded. */
export const listQuery = ({ q, sort = 'name', show, page = 1 }: CollectionsSearch) =>
  queryOptions({
    queryKey: ['collections', { q, sort, show, page }],
    queryFn: ({ signal }) =>
      api.collections.listCollections(
        {
          scope: show === undefined ? 'all' : SCOPES[show],
          sort,
          page,
          limit: PER_PAGE,
          ...(q !== undefined && { q }),
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });

type ListPage = Awaited<ReturnType<typeof api.collections.listCollections>>;

/** A collection as the list has it. */
export type ListedCollection = ListPage['items'][number];
