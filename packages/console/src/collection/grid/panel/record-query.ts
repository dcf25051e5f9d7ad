import { queryOptions } from '@tanstack/react-query';
import type { AnyCollection, Collection } from '@typed-collections/client';

/** One record with its whole values. */
export const recordQuery = (collection: Collection<AnyCollection>, recordId: string) =>
  queryOptions({
    queryKey: ['record', collection.id, recordId],
    queryFn: ({ signal }) => collection.get(recordId, { signal }),
    staleTime: 0,
    // Whole values can be large.
    gcTime: 10_000,
  });
