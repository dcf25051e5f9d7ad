import { useState } from 'react';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { ConfirmButton } from '../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import { DialogButton } from '../fields/dialog-button.js';
import { DisableButton } from '../fields/disable-button.js';
import type { ServiceAccount } from '../lists.js';
import styles from '../organization.module.css';
import { mayGrant } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';
import { ClientSecret } from './client-secret.js';
import { ServiceAccountDialog } from './service-account-dialog.js';

interface AccountProps {
  readonly account: ServiceAccount;
}

/** What the person may do with a service account. Who does not hold all its rights can disable and delete it. */
export function ServiceAccountActions({ account }: AccountProps) {
  const { me, orgSlug } = useOrganization();
  const change = useChange();
  const { slug, name, disabled } = account;
  const mayHold = mayGrant(me, account);
  return (
    <div className={styles.actions}>
      {mayHold && (
        <>
          <DialogButton label={t('organization.rotate')} name={t('organization.rotateOf', { name })}>
            {close => <RotateAccount account={account} onClose={close} />}
          </DialogButton>
          <DialogButton label={t('organization.change')} name={t('organization.changeOf', { name })}>
            {close => <ServiceAccountDialog account={account} onClose={close} />}
          </DialogButton>
        </>
      )}
      {(mayHold || !disabled) && (
        <DisableButton
          name={name}
          disabled={disabled}
          run={next => api.serviceAccounts.updateServiceAccount({ orgSlug, slug, disabled: next })}
        />
      )}
      <ConfirmButton
        label={t('organization.delete')}
        name={t('organization.deleteOf', { name })}
        title={t('organization.deleteServiceAccountTitle', { name })}
        run={() => change(() => api.serviceAccounts.deleteServiceAccount({ orgSlug, slug }))}
      >
        <p>{t('organization.deleteServiceAccountText')}</p>
      </ConfirmButton>
    </div>
  );
}

function RotateAccount({ account, onClose }: AccountProps & { readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const [secret, setSecret] = useState<string>();
  const { slug, name } = account;
  const send = async () => {
    const rotated = await change(() => api.serviceAccounts.rotateServiceAccount({ orgSlug, slug }));
    setSecret(rotated.clientSecret);
  };
  return (
    <FormDialog
      title={t('organization.rotateTitle', { name })}
      action={t('organization.rotate')}
      onClose={onClose}
      send={send}
      staysOpen
      isDone={secret !== undefined}
    >
      {secret === undefined ? (
        <p>{t('organization.rotateAccountText')}</p>
      ) : (
        <ClientSecret name={name} slug={slug} secret={secret} />
      )}
    </FormDialog>
  );
}
