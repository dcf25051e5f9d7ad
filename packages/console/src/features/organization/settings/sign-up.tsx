import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Check } from '../../../ui/controls/check-list.js';
import { TextField } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { ErrorBox } from '../../../ui/states.js';
import { GroupChecks } from '../fields/group-checks.js';
import { RoleSelect } from '../fields/role-select.js';
import type { Organization } from '../lists.js';
import { isForJoining } from '../rights.js';
import { useChange } from '../use-organization.js';
import styles from './settings.module.css';

/** Whether people of an application sign up with their e-mail address, and with which role. */
export function SignUp({ organization }: { readonly organization: Organization }) {
  const change = useChange();
  const { slug: orgSlug, signUp: stored } = organization;
  const [email, setEmail] = useState(stored?.email ?? false);
  const [roleSlug, setRoleSlug] = useState(stored?.roleSlug ?? '');
  const [groups, setGroups] = useState<readonly string[]>(stored?.groups ?? []);
  const [domains, setDomains] = useState((stored?.domains ?? []).join(', '));
  const save = useMutation({
    mutationFn: () => {
      const signUp = { email, roleSlug, groups: [...groups], domains: domainsOf(domains) };
      return change(() => api.organizations.updateOrg({ orgSlug, signUp }));
    },
  });
  return (
    <Section title={t('organization.signUp')} text={t('organization.signUpText')}>
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Check label={t('organization.signUpEmail')} checked={email} onChange={setEmail} />
        {(email || stored !== undefined) && (
          <>
            <RoleSelect
              label={t('organization.signUpRole')}
              hint={t('organization.signUpHint', {
                address: `${location.origin}/console/sign-in?org=${orgSlug}`,
              })}
              none={t('organization.signUpNoRole')}
              value={roleSlug}
              onChange={setRoleSlug}
              only={role => isForJoining(role) && role.slug !== 'member'}
            />
            <GroupChecks chosen={groups} onChange={setGroups} />
            <TextField label={t('organization.signUpDomains')} value={domains} onChange={setDomains} />
          </>
        )}
        {save.error !== null && <ErrorBox error={save.error} />}
        <div>
          <Button type="submit" look="primary" disabled={save.isPending || roleSlug === ''}>
            {t('common.save')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function domainsOf(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map(domain => domain.toLowerCase())
    .filter(domain => domain !== '');
}
