import { type CellPlace, HEADER } from '../../grid/table/navigation.js';

/** A rectangle of cells; both ends belong to it. Columns count from 1, as in `CellPlace`. */
export interface CellRange {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** The cells between two corners. Undefined if one of them is not a cell of a record. */
export function rangeBetween(one: CellPlace, other: CellPlace): CellRange | undefined {
  if (one.row === HEADER || other.row === HEADER || one.column < 1 || other.column < 1) return undefined;
  return {
    top: Math.min(one.row, other.row),
    bottom: Math.max(one.row, other.row),
    left: Math.min(one.column, other.column),
    right: Math.max(one.column, other.column),
  };
}

/** A text for a cell. */
export interface PlacedText {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

/**
 * Where pasted cells go: they begin at the first cell of the range. A range that is a multiple of what is pasted is
 * filled with it, as spreadsheets do.
 */
export function placedTexts(texts: readonly (readonly string[])[], range: CellRange): PlacedText[] {
  const height = texts.length;
  const width = texts.reduce((most, cells) => Math.max(most, cells.length), 0);
  const down = repeats(range.bottom - range.top + 1, height);
  const across = repeats(range.right - range.left + 1, width);
  const placed: PlacedText[] = [];
  for (let row = 0; row < height * down; row += 1) {
    for (let column = 0; column < width * across; column += 1) {
      const text = texts[row % height]?.[column % width];
      if (text !== undefined) placed.push({ row: range.top + row, column: range.left + column, text });
    }
  }
  return placed;
}

function repeats(available: number, size: number): number {
  return available % size === 0 ? available / size : 1;
}

/** Rows for new records, and the fields of their cells. */
interface NewRows {
  readonly fields: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Texts as rows of new records. A first row that names columns is the header. Without columns the first row has the names
 * of the fields.
 */
export function newRows(texts: readonly (readonly string[])[], columns: readonly string[]): NewRows {
  const [head = [], ...rows] = texts;
  const named = head.map(text => columns.find(name => name.toLowerCase() === text.trim().toLowerCase()));
  const fields = columns.length === 0 ? head.map(text => text.trim()) : named;
  const isHeader =
    rows.length > 0 &&
    fields.every(name => name !== undefined && name !== '') &&
    new Set(fields).size === fields.length;
  return isHeader ? { fields: fields as string[], rows } : { fields: columns, rows: texts };
}
