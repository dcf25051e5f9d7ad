import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../api/client.js';
import { meQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { TextField } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { ErrorBox, Loading } from '../../../ui/states.js';
import { moment } from '../../../values/dates.js';
import { type Organization, organizationQuery } from '../lists.js';
import { useChange, useOrganization } from '../use-organization.js';
import { Joining } from './joining.js';
import styles from './settings.module.css';
import { SignUp } from './sign-up.js';

/** The organization itself: its name, who joins with which role, leaving and deleting it. */
export function SettingsPage() {
  const { orgSlug, may } = useOrganization();
  const { data, error, refetch } = useQuery(organizationQuery(orgSlug));
  if (data === undefined) {
    return error === null ? <Loading /> : <ErrorBox error={error} onRetry={() => void refetch()} />;
  }
  const mayManage = may('orgs:manage');
  return (
    <>
      <Section title={t('organization.general')}>
        {mayManage && <NameForm organization={data} />}
        <Facts organization={data} hasName={!mayManage} />
      </Section>
      {mayManage && <Joining key={data.updatedAt} organization={data} />}
      {mayManage && <SignUp key={`sign-up ${data.updatedAt}`} organization={data} />}
      <Leave organization={data} />
      {may('*') && <Delete organization={data} />}
    </>
  );
}

interface FactsProps {
  readonly organization: Organization;
  /** False: the name is in the form above. */
  readonly hasName: boolean;
}

function Facts({ organization: { name, slug, id, createdAt }, hasName }: FactsProps) {
  return (
    <dl className={styles.facts}>
      {hasName && (
        <>
          <dt>{t('organization.name')}</dt>
          <dd>{name}</dd>
        </>
      )}
      <dt>{t('organization.slug')}</dt>
      <dd className={styles.mono}>{slug}</dd>
      <dt>{t('organization.id')}</dt>
      <dd className={styles.mono}>{id}</dd>
      <dt>{t('organization.created')}</dt>
      <dd>{moment(createdAt)}</dd>
    </dl>
  );
}

/** Everything that is shown belongs to the organization that the person has left. */
function openAnew(): void {
  location.assign('/console/collections');
}

function Leave({ organization: { name, slug: orgSlug } }: { readonly organization: Organization }) {
  const { me } = useOrganization();
  const leave = async () => {
    await api.members.removeOrgMember({ orgSlug, userId: me.id ?? '' });
    openAnew();
  };
  return (
    <Section
      title={t('organization.leave')}
      text={t('organization.leaveText')}
      actions={
        <ConfirmButton
          label={t('organization.leave')}
          title={t('organization.leaveTitle', { name })}
          run={leave}
        >
          <p>{t('organization.leaveWarning')}</p>
        </ConfirmButton>
      }
    />
  );
}

function Delete({ organization: { name, slug: orgSlug } }: { readonly organization: Organization }) {
  const remove = async () => {
    await api.organizations.deleteOrg({ orgSlug });
    openAnew();
  };
  return (
    <Section
      title={t('organization.deleteOrganization')}
      text={t('organization.deleteOrganizationText')}
      actions={
        <ConfirmButton
          label={t('organization.deleteOrganization')}
          title={t('organization.deleteOrganizationTitle', { name })}
          typedName={orgSlug}
          run={remove}
        >
          <p>{t('organization.deleteOrganizationWarning')}</p>
        </ConfirmButton>
      }
    />
  );
}

/** Changes the name that people see. The slug never changes. */
function NameForm({ organization }: { readonly organization: Organization }) {
  const change = useChange();
  const queryClient = useQueryClient();
  const [name, setName] = useState(organization.name);
  const rename = useMutation({
    mutationFn: async () => {
      await change(() => api.organizations.updateOrg({ orgSlug: organization.slug, name }));
      await queryClient.invalidateQueries(meQuery);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.line}>
        <TextField label={t('organization.name')} required maxLength={200} value={name} onChange={setName} />
        <Button
          type="submit"
          look="primary"
          disabled={rename.isPending || name.trim() === '' || name === organization.name}
        >
          {t('common.save')}
        </Button>
      </div>
      {rename.error !== null && <ErrorBox error={rename.error} />}
    </form>
  );
}
