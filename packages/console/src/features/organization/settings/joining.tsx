import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
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

/** A join rule in the form. */
interface DraftRule {
  /** Tells the rules of the form apart. */
  readonly key: number;
  readonly domain: string;
  readonly roleSlug: string;
  readonly groups?: string[];
  /** False for a rule from before whose domain is not proved. Absent: not stored yet. */
  readonly effective?: boolean;
}

interface JoinRulesProps {
  readonly rules: readonly DraftRule[];
  readonly onChange: (rules: readonly DraftRule[]) => void;
  readonly defaultRole: string;
}

/** Rules by which people with a verified address of a domain join. */
function JoinRules({ rules, onChange, defaultRole }: JoinRulesProps) {
  const replace = (changed: DraftRule) =>
    onChange(rules.map(rule => (rule.key === changed.key ? changed : rule)));
  return (
    <fieldset className={styles.rules}>
      <legend>{t('organization.joinRules')}</legend>
      <p className={styles.quiet}>{t('organization.joinRulesText')}</p>
      {rules.map(rule => (
        <div key={rule.key} className={styles.rule}>
          <TextField
            label={t('organization.domain')}
            required
            placeholder="example.com"
            value={rule.domain}
            onChange={domain => replace(withDomain(rule, domain))}
          />
          <RoleSelect
            label={t('organization.role')}
            value={rule.roleSlug}
            onChange={roleSlug => replace({ ...rule, roleSlug })}
            only={isForJoining}
          />
          <Button
            aria-label={t('organization.removeOf', { name: rule.domain })}
            onClick={() => onChange(rules.filter(({ key }) => key !== rule.key))}
          >
            {t('organization.remove')}
          </Button>
          {rule.effective === false && (
            <p className={`${styles.whole} ${styles.quiet}`}>{t('organization.ruleWithoutProof')}</p>
          )}
          <div className={styles.whole}>
            <GroupChecks
              chosen={rule.groups ?? []}
              onChange={groups => replace({ ...rule, groups: [...groups] })}
            />
          </div>
        </div>
      ))}
      <div>
        <Button
          onClick={() => onChange([...rules, { key: nextKey(rules), domain: '', roleSlug: defaultRole }])}
        >
          {t('organization.addRule')}
        </Button>
      </div>
    </fieldset>
  );
}

/** Whether the rule takes effect is known of its stored domain only. */
function withDomain({ effective: _, ...rule }: DraftRule, domain: string): DraftRule {
  return { ...rule, domain: domain.trim().toLowerCase() };
}

function nextKey(rules: readonly DraftRule[]): number {
  return Math.max(-1, ...rules.map(({ key }) => key)) + 1;
}
