import { type FocusEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { type CellPlace, HEADER } from './navigation.js';

/** The cell of an event, from the attributes of the cell around its target. */
export function placeOf(target: EventTarget | null): CellPlace | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-place]') : null;
  if (cell === null) return undefined;
  return { row: Number(cell.dataset.row), column: Number(cell.dataset.place) };
}

export interface ActiveCell {
  /** The cell that Tab reaches. */
  readonly place: CellPlace;
  /** Moves the focus to another cell, once it is drawn. */
  readonly focus: (place: CellPlace) => void;
  readonly onFocus: (event: FocusEvent) => void;
  readonly elementOf: (place: CellPlace) => HTMLElement | undefined;
}

/** One cell of the grid can be reached with Tab, the one that had the focus last. */
export function useActiveCell(grid: RefObject<HTMLElement | null>): ActiveCell {
  const [place, setPlace] = useState<CellPlace>({ row: HEADER, column: 0 });
  const wanted = useRef<CellPlace>(undefined);
  const elementOf = ({ row, column }: CellPlace) =>
    grid.current?.querySelector<HTMLElement>(`[data-row="${row}"][data-place="${column}"]`) ?? undefined;
  // The cell may be drawn by a later update than the one that wants it.
  useLayoutEffect(() => {
    const element = wanted.current && elementOf(wanted.current);
    if (element === undefined) return;
    wanted.current = undefined;
    element.focus({ preventScroll: true });
  });
  return {
    place,
    focus: next => {
      wanted.current = next;
      setPlace({ ...next });
    },
    onFocus: ({ target }) => {
      const focused = placeOf(target);
      if (focused === undefined) return;
      if (focused.row !== place.row || focused.column !== place.column) setPlace(focused);
    },
    elementOf,
  };
}
