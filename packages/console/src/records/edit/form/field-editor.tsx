import { Undo2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { isComposing } from '../../../ui/controls/composing.js';
import { writtenLocale } from '../../../values/written-locale.js';
import type { GridRecord } from '../../window/page-slot.js';
import { markOf } from '../cell/cell-mark.js';
import { type Draft, enteredIn, finalDraft, isSameDraft } from '../cell/draft.js';
import { isEnd, ValueEditor } from '../cell/value-editor.js';
import { withoutCell } from '../model/staged-edits.js';
import type { Typed, TypedColumn } from '../model/typed-text.js';
import type { Editing } from '../use-editing.js';
import styles from './form.module.css';

interface FieldEditorProps {
  readonly name: string;
  readonly column: TypedColumn;
  readonly start: Draft;
  readonly before: unknown;
  /** Without a value nothing was changed. */
  readonly onDone: (entered: Typed | undefined) => void;
  /** Called if the editor goes while it is open: with another field, another record, or the panel. */
  readonly onGone: (entered: Typed) => void;
}

/** The editor of a field in the panel of a record. What was entered is kept, unless somebody cancels. */
export function FieldEditor({ name, column, start, before, onDone, onGone }: FieldEditorProps) {
  const control = useRef<HTMLElement>(null);
  const hasEnded = useRef(false);
  const [draft, setDraft] = useState(start);
  const entered = enteredIn(draft, column, writtenLocale(), before);
  const problem =
    'problem' in entered && !isSameDraft(draft, start) ? t(`edit.problem_${entered.problem}`) : undefined;
  useEffect(() => control.current?.focus(), []);
  const gone = useRef<() => void>(undefined);
  gone.current = () => {
    if (!hasEnded.current && !isSameDraft(draft, start)) onGone(entered);
  };
  useEffect(() => () => gone.current?.(), []);
  const end = (kept: Typed | undefined) => {
    hasEnded.current = true;
    onDone(kept);
  };
  const apply = () => {
    const last = finalDraft(draft, control.current);
    const kept = enteredIn(last, column, writtenLocale(), before);
    if (isSameDraft(last, start)) end(undefined);
    else if ('problem' in kept) setDraft(last);
    else end(kept);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') apply();
    else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      end(undefined);
    } else if (isEnd(event) && !(event.target instanceof HTMLButtonElement)) {
      event.preventDefault();
      apply();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter and Escape end the editor
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: see above
    <div className={styles.editor} data-saves onKeyDown={onKeyDown}>
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
        <Button onClick={() => end(undefined)}>{t('common.cancel')}</Button>
        <Button look="primary" onClick={apply}>
          {t('edit.apply')}
        </Button>
      </div>
    </div>
  );
}

interface FieldChangeProps {
  readonly editing: Editing;
  readonly record: GridRecord;
  readonly name: string;
}

/** What the panel says of an unsaved change of a field. */
export function FieldChange({ editing, record, name }: FieldChangeProps) {
  const { rows, refusals } = editing.state;
  const mark = markOf(record, name, rows.get(record._id), refusals.get(record._id));
  if (mark === undefined) return null;
  return (
    <p className={styles.change} data-mark={mark.look}>
      {mark.text}
      <IconButton
        label={t('edit.discardChangeOf', { name })}
        icon={<Undo2 size={14} aria-hidden />}
        onClick={() => editing.store.change(before => withoutCell(before, record._id, name))}
      />
    </p>
  );
}
