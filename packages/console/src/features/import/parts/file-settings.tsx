import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ChoiceField } from '../../../ui/controls/field.js';
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

/** What was recognized about the file. All of it can be changed; empty lines have no names. */
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
        <ChoiceField
          label={t('import.encoding')}
          value={reading.encoding}
          choices={ENCODINGS}
          textOf={value => t(`import.encoding_${value}`)}
          onChange={encoding => read({ encoding })}
        />
        {isCsv && (
          <>
            <ChoiceField
              label={t('import.delimiter')}
              value={reading.delimiter}
              choices={DELIMITERS}
              textOf={value => t(`import.delimiter_${DELIMITER_NAMES[value]}`)}
              onChange={delimiter => read({ delimiter })}
            />
            <ChoiceField
              label={t('import.decimal')}
              value={reading.decimal}
              choices={DECIMALS}
              textOf={value => t(`import.decimal_${DECIMAL_NAMES[value]}`)}
              onChange={decimal => read({ decimal })}
            />
            <ChoiceField
              label={t('import.dates')}
              value={reading.dates}
              choices={DATES}
              textOf={value => t(`import.dates_${value}`)}
              onChange={dates => read({ dates })}
            />
            <ChoiceField
              label={t('import.headerLine')}
              value={String(reading.headerLine)}
              choices={['0', ...lines.flatMap((text, at) => (text.trim() === '' ? [] : String(at + 1)))]}
              textOf={line =>
                line === '0'
                  ? t('import.headerLine_none')
                  : t('import.headerLine_at', {
                      line: Number(line),
                      text: lines[Number(line) - 1]?.slice(0, MAX_LABEL) ?? '',
                    })
              }
              onChange={line => read({ headerLine: Number(line) })}
            />
          </>
        )}
      </fieldset>
    </Section>
  );
}
