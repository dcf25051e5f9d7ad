import { infiniteQueryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';

const PER_PAGE = 20;

export type RecordVersion = Awaited<ReturnType<typeof api.history.getRecordHistory>>['items'][number];

/** The versions of a record, the newest first. */
export const recordHistoryQuery = (collectionId: string, recordId: string) =>
  infiniteQueryOptions({
    // Begins as the key of the record, which is read again after it was written.
    queryKey: ['record', collectionId, recordId, 'history'],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      api.history.getRecordHistory(
        { collection_id: collectionId, record_id: recordId, limit: PER_PAGE, cursor: pageParam },
        { signal },
      ),
    getNextPageParam: page => page.next_cursor ?? undefined,
    staleTime: 0,
    // Whole values can be large.
    gcTime: 10_000,
  });
