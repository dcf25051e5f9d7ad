import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Select } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import type { Samples } from '../file/head.js';
import styles from '../import.module.css';
import { sampleColumns } from '../parts/sample-cells.js';
import { doubledName, missingColumns, type TargetNames } from './targets.js';

interface TargetTableProps {
  readonly samples: Samples;
  readonly info: CollectionInfo;
  readonly chosen: TargetNames;
  readonly isDisabled: boolean;
  readonly onChange: (chosen: TargetNames) => void;
}

/** Each field of the file with its first values, and the column that it goes to. */
export function TargetTable({ samples, info, chosen, isDisabled, onChange }: TargetTableProps) {
  const doubled = doubledName(chosen);
  const missing = missingColumns(chosen, info.schema);
  const items = samples.names.map((name, index) => ({ name, index }));
  return (
    <Section title={t('import.fields')} text={t('import.fieldsText')}>
      <SimpleTable
        label={t('import.fields')}
        items={items}
        itemKey={({ index }) => index}
        empty={<p>{t('import.noFields')}</p>}
        columns={[
          { title: t('import.field'), cell: ({ name }) => name },
          ...sampleColumns<(typeof items)[number]>(samples, ({ index }) => index),
          {
            title: t('import.target'),
            cell: ({ name, index }) => (
              <Select
                aria-label={t('import.targetOf', { name })}
                aria-invalid={doubled !== undefined && chosen[index] === doubled}
                disabled={isDisabled}
                value={chosen[index] ?? ''}
                onChange={({ target }) =>
                  onChange(chosen.map((each, at) => (at === index ? target.value || null : each)))
                }
              >
                <option value="">{t('import.leaveOut')}</option>
                {Object.entries(info.schema).map(([column, { type }]) => (
                  <option key={column} value={column}>
                    {column} ({t(`records.type_${type}`)})
                  </option>
                ))}
                {!Object.hasOwn(info.schema, name) && (
                  <option value={name}>{t('import.keepField', { name })}</option>
                )}
              </Select>
            ),
          },
        ]}
      />
      {doubled !== undefined && (
        <p role="alert" className={styles.problem}>
          {t('import.doubled', { name: doubled })}
        </p>
      )}
      {missing.length > 0 && (
        <p role="status" className={styles.warning}>
          {t('import.missing', { count: missing.length, names: missing.join(', ') })}
        </p>
      )}
    </Section>
  );
}
