import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { byteSize } from '../../../values/byte-size.js';
import { ENCODINGS } from '../file/encoding.js';
import { DELIMITERS } from '../file/table.js';
import styles from '../import.module.css';
import type { ChosenFile } from './use-chosen-file.js';

const DECIMALS = ['.', ','] as const;
const DATES = ['ymd', 'dmy', 'mdy'] as const;
const DELIMITER_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' } as const;
/** Characters of a line that a choice shows. */
const MAX_LABEL = 60;
const DECIMAL_NAMES = { '.': 'point', ',': 'comma' } as const;

interface FileSettingsProps {
  readonly chosen: ChosenFile;
  readonly isDisabled: boolean;
}

/** What was recognized about the file. All of it can be changed. */
export function FileSettings({ chosen, isDisabled }: FileSettingsProps) {
  const { file, reading, lines, read, forget } = chosen;
  const isCsv = reading.format === 'csv';
  return (
    <Section
      title={file.name}
      text={t('import.fileFacts', {
        size: byteSize(file.size),
        format: t(`import.format_${reading.format}`),
      })}
      actions={
        <Button disabled={isDisabled} onClick={forget}>
          {t('import.other')}
        </Button>
      }
    >
      <fieldset className={styles.settings} disabled={isDisabled}>
        <legend className="visually-hidden">{t('import.settings')}</legend>
        <Choice
          label={t('import.encoding')}
          value={reading.encoding}
          choices={ENCODINGS.map(value => ({ value, label: t(`import.encoding_${value}`) }))}
          onChange={encoding => read({ encoding })}
        />
        {isCsv && (
          <>
            <Choice
              label={t('import.delimiter')}
              value={reading.delimiter}
              choices={DELIMITERS.map(value => ({
                value,
                label: t(`import.delimiter_${DELIMITER_NAMES[value]}`),
              }))}
              onChange={delimiter => read({ delimiter })}
            />
            <Choice
              label={t('import.decimal')}
              value={reading.decimal}
              choices={DECIMALS.map(value => ({ value, label: t(`import.decimal_${DECIMAL_NAMES[value]}`) }))}
              onChange={decimal => read({ decimal })}
            />
            <Choice
              label={t('import.dates')}
              value={reading.dates}
              choices={DATES.map(value => ({ value, label: t(`import.dates_${value}`) }))}
              onChange={dates => read({ dates })}
            />
            <Choice
              label={t('import.headerLine')}
              value={String(reading.headerLine)}
              choices={[{ value: '0', label: t('import.headerLine_none') }, ...lineChoices(lines)]}
              onChange={line => read({ headerLine: Number(line) })}
            />
          </>
        )}
      </fieldset>
    </Section>
  );
}

/** The first lines of the file, each with its number. Empty ones have no names. */
function lineChoices(lines: readonly string[]) {
  return lines.flatMap((text, index) =>
    text.trim() === ''
      ? []
      : [
          {
            value: String(index + 1),
            label: t('import.headerLine_at', { line: index + 1, text: text.slice(0, MAX_LABEL) }),
          },
        ],
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
}

function Choice<T extends string>({ label, value, choices, onChange }: ChoiceProps<T>) {
  return (
    <Field label={label}>
      {control => (
        <Select
          {...control}
          value={value}
          onChange={({ target }) =>
            onChange(choices.find(each => each.value === target.value)?.value ?? value)
          }
        >
          {choices.map(each => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
