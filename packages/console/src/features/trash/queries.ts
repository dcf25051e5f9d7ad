import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';

export const PER_PAGE = 25;

/** The beginning of the keys of the trash, so that a restored collection leaves it. */
export const TRASH = ['trash'] as const;

/** One page of the deleted collections that the person may restore. */
export const trashQuery = (page: number) =>
  queryOptions({
    queryKey: [...TRASH, page],
    queryFn: ({ signal }) => api.collections.listTrash({ page, limit: PER_PAGE }, { signal }),
  });

export type Trashed = Awaited<ReturnType<typeof api.collections.listTrash>>['items'][number];
