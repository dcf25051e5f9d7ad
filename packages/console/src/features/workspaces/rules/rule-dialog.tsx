import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { CheckList } from '../../../ui/controls/check-list.js';
import { ChoiceField, NumberField, TextField } from '../../../ui/controls/field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { JsonField } from '../json-field.js';
import type { Workspace } from '../queries.js';
import styles from '../workspaces.module.css';
import {
  ACTIONS,
  draftOf,
  isComplete,
  RULE_SUBJECTS,
  type Rule,
  type RuleDraft,
  ruleOf,
  withRule,
} from './rule.js';
import { useSecurityChange } from './use-security.js';

interface RuleDialogProps {
  readonly workspace: Workspace;
  /** The roles that the rule can be for. */
  readonly roles: readonly string[];
  /** The rule to change; undefined for a new one. */
  readonly rule?: Rule;
  readonly onClose: () => void;
}

const asChoices = <T extends string>(values: readonly T[]) => values.map(value => ({ value, label: value }));

/** What a rule allows or forbids, for whom, and under which conditions. */
export function RuleDialog({ workspace, roles, rule, onClose }: RuleDialogProps) {
  const change = useSecurityChange(workspace.id);
  const [draft, setDraft] = useState(draftOf(rule));
  const set = (part: Partial<RuleDraft>) => setDraft({ ...draft, ...part });
  const send = () =>
    change(now => {
      const rules = withRule(now.rules, rule, ruleOf(draft));
      return rules && { ...now, rules };
    });
  return (
    <FormDialog
      title={t(rule === undefined ? 'workspaces.newRule' : 'workspaces.changeRule')}
      action={t('common.save')}
      onClose={onClose}
      send={send}
      isComplete={isComplete(draft)}
      shape="wide"
    >
      <div className={styles.pair}>
        <ChoiceField
          label={t('workspaces.effect')}
          choices={['allows', 'forbids']}
          textOf={effect => t(`workspaces.${effect}`)}
          value={draft.forbids ? 'forbids' : 'allows'}
          onChange={effect => set({ forbids: effect === 'forbids' })}
        />
        <ChoiceField
          label={t('workspaces.for')}
          value={draft.role}
          onChange={name => set({ role: name })}
          choices={['', ...roles]}
          textOf={name => name || t('workspaces.everybody')}
        />
      </div>
      <CheckList
        label={t('workspaces.ruleActions')}
        choices={asChoices(ACTIONS)}
        chosen={draft.actions}
        onChange={actions => set({ actions })}
      />
      <CheckList
        label={t('workspaces.subjects')}
        choices={asChoices(RULE_SUBJECTS)}
        chosen={draft.subjects}
        onChange={subjects => set({ subjects })}
      />
      <JsonField
        label={t('workspaces.conditions')}
        hint={t('workspaces.conditionsHint')}
        value={draft.conditions}
        onChange={conditions => set({ conditions })}
      />
      <div className={styles.pair}>
        <TextField
          label={t('workspaces.fields')}
          hint={t('workspaces.fieldsHint')}
          value={draft.fields}
          onChange={fields => set({ fields })}
        />
        <NumberField
          label={t('workspaces.priority')}
          hint={t('workspaces.priorityHint')}
          min={-1000}
          max={1000}
          value={draft.priority}
          onChange={priority => set({ priority })}
        />
      </div>
      <TextField
        label={t('workspaces.reason')}
        hint={t('workspaces.reasonHint')}
        maxLength={300}
        value={draft.reason}
        onChange={reason => set({ reason })}
      />
    </FormDialog>
  );
}
