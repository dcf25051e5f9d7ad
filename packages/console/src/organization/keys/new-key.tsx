import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { isAllowed } from '../../api/permissions.js';
import { t } from '../../i18n/language.js';
import { Field, Select } from '../../ui/controls/field.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import { agentsQuery } from '../lists.js';
import { useChange, useOrganization } from '../use-organization.js';
import { KeyFields, NEW_KEY, sentOf } from './key-fields.js';
import { KeySecret } from './key-secret.js';

/** The value of the choice for the person who is signed in. The others are empty, or the id of an agent. */
const ONESELF = 'me';

/** Makes a key, and shows its secret once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const { me, orgSlug } = useOrganization();
  const { data: agents } = useQuery(agentsQuery(orgSlug));
  const change = useChange();
  const [draft, setDraft] = useState(NEW_KEY);
  const [owner, setOwner] = useState('');
  const [secret, setSecret] = useState<string>();
  const send = async () => {
    const { apiKey } = await change(() =>
      api.organizationApiKeys.mintOrgApiKey({
        ...{ orgSlug, slug: draft.named.slug, ...sentOf(draft) },
        ...(owner === ONESELF && { ownerType: 'user' as const, ownerId: me.id ?? null }),
        ...(owner !== ONESELF && owner !== '' && { ownerType: 'agent' as const, ownerId: owner }),
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
          <Field label={t('organization.actsAs')} hint={t('organization.actsAsHint')}>
            {control => (
              <Select {...control} value={owner} onChange={event => setOwner(event.target.value)}>
                <option value="">{t('organization.itself')}</option>
                <option value={ONESELF}>{t('organization.yourself')}</option>
                {isAllowed(me, 'agents:act') &&
                  agents?.results.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {t('organization.agentNamed', { name })}
                    </option>
                  ))}
              </Select>
            )}
          </Field>
        </>
      ) : (
        <KeySecret name={draft.named.name} secret={secret} />
      )}
    </FormDialog>
  );
}
