import { useMutation } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import type { CollectionInfo } from '../../api/collection-query.js';
import { t } from '../../i18n/language.js';
import { useOtherFields } from '../../records/other-fields.js';
import { Button } from '../../ui/controls/button.js';
import { Field, Select } from '../../ui/controls/field.js';
import { ErrorBox } from '../../ui/states.js';
import { FilterBuilder } from '../find/builder/filter-builder.js';
import {
  hasVariables,
  problemsOfRule,
  RULE_MODES,
  type RuleDraft,
  type RuledAction,
  type RuleMode,
  ruleOf,
  VARIABLES,
} from './grant-draft.js';
import styles from './rules.module.css';

interface RuleEditorProps {
  readonly info: CollectionInfo;
  readonly action: RuledAction;
  readonly rule: RuleDraft;
  readonly onChange: (rule: RuleDraft) => void;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** One rule: true, false, or a filter. */
export function RuleEditor({ info, action, rule, onChange }: RuleEditorProps) {
  const fields = useOtherFields(info.collection_id, info.schema);
  const filter = ruleOf(rule);
  return (
    <fieldset className={styles.rule}>
      <legend>{t(`rules.action_${action}`)}</legend>
      <Field label={t('rules.mode')} hint={t(`rules.hint_${action}`)}>
        {control => (
          <Select
            {...control}
            value={rule.mode}
            onChange={({ target }) => onChange({ ...rule, mode: target.value as RuleMode })}
          >
            {RULE_MODES.map(mode => (
              <option key={mode} value={mode}>
                {mode === 'absent' ? t(`rules.absent_${action}`) : t(`rules.mode_${mode}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {rule.mode === 'filter' && (
        <>
          <FilterBuilder
            model={rule.model}
            columns={info.schema}
            fields={['_created_by', '_updated_by', ...fields]}
            problems={problemsOfRule(rule)}
            refusals={NONE}
            variables={VARIABLES}
            onChange={model => onChange({ ...rule, model })}
          />
          {filter !== undefined && <Trial info={info} filter={filter} />}
        </>
      )}
    </fieldset>
  );
}

/** How many records the rule holds for now. */
function Trial({ info, filter }: { readonly info: CollectionInfo; readonly filter: unknown }) {
  const records = client.collection(info.collection_id).loose();
  const trial = useMutation({
    mutationFn: async () => {
      const [matching, all] = await Promise.all([
        records.count(filter as Record<string, unknown>),
        records.count(),
      ]);
      return { filter, text: t('rules.tried', { matching, all }) };
    },
  });
  if (hasVariables(filter)) return <p className={styles.quiet}>{t('rules.dependsOnCaller')}</p>;
  return (
    <div className={styles.trial}>
      <Button onClick={() => trial.mutate()} disabled={trial.isPending}>
        {t('rules.try')}
      </Button>
      <output>{trial.data?.filter === filter && trial.data?.text}</output>
      {trial.error !== null && <ErrorBox error={trial.error} />}
    </div>
  );
}
