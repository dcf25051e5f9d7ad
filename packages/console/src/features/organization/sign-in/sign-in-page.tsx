import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { ListSection } from '../list-table.js';
import { type Provider, providersQuery } from '../lists.js';
import styles from '../organization.module.css';
import { useChange, useOrganization } from '../use-organization.js';
import { Domains } from './domains.js';
import { ProviderDialog } from './provider-dialog.js';

/** Identity providers of the organization, and the e-mail domains that it has proven. */
export function SingleSignOnPage() {
  return (
    <>
      <Providers />
      <Domains />
    </>
  );
}

/** The identity providers with which people sign in to the organization. */
function Providers() {
  const { orgSlug } = useOrganization();
  const providers = useQuery(providersQuery(orgSlug));
  return (
    <ListSection
      title={t('organization.providers')}
      text={t('organization.providersText')}
      create={{ label: t('organization.newProvider'), dialog: close => <ProviderDialog onClose={close} /> }}
      actionsOf={provider => <ProviderActions provider={provider} />}
      query={providers}
      columns={[
        {
          title: t('organization.provider'),
          cell: ({ name, slug, enabled }) => (
            <NameCell
              name={name}
              below={<span className={styles.mono}>{slug}</span>}
              warnings={[!enabled && t('organization.disabled')]}
            />
          ),
        },
        {
          title: t('organization.issuer'),
          cell: ({ config }) => <span className={styles.mono}>{config.issuer}</span>,
        },
        {
          title: t('organization.domains'),
          cell: ({ domains }) => domains.join(', ') || t('organization.anyDomain'),
        },
      ]}
      itemKey={({ id }) => id}
      empty={t('organization.providersNone')}
    />
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

interface TestProviderProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

/** Signs in with the provider in a window of its own, which then shows the account, or why it did not work. */
function TestProvider({ provider: { slug, name }, onClose }: TestProviderProps) {
  const address = `/v2/login?${new URLSearchParams({ provider: slug, redirect: '/console/account' })}`;
  const test = () => {
    window.open(address, '_blank');
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={open => !open && onClose()}
      title={t('organization.testTitle', { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" onClick={test}>
            {t('organization.testOpen')}
          </Button>
        </>
      }
    >
      <div className={styles.stack}>
        <p>{t('organization.testText')}</p>
        <p className={styles.quiet}>{t('organization.testLinks')}</p>
      </div>
    </Dialog>
  );
}
