import { t } from '../../../i18n/language.js';
import { ChoiceField } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import styles from '../import.module.css';

/** How rows are written. */
export interface RunChoice {
  readonly isAllOrNothing: boolean;
  readonly upsertKey: string | undefined;
}

interface RunOptionsProps {
  /** Columns that identify a record. */
  readonly keys: readonly string[];
  readonly choice: RunChoice;
  readonly isDisabled: boolean;
  readonly onChange: (choice: RunChoice) => void;
}

/** What happens to records that are there already, and to rows that do not fit. */
export function RunOptions({ keys, choice, isDisabled, onChange }: RunOptionsProps) {
  return (
    <Section title={t('import.how')}>
      <div className={styles.settings}>
        {keys.length > 0 && (
          <ChoiceField
            label={t('import.existing')}
            disabled={isDisabled}
            value={choice.upsertKey ?? ''}
            onChange={key => onChange({ ...choice, upsertKey: key || undefined })}
            choices={['', ...keys]}
            textOf={key => (key === '' ? t('import.addAll') : t('import.updateBy', { name: key }))}
          />
        )}
        <ChoiceField
          label={t('import.misfits')}
          disabled={isDisabled}
          choices={['skip', 'all']}
          textOf={each => t(each === 'all' ? 'import.allOrNothing' : 'import.skip')}
          value={choice.isAllOrNothing ? 'all' : 'skip'}
          onChange={each => onChange({ ...choice, isAllOrNothing: each === 'all' })}
        />
      </div>
    </Section>
  );
}
