import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { NetworkError, TcError } from '@typed-collections/client';
import { serviceUnreachable, sessionEnded } from './page-flags.js';

/**
 * Whatever request comes next notices that the session ended or that the service is away. Requests beside the query cache
 * report their failures here.
 */
export function noticeFailure(error: unknown): void {
  if (error instanceof TcError && error.status === 401) sessionEnded.set(true);
  if (error instanceof NetworkError) serviceUnreachable.set(true);
}

/** The client of the API repeats requests itself, so that the cache need not. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeFailure }),
  mutationCache: new MutationCache({ onError: noticeFailure }),
  defaultOptions: {
    // A browser that says it is offline may still reach a service on the same machine.
    queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** Sends the requests again that failed, after their cause is gone. */
export function repeatFailedQueries(): void {
  void queryClient.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
}
