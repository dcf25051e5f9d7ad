import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Code } from '../../../ui/controls/code.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { CredentialActions } from '../fields/credential-actions.js';
import { credentialColumns } from '../fields/credential-columns.js';
import { lastUse } from '../fields/last-use.js';
import { type Named, NamedFields } from '../fields/named.js';
import { type GrantedRights, RightsFields } from '../fields/rights-fields.js';
import { RotateDialog } from '../fields/rotate-dialog.js';
import { ListSection } from '../list-table.js';
import { type ServiceAccount, serviceAccountsQuery } from '../lists.js';
import { mayBeOwnerless, mayGrant } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';

const route = getRouteApi('/shell/organization/service-accounts');

/** The service accounts of the organization, without their secrets. */
export function ServiceAccountsPage() {
  const { page } = route.useSearch();
  const { orgSlug } = useOrganization();
  const accounts = useQuery(serviceAccountsQuery(orgSlug, page));
  return (
    <ListSection
      title={t('organization.serviceAccounts')}
      text={t('organization.serviceAccountsText')}
      create={{
        label: t('organization.newServiceAccount'),
        dialog: close => <ServiceAccountDialog onClose={close} />,
      }}
      actionsOf={account => <ServiceAccountActions account={account} />}
      query={accounts}
      columns={[
        ...credentialColumns<ServiceAccount>(t('organization.account')),
        { title: t('organization.use'), cell: ({ lastUsedAt }) => lastUse(lastUsedAt) },
      ]}
      itemKey={({ id }) => id}
      empty={t('organization.serviceAccountsNone')}
      page={page}
    />
  );
}

interface AccountProps {
  readonly account: ServiceAccount;
}

/** What the person may do with a service account. Who does not hold all its rights can disable and delete it. */
function ServiceAccountActions({ account }: AccountProps) {
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

interface ServiceAccountDialogProps {
  /** The account to change; undefined for a new one. */
  readonly account?: ServiceAccount;
  readonly onClose: () => void;
}

/** A service account: its name and what it may do. The secret of a new one is shown once. */
function ServiceAccountDialog({ account, onClose }: ServiceAccountDialogProps) {
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

/** The secret of a service account, shown once, with the command that gets a token for it. */
function ClientSecret({ name, slug, secret }: Named & { readonly secret: string }) {
  const { orgSlug } = useOrganization();
  const address = `${location.origin}/v2/orgs/${orgSlug}/service-accounts/${slug}/token`;
  const body = `'{"clientSecret": "'"$CLIENT_SECRET"'"}'`;
  return (
    <SecretOnce label={t('organization.secretOf', { name })} secret={secret}>
      <p>{t('organization.accountUse')}</p>
      <Code
        label={t('organization.command')}
        text={`curl ${address} \\\n  -H "content-type: application/json" -d ${body}`}
      />
    </SecretOnce>
  );
}
