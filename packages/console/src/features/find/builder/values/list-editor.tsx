import { Plus, X } from 'lucide-react';
import { t } from '../../../../i18n/language.js';
import { Button, IconButton } from '../../../../ui/controls/button.js';
import { type FieldType, initialValue, parseValue } from '../../../../values/field-types.js';
import { writtenLocale } from '../../../../values/written-locale.js';
import styles from '../builder.module.css';
import { OneEditor } from './one-editor.js';

interface ListEditorProps {
  readonly type: FieldType;
  readonly values: readonly unknown[];
  readonly onChange: (values: readonly unknown[]) => void;
}

/** Values that have an editor each. More of them are kept as they are. */
const MAX_SHOWN = 50;

/** A list of values. Lines that are pasted become a value each. */
export function ListEditor({ type, values, onChange }: ListEditorProps) {
  const element = type === 'array' ? 'text' : type;
  const shown = values.slice(0, MAX_SHOWN);
  const paste = (index: number) => (text: string) => {
    const pasted = text.split(/\r?\n|\t/).filter(line => line !== '');
    const parsed = pasted.map(line => parseValue(element, line, writtenLocale()));
    if (pasted.length < 2 || parsed.includes(undefined)) return false;
    onChange(values.toSpliced(index, 1, ...parsed));
    return true;
  };
  return (
    <ul className={styles.list}>
      {shown.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a value is its place
        <li key={index} className={styles.listItem}>
          <OneEditor
            label={t('find.valueAt', { place: index + 1 })}
            type={element}
            value={value}
            onChange={next => onChange(values.with(index, next))}
            onPaste={paste(index)}
          />
          <IconButton
            label={t('find.removeValue', { place: index + 1 })}
            icon={<X size={14} aria-hidden />}
            onClick={() => onChange(values.toSpliced(index, 1))}
          />
        </li>
      ))}
      {values.length > shown.length && (
        <li className={styles.quiet}>{t('find.moreValues', { count: values.length - shown.length })}</li>
      )}
      <li>
        <Button
          look="plain"
          icon={<Plus size={16} aria-hidden />}
          onClick={() =>
            onChange([...values, initialValue(element) ?? (element === 'text' ? '' : undefined)])
          }
        >
          {t('find.addValue')}
        </Button>
      </li>
    </ul>
  );
}
