import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { isComposing } from '../../../ui/controls/composing.js';
import { Input } from '../../../ui/controls/field.js';
import { writtenLocale } from '../../../values/written-locale.js';
import { typed } from '../model/typed-text.js';
import type { Editing } from '../use-editing.js';
import styles from './form.module.css';

interface AddFieldProps {
  readonly editing: Editing;
  /** Names of fields that are there. */
  readonly taken: readonly string[];
  readonly onAdd: (name: string, value: unknown) => void;
}

/** Adds a field that no column declares. A value that reads as a number, as true or false, or as JSON is one. */
export function AddField({ editing, taken, onAdd }: AddFieldProps) {
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const column = editing.columnOf(name.trim());
  const isNew = column !== undefined && !taken.includes(name.trim());
  const add = () => {
    const entered = typed(text, { type: 'flexible', isNullable: true }, writtenLocale());
    if (!isNew || 'problem' in entered) return;
    onAdd(name.trim(), entered.value);
    setName('');
    setText('');
  };
  return (
    <fieldset className={styles.add}>
      <legend>{t('edit.addFieldTitle')}</legend>
      <Input
        aria-label={t('edit.fieldName')}
        placeholder={t('edit.fieldName')}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={name.trim() !== '' && !isNew}
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <Input
        aria-label={t('edit.fieldValue')}
        placeholder={t('edit.fieldValue')}
        autoComplete="off"
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          add();
        }}
      />
      <Button disabled={!isNew} onClick={add}>
        {t('edit.addField')}
      </Button>
    </fieldset>
  );
}
