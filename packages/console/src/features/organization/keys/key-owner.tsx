import { useQuery } from '@tanstack/react-query';
import { isAllowed } from '../../../api/permissions.js';
import { t } from '../../../i18n/language.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { nameOf } from '../../../values/person.js';
import { agentsQuery, membersQuery } from '../lists.js';
import { useOrganization } from '../use-organization.js';

/** As whom a key acts, as the service takes it. */
export interface Owner {
  readonly ownerType: 'user' | 'agent' | null;
  readonly ownerId: string | null;
}

/** A key of the organization itself. */
export const ORGANIZATION_ITSELF: Owner = { ownerType: null, ownerId: null };

interface KeyOwnerProps {
  readonly owner: Owner;
  readonly onChange: (owner: Owner) => void;
  /** False if the person may not make a key of the organization itself with the chosen permissions. */
  readonly ownerless: boolean;
}

/** The choice as whom a key acts: the organization, oneself, an agent or, with all rights, another member. */
export function KeyOwner({ owner, onChange, ownerless }: KeyOwnerProps) {
  const { me, orgSlug } = useOrganization();
  const { data: agents } = useQuery(agentsQuery(orgSlug));
  const { data: members } = useQuery(membersQuery(orgSlug));
  const others = members?.results.filter(({ userId }) => userId !== me.id) ?? [];
  return (
    <Field
      label={t('organization.actsAs')}
      hint={ownerless ? hintOf(owner) : t('organization.actsAsOrganizationNeedsAll')}
    >
      {control => (
        <Select
          {...control}
          value={textOf(owner)}
          onChange={event => onChange(readOwner(event.target.value))}
        >
          <option value={textOf(ORGANIZATION_ITSELF)} disabled={!ownerless}>
            {t('organization.itself')}
          </option>
          <option value={textOf({ ownerType: 'user', ownerId: me.id ?? null })}>
            {t('organization.yourself')}
          </option>
          {isAllowed(me, 'agents:act') &&
            agents?.results.map(({ id, name }) => (
              <option key={id} value={textOf({ ownerType: 'agent', ownerId: id })}>
                {t('organization.agentNamed', { name })}
              </option>
            ))}
          {isAllowed(me, '*') &&
            others.map(member => (
              <option key={member.userId} value={textOf({ ownerType: 'user', ownerId: member.userId })}>
                {nameOf(member)}
              </option>
            ))}
        </Select>
      )}
    </Field>
  );
}

function hintOf({ ownerType }: Owner): string {
  return t(ownerType === null ? 'organization.actsAsOrganizationHint' : 'organization.actsAsHint');
}

function textOf({ ownerType, ownerId }: Owner): string {
  return ownerType === null ? '' : `${ownerType} ${ownerId}`;
}

function readOwner(text: string): Owner {
  const [type, ownerId] = text.split(' ');
  if (ownerId === undefined) return ORGANIZATION_ITSELF;
  return { ownerType: type === 'agent' ? 'agent' : 'user', ownerId };
}
