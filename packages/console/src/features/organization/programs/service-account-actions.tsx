import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { CredentialActions } from '../fields/credential-actions.js';
import { RotateDialog } from '../fields/rotate-dialog.js';
import type { ServiceAccount } from '../lists.js';
import { mayBeOwnerless, mayGrant } from '../rights.js';
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
  const { slug, name, disabled, createdBy, permissions } = account;
  const mayRenew = createdBy === me.id || mayBeOwnerless(me, permissions);
  return (
    <CredentialActions
      name={name}
      disabled={disabled}
      mayHold={mayGrant(me, account) && mayRenew}
      rotate={close => <RotateAccount account={account} onClose={close} />}
      change={close => <ServiceAccountDialog account={account} onClose={close} />}
      setDisabled={next => api.serviceAccounts.updateServiceAccount({ orgSlug, slug, disabled: next })}
      removal={{
        label: t('organization.delete'),
        name: t('organization.deleteOf', { name }),
        title: t('organization.deleteServiceAccountTitle', { name }),
        text: t('organization.deleteServiceAccountText'),
        run: () => change(() => api.serviceAccounts.deleteServiceAccount({ orgSlug, slug })),
      }}
    />
  );
}

function RotateAccount({ account, onClose }: AccountProps & { readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const { slug, name } = account;
  const rotate = async () => (await api.serviceAccounts.rotateServiceAccount({ orgSlug, slug })).clientSecret;
  return (
    <RotateDialog
      name={name}
      onClose={onClose}
      rotate={rotate}
      shown={secret => <ClientSecret name={name} slug={slug} secret={secret} />}
    >
      <p>{t('organization.rotateAccountText')}</p>
    </RotateDialog>
  );
}
