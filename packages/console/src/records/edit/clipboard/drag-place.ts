import { type CellPlace, type GridExtent, HEADER } from '../../grid/table/navigation.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The visible part of the grid that has cells of records: without the header and the gutter. */
export interface CellsBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A point within the box, and the steps that lead from its cell to the pointer: 0, or 1 and -1 beyond an edge. */
export interface DragPoint extends Point {
  readonly rows: number;
  readonly columns: number;
}

/** The nearest point to the pointer that is within the box. */
export function dragPoint({ x, y }: Point, { left, top, right, bottom }: CellsBox): DragPoint {
  const within = {
    x: Math.min(Math.max(x, left + 1), right - 1),
    y: Math.min(Math.max(y, top + 1), bottom - 1),
  };
  return { ...within, columns: Math.sign(x - within.x), rows: Math.sign(y - within.y) };
}

/** The cell to which a range is dragged: one step further than the cell at the edge, but within the known records. */
export function draggedTo(
  at: CellPlace,
  { rows, columns }: Pick<DragPoint, 'rows' | 'columns'>,
  { first, end, columns: count }: GridExtent,
): CellPlace | undefined {
  if (end <= first || at.row === HEADER) return undefined;
  return {
    row: Math.min(Math.max(at.row + rows, first), end - 1),
    column: Math.min(Math.max(at.column + columns, 1), count - 1),
  };
}
