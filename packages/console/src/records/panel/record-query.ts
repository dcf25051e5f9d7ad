import { queryOptions } from '@tanstack/react-query';
import type { AnyCollection, Collection } from '@typed-collections/client';

/** One record with its whole values, as it is or as it was at an instant. */
export const recordQuery = (collection: Collection<AnyCollection>, recordId: string, asOf?: string) =>
  queryOptions({
    queryKey: ['record', collection.id, recordId, { asOf }],
    queryFn: ({ signal }) => collection.get(recordId, { asOf, signal }),
    staleTime: 0,
    // Whole values can be large.
    gcTime: 10_000,
  });
