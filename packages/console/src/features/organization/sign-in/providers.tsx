import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { ListTable } from '../list-table.js';
import { type Provider, providersQuery } from '../lists.js';
import styles from '../organization.module.css';
import { useChange, useOrganization } from '../use-organization.js';
import { ProviderDialog } from './provider-dialog.js';
import { TestProvider } from './test-provider.js';

/** The identity providers with which people sign in to the organization. */
export function Providers() {
  const { orgSlug } = useOrganization();
  const providers = useQuery(providersQuery(orgSlug));
  const columns = [
    {
      title: t('organization.provider'),
      cell: ({ name, slug, enabled }: Provider) => (
        <NameCell
          name={name}
          below={<span className={styles.mono}>{slug}</span>}
          warnings={[!enabled && t('organization.disabled')]}
        />
      ),
    },
    {
      title: t('organization.issuer'),
      cell: ({ config }: Provider) => <span className={styles.mono}>{config.issuer}</span>,
    },
    {
      title: t('organization.domains'),
      cell: ({ domains }: Provider) => domains.join(', ') || t('organization.anyDomain'),
    },
    {
      title: t('organization.actions'),
      align: 'end' as const,
      cell: (provider: Provider) => <ProviderActions provider={provider} />,
    },
  ];
  return (
    <Section
      title={t('organization.providers')}
      text={t('organization.providersText')}
      actions={
        <DialogButton look="primary" label={t('organization.newProvider')}>
          {close => <ProviderDialog onClose={close} />}
        </DialogButton>
      }
    >
      <ListTable
        label={t('organization.providers')}
        query={providers}
        columns={columns}
        itemKey={({ id }) => id}
        empty={t('organization.providersNone')}
      />
    </Section>
  );
}

function ProviderActions({ provider }: { readonly provider: Provider }) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const { slug, name, enabled } = provider;
  return (
    <div className={styles.actions}>
      {enabled && (
        <DialogButton label={t('organization.test')} name={t('organization.testOf', { name })}>
          {close => <TestProvider provider={provider} onClose={close} />}
        </DialogButton>
      )}
      <DialogButton label={t('organization.change')} name={t('organization.changeOf', { name })}>
        {close => <ProviderDialog provider={provider} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        label={t('organization.delete')}
        name={t('organization.deleteOf', { name })}
        title={t('organization.deleteProviderTitle', { name })}
        typedName={slug}
        run={() => change(() => api.signInProviders.deleteSsoProvider({ orgSlug, slug }))}
      >
        <p>{t('organization.deleteProviderText')}</p>
      </ConfirmButton>
    </div>
  );
}
