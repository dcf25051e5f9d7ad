import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { CellPlace, GridExtent } from '../../grid/table/navigation.js';
import { HEADER_HEIGHT } from '../../grid/table/sizes.js';
import { placeOf } from '../../grid/table/use-active-cell.js';
import { draggedTo, dragPoint } from './drag-place.js';
import type { ChosenCells } from './use-cell-range.js';

/** Beyond an edge, the range grows by a row or a column each time. */
const STEP_MS = 60;

interface CellDragOptions {
  readonly grid: RefObject<HTMLElement | null>;
  readonly gutterWidth: number;
  readonly extent: GridExtent;
  readonly chosen: ChosenCells;
  /** Moves the focus to a cell and shows it. */
  readonly goToCell: (place: CellPlace) => void;
}

/**
 * Chooses cells with the mouse, from the cell where its button is pressed to the one under the pointer. If the pointer
 * leaves the grid, the grid scrolls. The result begins to do so at a cell.
 */
export function useCellDrag(options: CellDragOptions): (from: CellPlace) => void {
  // The grid is drawn several times during one drag.
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);
  return from => {
    stop.current?.();
    stop.current = followPointer(from, latest);
  };
}

/** Follows the pointer until the button is released. The result stops it before. */
function followPointer(from: CellPlace, latest: RefObject<CellDragOptions>): () => void {
  const ends = new AbortController();
  let pointer: { readonly x: number; readonly y: number } | undefined;
  let to = from;
  const extend = (isStep: boolean) => {
    const { grid, gutterWidth, extent, chosen, goToCell } = latest.current;
    const element = grid.current;
    if (pointer === undefined || element === null) return;
    const { left, top } = element.getBoundingClientRect();
    const point = dragPoint(pointer, {
      left: left + gutterWidth,
      top: top + HEADER_HEIGHT,
      right: left + element.clientWidth,
      bottom: top + element.clientHeight,
    });
    if (isStep && point.rows === 0 && point.columns === 0) return;
    const at = placeOf(document.elementFromPoint(point.x, point.y));
    const next = at && draggedTo(at, point, extent);
    if (next === undefined || (next.row === to.row && next.column === to.column)) return;
    to = next;
    // A text of a cell is selected only while the pointer is in the cell.
    element.dataset.dragging = '';
    document.getSelection()?.removeAllRanges();
    chosen.extendFrom(from);
    goToCell(next);
  };
  const timer = setInterval(() => extend(true), STEP_MS);
  const stop = () => {
    ends.abort();
    clearInterval(timer);
    delete latest.current.grid.current?.dataset.dragging;
  };
  const { signal } = ends;
  document.addEventListener('mouseup', stop, { signal });
  document.addEventListener(
    'mousemove',
    ({ buttons, clientX, clientY }) => {
      // The button may be released outside of the window.
      if ((buttons & 1) === 0) return stop();
      pointer = { x: clientX, y: clientY };
      extend(false);
    },
    { signal },
  );
  return stop;
}
