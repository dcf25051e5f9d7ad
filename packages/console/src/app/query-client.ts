import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { sessionEnded } from './session-state.js';

/** A session that ended while a page was open is noticed by whatever request comes next. */
function onError(error: unknown): void {
  if (error instanceof TcError && error.status === 401) sessionEnded();
}

/** The client of the API repeats requests itself, so that the cache need not. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: { queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: false } },
});
