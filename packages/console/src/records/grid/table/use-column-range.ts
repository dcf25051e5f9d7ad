import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { PlacedColumn } from '../columns/use-column-table.js';

/** So few columns are all drawn. */
const FEW_COLUMNS = 12;
/** The visible part is known in steps, so that scrolling sideways seldom draws anything. */
const STEP = 200;

/**
 * The columns to draw: pinned ones, those in the visible part with some more at both sides, and the one with the focus.
 */
export function useColumnsInView(
  grid: RefObject<HTMLElement | null>,
  columns: readonly PlacedColumn[],
  activePlace: number,
): readonly PlacedColumn[] {
  const [{ from, to }, setRange] = useState({ from: 0, to: Number.POSITIVE_INFINITY });
  useEffect(() => {
    const element = grid.current;
    if (element === null) return;
    const measure = () => {
      const from = Math.floor(element.scrollLeft / STEP) * STEP - STEP;
      const to = Math.ceil((element.scrollLeft + element.clientWidth) / STEP) * STEP + STEP;
      setRange(range => (range.from === from && range.to === to ? range : { from, to }));
    };
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      observer.disconnect();
    };
  }, [grid]);
  return useMemo(() => {
    if (columns.length <= FEW_COLUMNS) return columns;
    return columns.filter(
      ({ isPinned, left, width, place }) =>
        isPinned || place === activePlace || (left < to && left + width > from),
    );
  }, [columns, from, to, activePlace]);
}
