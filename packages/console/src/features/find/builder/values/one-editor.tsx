import { t } from '../../../../i18n/language.js';
import { Input, Select, TextArea } from '../../../../ui/controls/field.js';
import { type FieldType, fits, parseValue, textOf } from '../../../../values/field-types.js';
import { writtenLocale } from '../../../../values/written-locale.js';
import styles from '../builder.module.css';
import { useDraft } from '../use-draft.js';
import { DateEditor } from './date-editor.js';

interface OneEditorProps {
  readonly label: string;
  readonly type: FieldType;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onPaste?: (text: string) => boolean;
}

/** One value of a type. A value of another type is shown as JSON, so that nothing changes it by accident. */
export function OneEditor({ label, type, value, onChange, onPaste }: OneEditorProps) {
  if (value !== undefined && !fits(type, value)) {
    return <JsonInput label={label} value={value} onChange={onChange} />;
  }
  switch (type) {
    case 'boolean':
      return (
        <Select
          aria-label={label}
          className={styles.value}
          value={String(value)}
          onChange={event => onChange(event.target.value === 'true')}
        >
          <option value="true">{t('find.yes')}</option>
          <option value="false">{t('find.no')}</option>
        </Select>
      );
    case 'date':
    case 'datetime':
      return <DateEditor label={label} type={type} value={value as string | undefined} onChange={onChange} />;
    case 'json':
      return <JsonInput label={label} value={value} onChange={onChange} />;
    default:
      return <LineInput {...{ label, type, value, onChange, onPaste }} />;
  }
}

/** A text or a number. */
function LineInput({ label, type, value, onChange, onPaste }: OneEditorProps) {
  const isNumber = type === 'integer' || type === 'double';
  const [text, enter] = useDraft(
    value,
    value => textOf(type, value),
    text => parseValue(type, text, writtenLocale()),
  );
  return (
    <Input
      aria-label={label}
      aria-invalid={isNumber && text !== '' && value === undefined}
      className={styles.value}
      inputMode={isNumber ? 'decimal' : 'text'}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={event => onChange(enter(event.target.value))}
      onPaste={event => {
        if (onPaste?.(event.clipboardData.getData('text'))) event.preventDefault();
      }}
    />
  );
}

function JsonInput({ label, value, onChange }: Pick<OneEditorProps, 'label' | 'value' | 'onChange'>) {
  const [text, enter] = useDraft(
    value,
    value => (value === undefined ? '' : JSON.stringify(value)),
    text => parseValue('json', text, writtenLocale()),
  );
  return (
    <TextArea
      aria-label={`${label} (JSON)`}
      aria-invalid={text !== '' && value === undefined}
      className={`${styles.value} ${styles.code} ${styles.json}`}
      rows={1}
      spellCheck={false}
      value={text}
      onChange={event => onChange(enter(event.target.value))}
    />
  );
}
