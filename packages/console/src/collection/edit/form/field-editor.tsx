import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { writtenLocale } from '../../../i18n/written-locale.js';
import { Button } from '../../../ui/controls/button.js';
import { type Draft, enteredIn, isSameDraft } from '../cell/draft.js';
import { isEnd, ValueEditor } from '../cell/value-editor.js';
import type { Typed, TypedColumn } from '../model/typed-text.js';
import styles from './form.module.css';

interface FieldEditorProps {
  readonly name: string;
  readonly column: TypedColumn;
  readonly start: Draft;
  readonly before: unknown;
  /** Without a value nothing was changed. */
  readonly onDone: (entered: Typed | undefined) => void;
}

/** The editor of a field in the panel of a record. */
export function FieldEditor({ name, column, start, before, onDone }: FieldEditorProps) {
  const control = useRef<HTMLElement>(null);
  const [draft, setDraft] = useState(start);
  const entered = enteredIn(draft, column, writtenLocale(), before);
  const problem =
    'problem' in entered && !isSameDraft(draft, start) ? t(`edit.problem_${entered.problem}`) : undefined;
  useEffect(() => control.current?.focus(), []);
  const apply = () => {
    if (problem === undefined) onDone(isSameDraft(draft, start) ? undefined : entered);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onDone(undefined);
    } else if (isEnd(event) && !(event.target instanceof HTMLButtonElement)) {
      event.preventDefault();
      apply();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter and Escape end the editor
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: see above
    <div className={styles.editor} onKeyDown={onKeyDown}>
      <ValueEditor
        ref={control}
        column={column}
        draft={draft}
        onChange={setDraft}
        control={{ 'aria-label': name, 'aria-invalid': problem !== undefined }}
      />
      {problem !== undefined && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <div className={styles.buttons}>
        <Button onClick={() => onDone(undefined)}>{t('common.cancel')}</Button>
        <Button look="primary" onClick={apply}>
          {t('edit.apply')}
        </Button>
      </div>
    </div>
  );
}
