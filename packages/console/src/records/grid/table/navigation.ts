/** A cell: the index of its row (`HEADER` for the header), and the place of its column, 0 for the gutter. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

export const HEADER = Number.NEGATIVE_INFINITY;

/** What of the grid is known: the first row, the row after the last one, the number of columns, the rows of a page. */
export interface GridExtent {
  readonly first: number;
  readonly end: number;
  readonly columns: number;
  readonly pageRows: number;
}

/** Where a key leads: another cell, or the first or last record of the list, which may not be read yet. */
export type Move = { readonly to: CellPlace } | { readonly list: 'first' | 'last' };

interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Where an arrow or a page key leads from a cell; undefined for other keys. Nothing leaves the known rows. */
export function moveBy(
  { key, ctrlKey, metaKey }: PressedKey,
  from: CellPlace,
  extent: GridExtent,
): Move | undefined {
  const { first, end, columns, pageRows } = extent;
  const { row, column } = from;
  const isFar = ctrlKey || metaKey;
  const last = columns - 1;
  const toRow = (target: number): Move => ({ to: { row: withinRows(target, extent), column } });
  const toColumn = (target: number): Move => ({ to: { row, column: Math.min(Math.max(target, 0), last) } });
  switch (key) {
    case 'ArrowRight':
      return toColumn(isFar ? last : column + 1);
    case 'ArrowLeft':
      return toColumn(isFar ? 0 : column - 1);
    case 'ArrowDown':
      return toRow(isFar ? end - 1 : row === HEADER ? first : row + 1);
    case 'ArrowUp':
      if (row === HEADER) return { to: from };
      return row - 1 < first || isFar
        ? { to: { row: isFar && row > first ? first : HEADER, column } }
        : toRow(row - 1);
    case 'PageDown':
      return toRow((row === HEADER ? first - 1 : row) + pageRows);
    case 'PageUp':
      return row === HEADER ? { to: from } : toRow(row - pageRows);
    case 'Home':
      return isFar ? { list: 'first' } : toColumn(0);
    case 'End':
      return isFar ? { list: 'last' } : toColumn(last);
    default:
      return undefined;
  }
}

function withinRows(row: number, { first, end }: GridExtent): number {
  if (end <= first) return HEADER;
  return Math.min(Math.max(row, first), end - 1);
}
