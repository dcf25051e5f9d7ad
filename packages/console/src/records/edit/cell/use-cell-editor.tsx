import {
  type KeyboardEvent,
  type ReactNode,
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
import type { PlacedColumn } from '../../grid/columns/use-column-table.js';
import type { CellPlace } from '../../grid/table/navigation.js';
import { placeOf } from '../../grid/table/use-active-cell.js';
import { LIVE_MARK } from '../../live/rows/live-rows.js';
import type { GridRecord } from '../../window/page-slot.js';
import type { RecordWindow } from '../../window/record-window.js';
import type { Typed, TypedColumn } from '../model/typed-text.js';
import type { Editing } from '../use-editing.js';
import { type Draft, enteredIn, finalDraft, isSameDraft, startOf } from './draft.js';
import styles from './editor.module.css';
import { isEnd, ValueEditor } from './value-editor.js';

interface CellEditorOptions {
  readonly editing: Editing | undefined;
  readonly window: RecordWindow;
  readonly columns: readonly PlacedColumn[];
  readonly goToCell: (place: CellPlace) => void;
  readonly onFailure: (error: unknown) => void;
}

interface OpenCell {
  readonly place: CellPlace;
  readonly record: GridRecord;
  readonly field: string;
}

interface GridCellEditor {
  /** Opens the editor of a cell. False if the cell cannot be edited. */
  readonly begin: (place: CellPlace) => boolean;
  /** The record and the field whose editor is open. */
  readonly open: { readonly record: GridRecord; readonly field: string } | undefined;
  readonly element: ReactNode;
}

const STEPS: Readonly<Record<Exclude<Leave, 'elsewhere'>, readonly [rows: number, columns: number]>> = {
  down: [1, 0],
  right: [0, 1],
  left: [0, -1],
  stay: [0, 0],
};

/** The editor of one cell of the grid. What it changes is staged. */
export function useCellEditor(options: CellEditorOptions): GridCellEditor {
  const { editing, window, columns, goToCell, onFailure } = options;
  const [cell, setCell] = useState<OpenCell>();
  const wanted = useRef<CellPlace>(undefined);

  function begin(place: CellPlace): boolean {
    const record = window.at(place.row);
    const field = columns[place.column - 1]?.name;
    if (editing === undefined || record === undefined || field === undefined) return false;
    if (editing.columnOf(field) === undefined || record[LIVE_MARK] === 'deleted') return false;
    wanted.current = place;
    if (record._cut?.includes(field) !== true) {
      setCell({ place, record, field });
      return true;
    }
    editing.wholeValue(record, field).then(({ whole }) => {
      // Whoever has gone on meanwhile keeps the focus.
      const focused = placeOf(document.activeElement);
      const isThere = focused?.row === place.row && focused.column === place.column;
      if (wanted.current === place && isThere) setCell({ place, record: whole, field });
    }, onFailure);
    return true;
  }

  const column = cell && editing?.columnOf(cell.field);
  if (cell === undefined || editing === undefined || column === undefined) {
    return { begin, open: undefined, element: undefined };
  }
  const { place, record, field } = cell;
  const before = record[field];
  const row = editing.state.rows.get(record._id);
  const stage = (entered: Typed) =>
    editing.stage([{ record: editing.edited(record), field, before, entered }]);
  const start = startOf(row, field, before, column, writtenLocale());
  return {
    begin,
    open: { record, field },
    element: (
      <CellEditor
        key={`${record._id} ${field}`}
        field={field}
        column={column}
        start={start}
        before={before}
        onGone={stage}
        onLeave={(entered, to) => {
          setCell(undefined);
          if (entered !== undefined) stage(entered);
          if (to === 'elsewhere') return;
          const [rows, places] = STEPS[to];
          const { end } = window.getState();
          goToCell({
            row: Math.min(place.row + rows, end - 1),
            column: Math.min(Math.max(place.column + places, 1), columns.length),
          });
        }}
      />
    ),
  };
}

/** Where the focus goes when an editor closes. */
type Leave = 'down' | 'right' | 'left' | 'stay' | 'elsewhere';

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
function CellEditor({ field, column, start, before, onLeave, onGone }: CellEditorProps) {
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
