import { t } from '../../../i18n/language.js';
import { Field, Select } from '../../../ui/controls/field.js';
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
          <Field label={t('import.existing')}>
            {control => (
              <Select
                {...control}
                disabled={isDisabled}
                value={choice.upsertKey ?? ''}
                onChange={({ target }) => onChange({ ...choice, upsertKey: target.value || undefined })}
              >
                <option value="">{t('import.addAll')}</option>
                {keys.map(key => (
                  <option key={key} value={key}>
                    {t('import.updateBy', { name: key })}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        <Field label={t('import.misfits')}>
          {control => (
            <Select
              {...control}
              disabled={isDisabled}
              value={choice.isAllOrNothing ? 'all' : 'skip'}
              onChange={({ target }) => onChange({ ...choice, isAllOrNothing: target.value === 'all' })}
            >
              <option value="skip">{t('import.skip')}</option>
              <option value="all">{t('import.allOrNothing')}</option>
            </Select>
          )}
        </Field>
      </div>
    </Section>
  );
}
