import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { rangeBetween } from '../../edit/clipboard/cell-range.js';
import type { ChosenCells } from '../../edit/clipboard/use-cell-range.js';
import type { Clipboard } from '../../edit/clipboard/use-clipboard.js';
import type { Selection } from '../../edit/select/use-selection.js';
import type { GridRecord } from '../../window/page-slot.js';
import type { RecordWindow } from '../../window/record-window.js';
import { nextDirection } from '../columns/sort.js';
import type { PlacedColumn } from '../columns/use-column-table.js';
import { useNarrow } from '../columns/use-narrow.js';
import { type MenuPlace, WIDTH_STEP } from './cell-menus.js';
import type { GridActions } from './grid-actions.js';
import { type CellPlace, type GridExtent, HEADER, moveBy } from './navigation.js';
import { placeOf } from './use-active-cell.js';

interface GridEventsOptions {
  readonly window: RecordWindow;
  readonly columns: readonly PlacedColumn[];
  readonly extent: GridExtent;
  readonly actions: GridActions;
  /** Moves the focus to a cell and shows it. */
  readonly goToCell: (place: CellPlace) => void;
  readonly elementOf: (place: CellPlace) => HTMLElement | undefined;
  /** Opens the editor of a cell. False if the cell cannot be edited. */
  readonly beginEdit: (place: CellPlace) => boolean;
  /** The cell that Tab reaches. */
  readonly active: CellPlace;
  readonly chosen: ChosenCells;
  /** Begins to choose cells with the mouse. */
  readonly beginDrag: (from: CellPlace) => void;
  readonly selection: Selection | undefined;
  readonly clipboard: Clipboard;
}

