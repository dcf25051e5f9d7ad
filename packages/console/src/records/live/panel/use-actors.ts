import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { meQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import type { RecordChange } from '../feed/ports.js';
import { actorOf } from './actors.js';

const MOST_EVENTS = 100;

/** Names who made a change, for those who may read the log of the collection; undefined for everybody else. */
export function useActors(
  { collection_id, my_role, orgSlug }: CollectionInfo,
  changes: readonly RecordChange[],
): ((change: RecordChange) => string) | undefined {
  const mayRead = my_role === 'admin' || my_role === 'owner';
  const { data: me } = useQuery(meQuery);
  const newest = changes[0]?.id;
  const { data: events } = useQuery({
    queryKey: ['live-actors', collection_id, newest],
    queryFn: async ({ signal }) => {
      const { items } = await api.collections.listAuditEvents(
        { collection_id, limit: MOST_EVENTS },
        { signal },
      );
      return items;
    },
    enabled: mayRead && newest !== undefined,
    placeholderData: before => before,
  });
  const { data: members } = useQuery({
    queryKey: ['members', orgSlug],
    queryFn: async ({ signal }) => {
      return (await api.members.listOrgMembers({ orgSlug, limit: 100 }, { signal })).results;
    },
    enabled: events !== undefined,
    staleTime: 300_000,
  });
  if (events === undefined) return undefined;
  return change => {
    const actor = actorOf(change, events);
    if (actor === undefined) return t('live.somebody');
    if (actor.id === me?.id) return t('live.you');
    const member = members?.find(({ userId }) => userId === actor.id);
    const name = [member?.firstName, member?.lastName].filter(Boolean).join(' ');
    return name || (member?.email ?? t('live.actor', { type: actor.type, id: actor.id.slice(-8) }));
  };
}
