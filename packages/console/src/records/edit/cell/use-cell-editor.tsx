import { type ReactNode, useRef, useState } from 'react';
import { writtenLocale } from '../../../values/written-locale.js';
import type { PlacedColumn } from '../../grid/columns/use-column-table.js';
import type { CellPlace } from '../../grid/table/navigation.js';
import { placeOf } from '../../grid/table/use-active-cell.js';
import { LIVE_MARK } from '../../live/rows/live-rows.js';
import type { GridRecord } from '../../window/page-slot.js';
import type { RecordWindow } from '../../window/record-window.js';
import type { Typed } from '../model/typed-text.js';
import type { Editing } from '../use-editing.js';
import { CellEditor, type Leave } from './cell-editor.js';
import { startOf } from './draft.js';

interface CellEditorOptions {
  readonly editing: Editing | undefined;
  readonly window: RecordWindow;
  readonly columns: readonly PlacedColumn[];
  readonly goToCell: (place: CellPlace) => void;
  readonly onFailure: (error: unknown) => void;
}

interface OpenCell {
  readonly place: CellPlace;
  readonly record: GridRecord;
  readonly field: string;
}

export interface GridCellEditor {
  /** Opens the editor of a cell. False if the cell cannot be edited. */
  readonly begin: (place: CellPlace) => boolean;
  /** The record and the field whose editor is open. */
  readonly open: { readonly record: GridRecord; readonly field: string } | undefined;
  readonly element: ReactNode;
}

const STEPS: Readonly<Record<Exclude<Leave, 'elsewhere'>, readonly [rows: number, columns: number]>> = {
  down: [1, 0],
  right: [0, 1],
  left: [0, -1],
  stay: [0, 0],
};

/** The editor of one cell of the grid. What it changes is staged. */
export function useCellEditor(options: CellEditorOptions): GridCellEditor {
  const { editing, window, columns, goToCell, onFailure } = options;
  const [cell, setCell] = useState<OpenCell>();
  const wanted = useRef<CellPlace>(undefined);

  function begin(place: CellPlace): boolean {
    const record = window.at(place.row);
    const field = columns[place.column - 1]?.name;
    if (editing === undefined || record === undefined || field === undefined) return false;
    if (editing.columnOf(field) === undefined || record[LIVE_MARK] === 'deleted') return false;
    wanted.current = place;
    if (record._cut?.includes(field) !== true) {
      setCell({ place, record, field });
      return true;
    }
    editing.wholeValue(record, field).then(({ whole }) => {
      // Whoever has gone on meanwhile keeps the focus.
      const focused = placeOf(document.activeElement);
      const isThere = focused?.row === place.row && focused.column === place.column;
      if (wanted.current === place && isThere) setCell({ place, record: whole, field });
    }, onFailure);
    return true;
  }

  const column = cell && editing?.columnOf(cell.field);
  if (cell === undefined || editing === undefined || column === undefined) {
    return { begin, open: undefined, element: undefined };
  }
  const { place, record, field } = cell;
  const before = record[field];
  const row = editing.state.rows.get(record._id);
  const stage = (entered: Typed) =>
    editing.stage([{ record: editing.edited(record), field, before, entered }]);
  const start = startOf(row, field, before, column, writtenLocale());
  return {
    begin,
    open: { record, field },
    element: (
      <CellEditor
        key={`${record._id} ${field}`}
        {...{ field, column, start, before }}
        onGone={stage}
        onLeave={(entered, to) => {
          setCell(undefined);
          if (entered !== undefined) stage(entered);
          if (to === 'elsewhere') return;
          const [rows, places] = STEPS[to];
          const { end } = window.getState();
          goToCell({
            row: Math.min(place.row + rows, end - 1),
            column: Math.min(Math.max(place.column + places, 1), columns.length),
          });
        }}
      />
    ),
  };
}
