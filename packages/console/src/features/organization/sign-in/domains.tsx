import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Code } from '../../../ui/controls/code.js';
import { TextField } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { ErrorBox } from '../../../ui/states.js';
import { moment } from '../../../values/dates.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { ListTable } from '../list-table.js';
import { domainsQuery, type OrgDomain } from '../lists.js';
import styles from '../organization.module.css';
import { useChange, useOrganization } from '../use-organization.js';

/** The e-mail domains of the organization. A record in the DNS proves that a domain belongs to it. */
export function Domains() {
  const { orgSlug } = useOrganization();
  const domains = useQuery(domainsQuery(orgSlug));
  const columns = [
    {
      title: t('organization.domain'),
      cell: ({ domain, status }: OrgDomain) => (
        <NameCell
          name={domain}
          badges={[status === 'verified' && t('organization.proven')]}
          warnings={[status === 'pending' && t('organization.notProven')]}
        />
      ),
    },
    {
      title: t('organization.dnsRecord'),
      cell: ({ domain, record }: OrgDomain) => (
        <Code
          label={t('organization.dnsRecordOf', { name: domain })}
          text={`${record.name}. ${record.type} "${record.value}"`}
        />
      ),
    },
    {
      title: t('organization.checked'),
      cell: ({ checkedAt }: OrgDomain) => (checkedAt === null ? t('organization.never') : moment(checkedAt)),
    },
    {
      title: t('organization.actions'),
      align: 'end' as const,
      cell: (domain: OrgDomain) => <DomainActions domain={domain} />,
    },
  ];
  return (
    <Section
      title={t('organization.domains')}
      text={t('organization.domainsText')}
      actions={
        <DialogButton label={t('organization.addDomain')}>
          {close => <AddDomain onClose={close} />}
        </DialogButton>
      }
    >
      <ListTable
        label={t('organization.domains')}
        query={domains}
        columns={columns}
        itemKey={({ domain }) => domain}
        empty={t('organization.domainsNone')}
      />
    </Section>
  );
}

function DomainActions({ domain: { domain, status } }: { readonly domain: OrgDomain }) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const verify = useMutation({
    mutationFn: () => change(() => api.signInProviders.verifyOrgDomain({ orgSlug, domain })),
  });
  return (
    <div className={styles.stack}>
      <div className={styles.actions}>
        {status === 'pending' && (
          <Button
            aria-label={t('organization.verifyOf', { name: domain })}
            disabled={verify.isPending}
            onClick={() => verify.mutate()}
          >
            {t(verify.isPending ? 'organization.verifying' : 'organization.verify')}
          </Button>
        )}
        <ConfirmButton
          label={t('organization.remove')}
          name={t('organization.removeOf', { name: domain })}
          title={t('organization.removeDomainTitle', { name: domain })}
          run={() => change(() => api.signInProviders.removeOrgDomain({ orgSlug, domain }))}
        >
          <p>{t('organization.removeDomainText')}</p>
        </ConfirmButton>
      </div>
      {verify.error !== null && <ErrorBox error={verify.error} />}
    </div>
  );
}

function AddDomain({ onClose }: { readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const [domain, setDomain] = useState('');
  return (
    <FormDialog
      title={t('organization.addDomain')}
      action={t('organization.add')}
      onClose={onClose}
      send={() =>
        change(() => api.signInProviders.addOrgDomain({ orgSlug, domain: domain.trim().toLowerCase() }))
      }
    >
      <TextField
        label={t('organization.domain')}
        required
        placeholder="example.com"
        value={domain}
        onChange={setDomain}
      />
    </FormDialog>
  );
}
