import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Field, TextArea } from '../../../ui/controls/field.js';
import styles from '../charts.module.css';
import { type ChartFilter, isObject } from '../model/chart.js';

interface FilterFieldProps {
  readonly filter: ChartFilter | undefined;
  readonly onChange: (filter: ChartFilter | undefined) => void;
  readonly onWrong: (isWrong: boolean) => void;
}

/** The filter of a chart as JSON. The records page, which builds filters, opens this page with its own. */
export function FilterField({ filter, onChange, onWrong }: FilterFieldProps) {
  const [text, setText] = useState(filter === undefined ? '' : JSON.stringify(filter, undefined, 2));
  const [error, setError] = useState<string>();
  const change = (changed: string) => {
    setText(changed);
    const read = filterOf(changed);
    setError('problem' in read ? read.problem : undefined);
    onWrong('problem' in read);
    if (!('problem' in read)) onChange(read.filter);
  };
  return (
    <details open={filter !== undefined} className={styles.filter}>
      <summary>{t('charts.filter')}</summary>
      <Field label={t('charts.filterJson')} hint={t('charts.filterHint')} error={error}>
        {control => (
          <TextArea
            {...control}
            spellCheck={false}
            value={text}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
        )}
      </Field>
    </details>
  );
}

function filterOf(text: string): { filter: ChartFilter | undefined } | { problem: string } {
  if (text.trim() === '') return { filter: undefined };
  try {
    const filter: unknown = JSON.parse(text);
    return isObject(filter) ? { filter } : { problem: t('charts.filterWrong') };
  } catch (error) {
    return { problem: `${t('charts.filterWrong')} ${(error as Error).message}` };
  }
}
