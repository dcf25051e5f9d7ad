import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@typed-collections/client/api';
import { t } from '../../../i18n/language.js';
import { fullName } from '../../../values/person.js';
import { agentsQuery, membersQuery, serviceAccountsQuery } from '../lists.js';
import { useOrganization } from '../use-organization.js';

type Actor = Schemas['AuditActorView'];

interface NamedActor {
  readonly id: string;
  readonly name: string;
}

/** Who can be found in the log by name: the first members, agents and service accounts. */
export function useActors() {
  const { orgSlug, may } = useOrganization();
  const { data: members } = useQuery(membersQuery(orgSlug));
  const { data: agents } = useQuery(agentsQuery(orgSlug));
  const { data: accounts } = useQuery({
    ...serviceAccountsQuery(orgSlug),
    enabled: may('orgs:service-accounts:manage'),
  });
  const actors: NamedActor[] = [
    ...(members?.results ?? []).map(({ userId: id, ...person }) => ({
      id,
      name: fullName(person) || (person.email ?? id),
    })),
    ...(agents?.results ?? []),
    ...(accounts?.results ?? []),
  ];
  return { actors, nameOfActor: (actor: Actor) => nameOfActor(actor, actors) };
}

/** The name of an actor, or its kind and the end of its id. */
function nameOfActor({ type, id }: Actor, actors: readonly NamedActor[]): string {
  return actors.find(each => each.id === id)?.name ?? t('organization.actor', { type, id: shortId(id) });
}

const UUID_LENGTH = 36;

/** The end of a uuid, which tells it from others. Slugs and domains as they are. */
export function shortId(id: string): string {
  return id.length === UUID_LENGTH ? `…${id.slice(-8)}` : id;
}
