import { t } from '../../../i18n/language.js';
import { ChoiceList, Input } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { COLUMN_TYPES, problemOf } from '../../../values/draft-columns.js';
import { mostlyOfType } from '../../../values/local-values.js';
import type { Reading, Samples } from '../file/head.js';
import styles from '../import.module.css';
import { sampleColumns } from '../parts/sample-cells.js';
import type { NewField } from './new-fields.js';

interface NewFieldsTableProps {
  readonly samples: Samples;
  readonly reading: Reading;
  readonly fields: readonly NewField[];
  readonly isDisabled: boolean;
  readonly onChange: (fields: readonly NewField[]) => void;
}

/** Each field of the file with its first values, and the column that it becomes. */
export function NewFieldsTable({ samples, reading, fields, isDisabled, onChange }: NewFieldsTableProps) {
  const taken = fields.filter(({ isIn }) => isIn);
  const change = (key: number, part: Partial<NewField>) =>
    onChange(fields.map(field => (field.key === key ? { ...field, ...part } : field)));
  return (
    <Section title={t('import.fields')} text={t('import.newFieldsText')}>
      <SimpleTable
        label={t('import.fields')}
        items={fields}
        itemKey={({ key }) => key}
        empty={<p>{t('import.noFields')}</p>}
        columns={[
          {
            title: t('import.field'),
            cell: ({ key, source, isIn }) => (
              <label className={`${styles.check} ${styles.named}`}>
                <input
                  type="checkbox"
                  checked={isIn}
                  disabled={isDisabled}
                  onChange={({ target }) => change(key, { isIn: target.checked })}
                />
                {source}
              </label>
            ),
          },
          ...sampleColumns<NewField>(samples, ({ key }) => key),
          {
            title: t('import.column'),
            cell: field =>
              field.isIn && (
                <ColumnName
                  field={field}
                  problem={problemOf(taken, field)}
                  isDisabled={isDisabled}
                  onChange={name => change(field.key, { name })}
                />
              ),
          },
          {
            title: t('import.type'),
            cell: ({ key, source, type, nullable, isIn }) =>
              isIn && (
                <div className={styles.typed}>
                  <ChoiceList
                    aria-label={t('import.typeOf', { name: source })}
                    disabled={isDisabled}
                    value={type}
                    onChange={each => change(key, { type: each })}
                    choices={COLUMN_TYPES}
                    textOf={each => t(`records.type_${each}`)}
                  />
                  <label className={styles.check}>
                    <input
                      type="checkbox"
                      aria-label={t('import.requiredOf', { name: source })}
                      checked={!nullable}
                      disabled={isDisabled}
                      onChange={({ target }) => change(key, { nullable: !target.checked })}
                    />
                    {t('collections.columnRequired')}
                  </label>
                  {type === 'text' && <MostlyHint samples={samples} reading={reading} at={key} />}
                </div>
              ),
          },
        ]}
      />
    </Section>
  );
}

interface MostlyHintProps extends Pick<NewFieldsTableProps, 'samples' | 'reading'> {
  /** The place of the field in the file. */
  readonly at: number;
}

/** Says so if most values would be numbers, dates or truth values, so that a few others do not decide in silence. */
function MostlyHint({ samples, reading, at }: MostlyHintProps) {
  if (reading.format !== 'csv') return null;
  const mostly = mostlyOfType(
    samples.rows.map(row => (row[at] ?? null) as string | null),
    reading,
  );
  if (mostly === undefined) return null;
  const { type, fits, of } = mostly;
  return <p className={styles.hint}>{t('import.mostly', { fits, of, type: t(`records.type_${type}`) })}</p>;
}

const PROBLEMS = { empty: 'collections.columnEmpty', twice: 'collections.columnTwice' } as const;

interface ColumnNameProps {
  readonly field: NewField;
  readonly problem: ReturnType<typeof problemOf>;
  readonly isDisabled: boolean;
  readonly onChange: (name: string) => void;
}

function ColumnName({ field: { name, source }, problem, isDisabled, onChange }: ColumnNameProps) {
  return (
    <>
      <Input
        aria-label={t('import.columnOf', { name: source })}
        aria-invalid={problem !== undefined}
        required
        maxLength={63}
        pattern="[A-Za-z_][A-Za-z0-9_]*"
        title={t('schema.nameHint')}
        autoComplete="off"
        disabled={isDisabled}
        value={name}
        onChange={({ target }) => onChange(target.value)}
      />
      {problem !== undefined && (
        <p role="alert" className={styles.problem}>
          {t(PROBLEMS[problem])}
        </p>
      )}
    </>
  );
}
