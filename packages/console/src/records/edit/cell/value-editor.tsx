import { type KeyboardEvent, type Ref, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { isComposing } from '../../../ui/controls/composing.js';
import { Input, Select, TextArea } from '../../../ui/controls/field.js';
import { writtenLocale } from '../../../values/written-locale.js';
import { type TypedColumn, typed } from '../model/typed-text.js';
import { type Draft, HALF } from './draft.js';
import styles from './editor.module.css';

interface ValueEditorProps {
  readonly column: TypedColumn;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly control: {
    readonly id?: string;
    readonly 'aria-label'?: string;
    readonly 'aria-describedby'?: string | undefined;
    readonly 'aria-invalid'?: boolean;
  };
  readonly ref?: Ref<HTMLElement>;
}

/** The editor of one value, by the type of its column. */
export function ValueEditor({ column, draft, onChange, control, ref }: ValueEditorProps) {
  const { type, isNullable } = column;
  // A field of the browser for dates would not show a text that is not a date, or has a zone.
  const [isDate] = useState(
    () =>
      !draft.text.endsWith('Z') &&
      !('problem' in typed(draft.text, { type, isNullable: true }, writtenLocale())),
  );
  const enter = (text: string) => onChange({ text, isNull: text === '' && !isOfText(column) });
  const shared = { ...control, autoComplete: 'off', spellCheck: false };
  if (type === 'boolean') {
    return (
      <Select
        {...control}
        ref={ref as Ref<HTMLSelectElement>}
        value={draft.text}
        onChange={event => enter(event.target.value)}
      >
        {(isNullable || draft.text === '') && <option value="">{t('records.valueNull')}</option>}
        <option value="true">true</option>
        <option value="false">false</option>
      </Select>
    );
  }
  if (isDate && (type === 'date' || type === 'datetime')) {
    return (
      <Input
        {...shared}
        ref={ref as Ref<HTMLInputElement>}
        type={type === 'date' ? 'date' : 'datetime-local'}
        step={type === 'date' ? undefined : 0.001}
        max={type === 'date' ? '9999-12-31' : '9999-12-31T23:59:59'}
        value={draft.text.replace(' ', 'T')}
        onChange={({ target }) => (target.validity.badInput ? onChange(HALF) : enter(target.value))}
      />
    );
  }
  if (type === 'integer' || type === 'double' || type === 'date' || type === 'datetime') {
    return (
      <Input
        {...shared}
        ref={ref as Ref<HTMLInputElement>}
        inputMode={type === 'integer' || type === 'double' ? 'decimal' : 'text'}
        value={draft.text}
        onChange={event => enter(event.target.value)}
      />
    );
  }
  return (
    <div className={styles.text}>
      <TextArea
        {...shared}
        ref={ref as Ref<HTMLTextAreaElement>}
        className={`${styles.area} ${type === 'json' || type === 'array' ? styles.code : ''}`}
        rows={Math.min(Math.max(draft.text.split('\n').length, 1), 8)}
        placeholder={draft.isNull && isNullable ? 'null' : undefined}
        value={draft.text}
        onChange={event => enter(event.target.value)}
      />
      {isOfText(column) && isNullable && (
        <Button
          aria-pressed={draft.isNull}
          className={styles.null}
          onClick={() => onChange({ text: '', isNull: !draft.isNull })}
        >
          null
        </Button>
      )}
    </div>
  );
}

/** In these columns an empty editor is an empty text; in others it is null. */
function isOfText({ type }: TypedColumn): boolean {
  return type === 'text' || type === 'flexible';
}

/** True for Enter that ends an editor: Shift-Enter begins a line. */
export function isEnd({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean {
  return key === 'Enter' && !shiftKey && !isComposing(nativeEvent);
}
