import {
  type ColumnDef,
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  type Header,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useEffect, useMemo, useState } from 'react';
import type { FieldType } from '../../values/cell-value.js';
import type { GridRecord } from '../../window/page-slot.js';
import type { GridColumn } from './columns.js';
import { MAX_WIDTH, MIN_WIDTH, readLayout, withinWidths, writeLayout } from './layout.js';
import { useNarrow } from './use-narrow.js';

const features = tableFeatures({ columnPinningFeature, columnSizingFeature, columnResizingFeature });

/** The rows come from the window; the table computes columns only. */
const NO_ROWS: GridRecord[] = [];

const WIDTHS: Readonly<Record<FieldType, number>> = {
  text: 220,
  integer: 120,
  double: 130,
  boolean: 120,
  date: 130,
  datetime: 260,
  json: 260,
  array: 200,
  flexible: 180,
};
const ID_WIDTH = 310;

/** A column at its place in the grid. */
export interface PlacedColumn extends GridColumn {
  /** The place among all columns, 1 for the first; the gutter is 0. */
  readonly place: number;
  readonly width: number;
  /** The distance from the left edge, for pinned columns that of the visible part. */
  readonly left: number;
  readonly isPinned: boolean;
  /** Begins to resize the column with the pointer. */
  readonly onResizeStart: (event: unknown) => void;
}

export interface ColumnTable {
  /** Pinned columns first. */
  readonly columns: readonly PlacedColumn[];
  readonly totalWidth: number;
  readonly pinnedWidth: number;
  readonly gutterWidth: number;
  readonly resize: (name: string, width: number) => void;
  readonly resetWidth: (name: string) => void;
  readonly pin: (name: string, isPinned: boolean) => void;
}

function placed(
  shown: readonly GridColumn[],
  headers: readonly Header<typeof features, GridRecord, unknown>[],
  gutterWidth: number,
) {
  const columns: PlacedColumn[] = [];
  const byName = new Map(shown.map(column => [column.name, column]));
  let left = gutterWidth;
  let pinnedWidth = gutterWidth;
  for (const header of headers) {
    const column = byName.get(header.column.id);
    if (column === undefined) continue;
    const width = header.getSize();
    const isPinned = header.column.getIsPinned() !== false;
    const onResizeStart = header.getResizeHandler();
    columns.push({ ...column, place: columns.length + 1, width, left, isPinned, onResizeStart });
    left += width;
    if (isPinned) pinnedWidth = left;
  }
  return { columns, left, pinnedWidth };
}

/** Widths and pins of the shown columns, which the browser remembers for each collection. */
export function useColumnTable(
  collection: string,
  shown: readonly GridColumn[],
  gutterWidth: number,
): ColumnTable {
  const [stored] = useState(() => readLayout(collection));
  const [columnSizing, setSizing] = useState<Record<string, number>>(stored.widths);
  const [pinned, setPinned] = useState(stored.pinned);
  const isNarrow = useNarrow();
  useEffect(() => {
    writeLayout(collection, { widths: columnSizing, pinned });
  }, [collection, columnSizing, pinned]);

  const defs = useMemo(
    () =>
      shown.map(
        ({ name, type }): ColumnDef<typeof features, GridRecord> => ({
          id: name,
          size: name === '_id' ? ID_WIDTH : WIDTHS[type],
          minSize: MIN_WIDTH,
          maxSize: MAX_WIDTH,
        }),
      ),
    [shown],
  );
  const columnPinning = useMemo(
    () => ({ start: isNarrow ? [] : [...pinned], end: [] as string[] }),
    [pinned, isNarrow],
  );
  const table = useTable({
    features,
    columns: defs,
    data: NO_ROWS,
    state: { columnSizing, columnPinning },
    onColumnSizingChange: setSizing,
    columnResizeMode: 'onChange',
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the headers follow from these
  const { columns, left, pinnedWidth } = useMemo(
    () => placed(shown, [...table.getStartFlatHeaders(), ...table.getCenterFlatHeaders()], gutterWidth),
    [shown, columnSizing, columnPinning, gutterWidth],
  );
  return {
    columns,
    totalWidth: left,
    pinnedWidth,
    gutterWidth,
    resize: (name, width) => setSizing(sizes => ({ ...sizes, [name]: withinWidths(width) })),
    resetWidth: name => setSizing(({ [name]: _, ...others }) => others),
    pin: (name, isPinned) =>
      setPinned(names => [...names.filter(other => other !== name), ...(isPinned ? [name] : [])]),
  };
}
