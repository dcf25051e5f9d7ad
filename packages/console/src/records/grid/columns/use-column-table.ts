import { type PointerEvent, useEffect, useMemo, useState } from 'react';
import type { FieldType } from '../../values/cell-value.js';
import type { GridColumn } from './columns.js';
import { readLayout, withinWidths, writeLayout } from './layout.js';
import { useNarrow } from './use-narrow.js';

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
  readonly onResizeStart: (event: PointerEvent<HTMLElement>) => void;
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

/** Reports the width that the pointer pulls at, until the pointer is released. */
function followPointer(
  { currentTarget: grip, pointerId, clientX: start, button }: PointerEvent<HTMLElement>,
  width: number,
  onWidth: (width: number) => void,
): void {
  if (button !== 0) return;
  grip.setPointerCapture(pointerId);
  grip.onpointermove = ({ clientX }) => onWidth(width + clientX - start);
  grip.onlostpointercapture = () => {
    grip.onpointermove = null;
  };
}

/** Widths and pins of the shown columns, which the browser remembers for each collection. */
export function useColumnTable(
  collection: string,
  shown: readonly GridColumn[],
  gutterWidth: number,
): ColumnTable {
  const [stored] = useState(() => readLayout(collection));
  const [widths, setWidths] = useState(stored.widths);
  const [pinned, setPinned] = useState(stored.pinned);
  const isNarrow = useNarrow();
  useEffect(() => {
    writeLayout(collection, { widths, pinned });
  }, [collection, widths, pinned]);

  const placed = useMemo(() => {
    const resize = (name: string, width: number) =>
      setWidths(before => ({ ...before, [name]: withinWidths(width) }));
    const atLeft = isNarrow ? [] : pinned.flatMap(name => shown.find(column => column.name === name) ?? []);
    const columns: PlacedColumn[] = [];
    let left = gutterWidth;
    for (const column of [...atLeft, ...shown.filter(column => !atLeft.includes(column))]) {
      const { name, type } = column;
      const width = widths[name] ?? (name === '_id' ? ID_WIDTH : WIDTHS[type]);
      columns.push({
        ...column,
        place: columns.length + 1,
        width,
        left,
        isPinned: columns.length < atLeft.length,
        onResizeStart: event => followPointer(event, width, pulled => resize(name, pulled)),
      });
      left += width;
    }
    const pinnedWidth = columns[atLeft.length]?.left ?? left;
    return { columns, totalWidth: left, pinnedWidth, resize };
  }, [shown, widths, pinned, isNarrow, gutterWidth]);

  return {
    ...placed,
    gutterWidth,
    resetWidth: name => setWidths(({ [name]: _, ...others }) => others),
    pin: (name, isPinned) =>
      setPinned(names => [...names.filter(other => other !== name), ...(isPinned ? [name] : [])]),
  };
}
