import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Check } from '../../../ui/controls/check-list.js';
import { Section } from '../../../ui/data/section.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { RoleSelect } from '../fields/role-select.js';
import type { Organization } from '../lists.js';
import { isForJoining } from '../rights.js';
import { useChange } from '../use-organization.js';
import { type DraftRule, JoinRules } from './join-rules.js';
import styles from './settings.module.css';

/** With which role people join: by default, by the domain of their address, and without an account. */
export function Joining({ organization }: { readonly organization: Organization }) {
  const change = useChange();
  const [defaultRole, setDefaultRole] = useState(organization.defaultRole);
  const [rules, setRules] = useState<readonly DraftRule[]>(
    organization.joinRules.map((rule, key) => ({ ...rule, key })),
  );
  const [anonymous, setAnonymous] = useState(
    organization.auth.anonymous ?? { enabled: false, role: organization.defaultRole },
  );
  const save = useMutation({
    mutationFn: () =>
      change(() =>
        api.organizations.updateOrg({
          orgSlug: organization.slug,
          defaultRole,
          joinRules: rules.map(({ key: _, ...rule }) => rule),
          auth: { anonymous },
        }),
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Section title={t('organization.joining')} text={t('organization.joiningText')}>
      <form className={styles.form} onSubmit={submit}>
        <RoleSelect
          label={t('organization.defaultRole')}
          hint={t('organization.defaultRoleHint')}
          value={defaultRole}
          onChange={setDefaultRole}
          only={isForJoining}
        />
        <JoinRules rules={rules} onChange={setRules} defaultRole={defaultRole} />
        <Check
          label={t('organization.anonymous')}
          checked={anonymous.enabled}
          onChange={enabled => setAnonymous({ ...anonymous, enabled })}
        />
        {anonymous.enabled && (
          <RoleSelect
            label={t('organization.anonymousRole')}
            hint={t('organization.anonymousHint', {
              address: `${location.origin}/console/sign-in?org=${organization.slug}`,
            })}
            value={anonymous.role}
            onChange={role => setAnonymous({ ...anonymous, role })}
            only={isForJoining}
          />
        )}
        {save.error !== null && <ErrorBox error={save.error} />}
        <div>
          <Button type="submit" look="primary" disabled={save.isPending}>
            {t('common.save')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
