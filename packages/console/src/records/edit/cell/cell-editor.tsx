import {
  type KeyboardEvent,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { t } from '../../../i18n/language.js';
import { isComposing } from '../../../ui/controls/composing.js';
import { writtenLocale } from '../../../values/written-locale.js';
import type { Typed, TypedColumn } from '../model/typed-text.js';
import { type Draft, enteredIn, finalDraft, isSameDraft } from './draft.js';
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
  /** Called if the editor goes while it is open, for example with its row. */
  readonly onGone: (entered: Typed) => void;
}

const keepInside = (event: SyntheticEvent) => event.stopPropagation();

/** The editor in a cell. Enter, Tab, Ctrl-S and a press elsewhere keep what was entered, Escape does not. */
export function CellEditor({ field, column, start, before, onLeave, onGone }: CellEditorProps) {
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
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => keepInGrid(frame.current));
  const gone = useRef<() => void>(undefined);
  gone.current = () => {
    if (!hasLeft.current && !isSameDraft(draft, start)) onGone(entered);
  };
  useEffect(() => () => gone.current?.(), []);

  const leave = (to: Leave, isKept = true) => {
    if (hasLeft.current) return;
    hasLeft.current = true;
    const last = finalDraft(draft, control.current);
    const isChanged = isKept && !isSameDraft(last, start);
    onLeave(isChanged ? enteredIn(last, column, writtenLocale(), before) : undefined, to);
  };
  /** Leaves with the value, unless it does not fit: then says why. */
  const keep = (to: Leave) => {
    const last = finalDraft(draft, control.current);
    const isWrong = 'problem' in enteredIn(last, column, writtenLocale(), before);
    if (!isWrong || isSameDraft(last, start)) {
      leave(to);
      return;
    }
    setDraft(last);
    setTried(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, metaKey } = event;
    // The keys of the page work in an editor too: Ctrl-S saves with what was entered here, Ctrl-K opens the palette.
    if ((ctrlKey || metaKey) && /^[sk]$/i.test(key)) {
      if (key.toLowerCase() === 's') keep('stay');
      return;
    }
    event.stopPropagation();
    const isEnter = isEnd(event) && !(event.target instanceof HTMLButtonElement);
    if ((key !== 'Escape' && key !== 'Tab' && !isEnter) || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    if (key === 'Escape') leave('stay', false);
    else keep(isEnter ? 'down' : shiftKey ? 'left' : 'right');
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and clicks of the editor are not those of the grid
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: see above
    <div
      ref={frame}
      className={styles.editor}
      data-saves
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

/** Moves an editor that is wider than its cell to the left, as far as the edge of the grid would cut it. */
function keepInGrid(editor: HTMLElement | null): void {
  const grid = editor?.closest('[role=grid]');
  if (editor === null || grid === null || grid === undefined) return;
  editor.style.left = '';
  const edge = grid.getBoundingClientRect().left + grid.clientWidth;
  const beyond = editor.getBoundingClientRect().right - edge;
  const room = editor.getBoundingClientRect().left - grid.getBoundingClientRect().left;
  if (beyond > 0) editor.style.left = `${-1 - Math.min(beyond, Math.max(room, 0))}px`;
}