/** What keys and the pointer do in the grid. The cells have no handlers of their own. */
export function useGridEvents(options: GridEventsOptions) {
  const { window, columns, extent, actions, goToCell, elementOf, beginEdit } = options;
  const { active, chosen, beginDrag, selection, clipboard } = options;
  const [menu, setMenu] = useState<MenuPlace>();
  const isResizing = useRef(false);
  const isNarrow = useNarrow();
  // The columns change later, with the address. The focus stays with a column that moved, and goes beside one that is gone.
  const followed = useRef<PlacedColumn>(undefined);
  useLayoutEffect(() => {
    const column = followed.current;
    const now = columns.find(({ name }) => name === column?.name);
    if (column === undefined || now?.place === column.place) return;
    followed.current = undefined;
    goToCell({ row: HEADER, column: now?.place ?? Math.min(column.place, columns.length) });
  });
  const columnAt = ({ column }: CellPlace) => columns[column - 1];
  const recordAt = ({ row }: CellPlace) => (row === HEADER ? undefined : window.at(row));

  function openMenu(place: CellPlace): boolean {
    const anchor = elementOf(place);
    const [record, column] = [recordAt(place), columnAt(place)];
    if (anchor === undefined || (record === undefined && (place.row !== HEADER || column === undefined))) {
      return false;
    }
    setMenu({ anchor, record, column });
    return true;
  }

  /** Keys of a header besides those that move. True if the key does something there. */
  function onHeaderKey(
    { key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent,
    place: CellPlace,
  ): boolean {
    const column = columnAt(place);
    if (column === undefined) return false;
    if (key === 'Enter' || key === ' ') {
      actions.sort(column, nextDirection(actions.directionOf(column.name)));
      return true;
    }
    if (key === 'ArrowDown' && altKey) return openMenu(place);
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    if (!shiftKey || step === 0) return false;
    if (ctrlKey || metaKey) {
      followed.current = column;
      actions.move(column, step);
    } else actions.resize(column, column.width + step * WIDTH_STEP);
    return true;
  }

  /** Keys of a record besides those that move. */
  function onRecordKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent, place: CellPlace): boolean {
    const record = recordAt(place);
    if (record === undefined) return false;
    if (key === ' ' && selection !== undefined && (shiftKey || place.column === 0)) {
      selection.toggle(place.row, false);
      return true;
    }
    if ((key === 'Enter' || key === 'F2') && beginEdit(place)) return true;
    if (key === 'Enter' || key === ' ') {
      actions.open(record);
      return true;
    }
    const isCopy = key.toLowerCase() === 'c' && (ctrlKey || metaKey);
    if (!isCopy || document.getSelection()?.isCollapsed === false) return false;
    const range = chosen.range ?? rangeBetween(place, place);
    if (range !== undefined) clipboard.copyRange(range);
    return range !== undefined;
  }

  function onMoveKey(event: KeyboardEvent, place: CellPlace): boolean {
    if (event.altKey || (event.shiftKey && place.row === HEADER)) return false;
    const move = moveBy(event, place, extent);
    if (move === undefined) return false;
    if (event.shiftKey) chosen.extendFrom(place);
    else chosen.clear();
    if ('to' in move) goToCell(move.to);
    else void actions.goTo(move.list);
    return true;
  }

  function onKeyDown(event: KeyboardEvent): void {
    const place = placeOf(event.target);
    if (place === undefined) return;
    const isMenuKey = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    const isHandled = isMenuKey
      ? openMenu(place)
      : (place.row === HEADER ? onHeaderKey(event, place) : onRecordKey(event, place)) ||
        onMoveKey(event, place);
    if (isHandled) event.preventDefault();
  }

  function onClick(event: MouseEvent): void {
    const target = event.target as Element;
    const place = placeOf(target);
    if (place === undefined || isResizing.current) return;
    const [record, column] = [recordAt(place), columnAt(place)];
    if (record !== undefined) {
      if (target.closest('[data-chooses]') !== null) selection?.toggle(place.row, event.shiftKey);
      else if (isNarrow || target.closest('[data-opens]') !== null) actions.open(record);
    } else if (place.row === HEADER && column !== undefined) {
      if (target.closest('[data-menu]') !== null) openMenu(place);
      else actions.sort(column, nextDirection(actions.directionOf(column.name)));
    }
  }

  function onContextMenu(event: MouseEvent): void {
    const place = placeOf(event.target);
    if (place !== undefined && openMenu(place)) event.preventDefault();
  }

  return {
    menu,
    menuActions: {
      ...actions,
      hide: (column: PlacedColumn) => {
        followed.current = column;
        actions.hide(column);
      },
    },
    copyValue: ({ _id }: GridRecord, { place: column }: PlacedColumn) => {
      const row = window.indexOf(_id);
      const place = { row: row ?? HEADER, column };
      const range = rangeBetween(place, place);
      if (range !== undefined) clipboard.copyRange(range);
    },
    closeMenu: () => setMenu(undefined),
    handlers: {
      onKeyDown,
      onClick,
      onContextMenu,
      onDoubleClick: (event: MouseEvent) => {
        const place = placeOf(event.target);
        const record = place && recordAt(place);
        if (place !== undefined && record !== undefined && !beginEdit(place)) actions.open(record);
      },
      // The click at the end of resizing is not a click on the header.
      onMouseDown: (event: MouseEvent) => {
        isResizing.current = (event.target as Element).closest('[data-grip]') !== null;
        const place = placeOf(event.target);
        if (place === undefined || event.button !== 0) return;
        if (!event.shiftKey || place.column === 0) {
          chosen.clear();
          if (!isNarrow && isCellItself(event.target, place)) beginDrag(place);
        } else {
          // The browser would select text up to here.
          event.preventDefault();
          chosen.extendFrom(active);
          goToCell(place);
        }
      },
      onPaste: (event: ClipboardEvent) => {
        const place = placeOf(event.target);
        const range = chosen.range ?? (place && rangeBetween(place, place));
        if (range !== undefined && clipboard.paste(event.clipboardData.getData('text/plain'), range)) {
          event.preventDefault();
        }
      },
    },
  };
}

/** False for headers, the gutter, and controls in a cell, such as its editor. */
function isCellItself(target: EventTarget, { row, column }: CellPlace): boolean {
  const isControl = (target as Element).closest('input, textarea, select, button, a') !== null;
  return row !== HEADER && column > 0 && !isControl;
}
