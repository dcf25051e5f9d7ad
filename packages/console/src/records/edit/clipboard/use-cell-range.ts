import { useState } from 'react';
import type { CellPlace } from '../../grid/table/navigation.js';
import { type CellRange, rangeBetween } from './cell-range.js';

export interface ChosenCells {
  /** The chosen cells; a single cell is no range. */
  readonly range: CellRange | undefined;
  /** The range goes on from the cell where it began; without a range that is this cell. */
  readonly extendFrom: (place: CellPlace) => void;
  readonly clear: () => void;
}

/** The cells between the one where Shift was first pressed and the one with the focus. */
export function useCellRange(active: CellPlace): ChosenCells {
  const [anchor, setAnchor] = useState<CellPlace>();
  const range = anchor && rangeBetween(anchor, active);
  const isOne = range === undefined || (range.top === range.bottom && range.left === range.right);
  return {
    range: isOne ? undefined : range,
    extendFrom: place => setAnchor(before => before ?? place),
    clear: () => setAnchor(undefined),
  };
}
