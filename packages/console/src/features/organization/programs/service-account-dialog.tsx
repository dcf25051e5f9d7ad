import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { NamedFields } from '../fields/named.js';
import { type GrantedRights, RightsFields } from '../fields/rights-fields.js';
import type { ServiceAccount } from '../lists.js';
import { mayBeOwnerless } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';
import { ClientSecret } from './client-secret.js';

interface ServiceAccountDialogProps {
  /** The account to change; undefined for a new one. */
  readonly account?: ServiceAccount;
  readonly onClose: () => void;
}

/** A service account: its name and what it may do. The secret of a new one is shown once. */
export function ServiceAccountDialog({ account, onClose }: ServiceAccountDialogProps) {
  const { me, orgSlug } = useOrganization();
  const change = useChange();
  const [named, setNamed] = useState({ name: account?.name ?? '', slug: account?.slug ?? '' });
  const [rights, setRights] = useState<GrantedRights>({
    permissions: account?.permissions ?? [],
    scopes: account?.scopes ?? [],
  });
  const [secret, setSecret] = useState<string>();
  const sent = {
    orgSlug,
    ...named,
    permissions: [...rights.permissions],
    scopes: [...rights.scopes],
  };
  const send = async () => {
    if (account !== undefined) return change(() => api.serviceAccounts.updateServiceAccount(sent));
    const { clientSecret } = await change(() => api.serviceAccounts.createServiceAccount(sent));
    setSecret(clientSecret);
  };
  return (
    <FormDialog
      title={
        account === undefined
          ? t('organization.newServiceAccount')
          : t('organization.changeServiceAccountTitle', { name: account.name })
      }
      action={t('common.save')}
      onClose={onClose}
      send={send}
      staysOpen={account === undefined}
      isDone={secret !== undefined}
      shape="wide"
    >
      {secret === undefined ? (
        <>
          <NamedFields value={named} onChange={setNamed} exists={account !== undefined} />
          <RightsFields
            value={rights}
            onChange={setRights}
            isOffered={each => mayBeOwnerless(me, [each])}
            {...(!mayBeOwnerless(me, ['*']) && { text: t('organization.accountsNeedAll') })}
          />
        </>
      ) : (
        <ClientSecret {...named} secret={secret} />
      )}
    </FormDialog>
  );
}
