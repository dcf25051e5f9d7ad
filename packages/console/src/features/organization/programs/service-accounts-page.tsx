import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { credentialColumns } from '../fields/credential-columns.js';
import { DialogButton } from '../fields/dialog-button.js';
import { lastUse } from '../fields/last-use.js';
import { ListTable } from '../list-table.js';
import { type ServiceAccount, serviceAccountsQuery } from '../lists.js';
import { useOrganization } from '../use-organization.js';
import { ServiceAccountActions } from './service-account-actions.js';
import { ServiceAccountDialog } from './service-account-dialog.js';

const route = getRouteApi('/shell/organization/service-accounts');

/** The service accounts of the organization, without their secrets. */
export function ServiceAccountsPage() {
  const { page } = route.useSearch();
  const { orgSlug } = useOrganization();
  const accounts = useQuery(serviceAccountsQuery(orgSlug, page));
  const columns = [
    ...credentialColumns<ServiceAccount>(t('organization.account')),
    { title: t('organization.use'), cell: ({ lastUsedAt }: ServiceAccount) => lastUse(lastUsedAt) },
    {
      title: t('organization.actions'),
      align: 'end' as const,
      cell: (account: ServiceAccount) => <ServiceAccountActions account={account} />,
    },
  ];
  return (
    <Section
      title={t('organization.serviceAccounts')}
      text={t('organization.serviceAccountsText')}
      actions={
        <DialogButton look="primary" label={t('organization.newServiceAccount')}>
          {close => <ServiceAccountDialog onClose={close} />}
        </DialogButton>
      }
    >
      <ListTable
        label={t('organization.serviceAccounts')}
        query={accounts}
        columns={columns}
        itemKey={({ id }) => id}
        empty={t('organization.serviceAccountsNone')}
        page={page}
      />
    </Section>
  );
}
