/** Records that are chosen at once: one batch can write so many. */
export const MOST_CHOSEN = 1_000;

/** The chosen records of a list. */
export interface RowSelection {
  readonly ids: ReadonlySet<string>;
  /** All records that match the filter, whether the grid has read them or not. */
  readonly isAll: boolean;
  /** The row of the last choice, from which Shift chooses a range. */
  readonly anchor: number | undefined;
}

export const NOTHING_CHOSEN: RowSelection = { ids: new Set(), isAll: false, anchor: undefined };

/** The selection after a press at a row: the row is added or removed, with Shift all rows from the last one are added. */
export function toggled(
  selection: RowSelection,
  row: number,
  isRange: boolean,
  idAt: (row: number) => string | undefined,
): RowSelection {
  const { anchor } = selection;
  const ids = new Set(selection.isAll ? [] : selection.ids);
  const id = idAt(row);
  if (id === undefined) return selection;
  if (isRange && anchor !== undefined) {
    const step = row < anchor ? -1 : 1;
    for (let each = anchor; each !== row + step && ids.size < MOST_CHOSEN; each += step) {
      const between = idAt(each);
      if (between !== undefined) ids.add(between);
    }
  } else if (!ids.delete(id) && ids.size < MOST_CHOSEN) ids.add(id);
  return { ids, isAll: false, anchor: row };
}
