import { queryOptions } from '@tanstack/react-query';
import { api } from './client.js';

/** The person who is signed in, with organizations and permissions. A 401 means that nobody is. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.authentication.getMe({}, { signal }),
  staleTime: 60_000,
});

/** What this installation offers to this person: pages hide what it lacks. */
export const featuresQuery = queryOptions({
  queryKey: ['features'],
  queryFn: ({ signal }) => api.authentication.getFeatures({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export type Me = Awaited<ReturnType<typeof api.authentication.getMe>>;
