import { type KeyboardEvent, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { writtenLocale } from '../../../i18n/written-locale.js';
import type { Typed, TypedColumn } from '../model/typed-text.js';
import { type Draft, enteredIn, isSameDraft } from './draft.js';
import styles from './editor.module.css';
import { isEnd, ValueEditor } from './value-editor.js';

/** Where the focus goes when an editor closes. */
export type Leave = 'down' | 'right' | 'left' | 'stay' | 'elsewhere';

interface CellEditorProps {
  readonly field: string;
  readonly column: TypedColumn;
  /** What the editor begins with. */
  readonly start: Draft;
  /** The value of the record. */
  readonly before: unknown;
  /** Without a value nothing was changed. */
  readonly onLeave: (entered: Typed | undefined, to: Leave) => void;
}

const keepInside = (event: SyntheticEvent) => event.stopPropagation();

/** The editor in a cell. Enter and Tab keep what was entered, Escape does not; so does a press elsewhere. */
export function CellEditor({ field, column, start, before, onLeave }: CellEditorProps) {
  const id = useId();
  const control = useRef<HTMLElement>(null);
  const hasLeft = useRef(false);
  const [draft, setDraft] = useState(start);
  const [isTried, setTried] = useState(false);
  const entered = enteredIn(draft, column, writtenLocale(), before);
  const problem = isTried && 'problem' in entered ? t(`edit.problem_${entered.problem}`) : undefined;
  useEffect(() => {
    const element = control.current;
    element?.focus({ preventScroll: true });
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) element.select();
  }, []);

  const leave = (to: Leave, isKept = true) => {
    if (hasLeft.current) return;
    hasLeft.current = true;
    onLeave(isKept && !isSameDraft(draft, start) ? entered : undefined, to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const { key, shiftKey } = event;
    const isEnter = isEnd(event) && !(event.target instanceof HTMLButtonElement);
    if (key !== 'Escape' && key !== 'Tab' && !isEnter) return;
    event.preventDefault();
    if (key === 'Escape') leave('stay', false);
    else if ('problem' in entered && !isSameDraft(draft, start)) setTried(true);
    else leave(isEnter ? 'down' : shiftKey ? 'left' : 'right');
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and clicks of the editor are not those of the grid
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: see above
    <div
      className={styles.editor}
      onKeyDown={onKeyDown}
      onClick={keepInside}
      onDoubleClick={keepInside}
      onMouseDown={keepInside}
      onContextMenu={keepInside}
      onCopy={keepInside}
      onPaste={keepInside}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Another window may have the focus for a while.
        if (!currentTarget.contains(relatedTarget) && document.hasFocus()) leave('elsewhere');
      }}
    >
      <ValueEditor
        ref={control}
        column={column}
        draft={draft}
        onChange={setDraft}
        control={{
          'aria-label': field,
          'aria-invalid': problem !== undefined,
          'aria-describedby': problem === undefined ? undefined : id,
        }}
      />
      {problem !== undefined && (
        <p id={id} role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </div>
  );
}
