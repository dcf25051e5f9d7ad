import { defaultRangeExtractor, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { RecordWindow } from '../../window/record-window.js';
import { type WindowState } from '../../window/window-state.js';
import { HEADER_HEIGHT, ROW_HEIGHT } from './sizes.js';

/** Empty rows behind the known ones while more are read. */
const ROWS_WAITING = 3;
/** Empty rows while the first page is read. */
const ROWS_OPENING = 15;
/** Keeps the keys of rows of different lists apart. */
const KEYS_OF_A_LIST = 1e9;

export interface RowsInView {
  /** The rows to draw; `index` counts from the first known row. */
  readonly items: readonly VirtualItem[];
  readonly height: number;
  readonly scrollToRow: (row: number) => void;
  /** Whole rows that fit into the visible part. */
  readonly pageRows: number;
}

/** The rows to draw, and the one with the focus, wherever it is. Tells the window which rows are visible. */
export function useRowsInView(
  grid: RefObject<HTMLElement | null>,
  window: RecordWindow,
  state: WindowState,
  activeRow: number,
): RowsInView {
  const { first, end, atEnd, generation, start, isOpening, version } = state;
  const known = end - first;
  const waiting = known === 0 ? (isOpening ? ROWS_OPENING : 0) : atEnd ? 0 : ROWS_WAITING;
  const active = activeRow - first;
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count: known + waiting,
    getScrollElement: () => grid.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: useCallback(
      (index: number) => generation * KEYS_OF_A_LIST + first + index,
      [generation, first],
    ),
    overscan: 8,
    scrollMargin: HEADER_HEIGHT,
    scrollPaddingStart: HEADER_HEIGHT,
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const indexes = defaultRangeExtractor(range);
        if (active < 0 || active >= range.count || indexes.includes(active)) return indexes;
        return [...indexes, active].sort((one, other) => one - other);
      },
      [active],
    ),
  });

  const drawn = useRef({ generation, first });
  useLayoutEffect(() => {
    const element = grid.current;
    const before = drawn.current;
    drawn.current = { generation, first };
    if (element === null) return;
    if (before.generation !== generation) {
      const fromEnd = 'cursor' in start && start.cursor === 'end';
      element.scrollTop = fromEnd ? element.scrollHeight : 0;
    } else if (before.first !== first) {
      // Rows that are found before the visible ones, or forgotten, do not move them.
      element.scrollTop += (before.first - first) * ROW_HEIGHT;
    }
  }, [grid, generation, start, first]);

  const range = virtualizer.range;
  const [from, to] = range === null ? [first, first] : [first + range.startIndex, first + range.endIndex];
  // biome-ignore lint/correctness/useExhaustiveDependencies: other pages may be needed whenever the records changed
  useEffect(() => {
    if (known > 0) window.show(from, Math.min(to, end));
  }, [window, from, to, end, known, version, generation]);

  return {
    items: virtualizer.getVirtualItems(),
    height: (known + waiting) * ROW_HEIGHT,
    scrollToRow: row => virtualizer.scrollToIndex(row - first, { align: 'auto' }),
    pageRows: Math.max(Math.floor((virtualizer.scrollRect?.height ?? 0) / ROW_HEIGHT) - 2, 1),
  };
}
