import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { mayBeOwnerless } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';
import { KeyFields, NEW_KEY, sentOf } from './key-fields.js';
import { KeyOwner, ORGANIZATION_ITSELF, type Owner } from './key-owner.js';
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
        ...{ orgSlug, slug: draft.named.slug, ...sentOf(draft) },
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
