import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { isAllowed } from '../../../api/permissions.js';
import { t } from '../../../i18n/language.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { nameOf } from '../../../values/names.js';
import { agentsQuery, membersQuery } from '../lists.js';
import { mayBeOwnerless } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';
import { KeyFields, NEW_KEY, sentOf } from './key-fields.js';
import { KeySecret } from './key-secret.js';

/** Makes a key, and shows its secret once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const { me, orgSlug } = useOrganization();
  const change = useChange();
  const [draft, setDraft] = useState(NEW_KEY);
  const oneself: Owner = { ownerType: 'user', ownerId: me.id ?? null };
  const [chosen, setChosen] = useState(mayBeOwnerless(me, ['*']) ? ORGANIZATION_ITSELF : oneself);
  const [secret, setSecret] = useState<string>();
  const ownerless = mayBeOwnerless(me, draft.rights.permissions);
  const owner = chosen.ownerType === null && !ownerless ? oneself : chosen;
  const send = async () => {
    const { apiKey } = await change(() =>
      api.organizationApiKeys.mintOrgApiKey({
        orgSlug,
        slug: draft.named.slug,
        ...sentOf(draft),
        ...owner,
      }),
    );
    setSecret(apiKey);
  };
  return (
    <FormDialog
      title={t('organization.newKey')}
      action={t('organization.newKeyMake')}
      onClose={onClose}
      send={send}
      staysOpen
      isDone={secret !== undefined}
      shape="wide"
    >
      {secret === undefined ? (
        <>
          <KeyFields draft={draft} onChange={setDraft} exists={false} />
          <KeyOwner owner={owner} onChange={setChosen} ownerless={ownerless} />
        </>
      ) : (
        <KeySecret name={draft.named.name} secret={secret} />
      )}
    </FormDialog>
  );
}

/** As whom a key acts, as the service takes it. */
interface Owner {
  readonly ownerType: 'user' | 'agent' | null;
  readonly ownerId: string | null;
}

/** A key of the organization itself. */
const ORGANIZATION_ITSELF: Owner = { ownerType: null, ownerId: null };

interface KeyOwnerProps {
  readonly owner: Owner;
  readonly onChange: (owner: Owner) => void;
  /** False if the person may not make a key of the organization itself with the chosen permissions. */
  readonly ownerless: boolean;
}

/** The choice as whom a key acts: the organization, oneself, an agent or, with all rights, another member. */
function KeyOwner({ owner, onChange, ownerless }: KeyOwnerProps) {
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
