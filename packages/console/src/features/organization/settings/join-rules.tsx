import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { TextField } from '../../../ui/controls/text-field.js';
import { GroupChecks } from '../fields/group-checks.js';
import { RoleSelect } from '../fields/role-select.js';
import { isForJoining } from '../rights.js';
import styles from './settings.module.css';

/** A join rule in the form. */
export interface DraftRule {
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
export function JoinRules({ rules, onChange, defaultRole }: JoinRulesProps) {
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
