import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionEnded } from '../../../api/page-flags.js';
import { announceSession } from '../../../api/session-return.js';

/** The first page of somebody who asked for none. */
export const HOME = '/console/collections';

/** Opens the next page for the person who has signed in. Removes from memory what was read for another person. */
export function useEnter(): (next?: string) => void {
  const queryClient = useQueryClient();
  const router = useRouter();
  return (next = HOME) => {
    queryClient.clear();
    sessionEnded.set(false);
    announceSession();
    if (/^\/console(?=[/?#]|$)/.test(next)) router.history.push(next);
    else location.assign(next);
  };
}
