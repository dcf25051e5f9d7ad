import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect } from 'react';
import type { ColumnTable, PlacedColumn } from '../columns/use-column-table.js';

/** So few columns are all drawn. */
const FEW_COLUMNS = 12;

/** The columns to draw: pinned ones, those in the visible part with one more at both sides, and the one with the focus. */
export function useColumnsInView(
  grid: RefObject<HTMLElement | null>,
  { columns, gutterWidth }: ColumnTable,
  activePlace: number,
): readonly PlacedColumn[] {
  const isWide = columns.length > FEW_COLUMNS;
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    horizontal: true,
    enabled: isWide,
    count: columns.length,
    getScrollElement: () => grid.current,
    estimateSize: index => columns[index]?.width ?? 0,
    paddingStart: gutterWidth,
    overscan: 1,
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const inView = new Set(defaultRangeExtractor(range));
        return columns.flatMap(({ isPinned, place }, index) =>
          isPinned || place === activePlace || inView.has(index) ? [index] : [],
        );
      },
      [columns, activePlace],
    ),
  });
  // The virtualizer keeps the widths that it has asked for.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns may have other widths
  useEffect(() => {
    if (isWide) virtualizer.measure();
  }, [virtualizer, columns, isWide]);
  return isWide ? virtualizer.getVirtualItems().flatMap(({ index }) => columns[index] ?? []) : columns;
}
