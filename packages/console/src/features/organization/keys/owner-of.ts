import { t } from '../../../i18n/language.js';
import { nameOf } from '../../../values/person.js';
import type { Agent, Member, OrgKey } from '../lists.js';

/** As whom a key acts, in words. People and agents beyond the loaded lists are named by the end of their id. */
export function ownerOf(
  { ownerType, ownerId, collectionId }: Pick<OrgKey, 'ownerType' | 'ownerId' | 'collectionId'>,
  agents: readonly Agent[] = [],
  members: readonly Member[] = [],
): string {
  if (collectionId !== null) return t('organization.collectionKey');
  if (ownerType === null || ownerId === null) return t('organization.itself');
  const short = `…${ownerId.slice(-8)}`;
  if (ownerType === 'agent') {
    return t('organization.agentNamed', { name: agents.find(({ id }) => id === ownerId)?.name ?? short });
  }
  const member = members.find(({ userId }) => userId === ownerId);
  return member === undefined ? short : nameOf(member);
}
