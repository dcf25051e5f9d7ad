import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/session.js';
import { ORGANIZATION } from './lists.js';
import { mayInOrganization } from './rights.js';

/** The person who is signed in, and the active organization. The page of the organization is shown to members only. */
export function useOrganization() {
  const { data: me } = useSuspenseQuery(meQuery);
  if (me.org === null) throw new Error('The person belongs to no organization.');
  return {
    me,
    org: me.org,
    orgSlug: me.org.slug,
    may: (permission: string) => mayInOrganization(me, permission),
  };
}

/** Carries out a change, and then reads the organization again. */
export function useChange() {
  const queryClient = useQueryClient();
  return async <T>(change: () => Promise<T>): Promise<T> => {
    const answer = await change();
    await queryClient.invalidateQueries({ queryKey: ORGANIZATION });
    return answer;
  };
}
