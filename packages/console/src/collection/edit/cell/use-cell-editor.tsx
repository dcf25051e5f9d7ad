import { type ReactNode, useState } from 'react';
import { writtenLocale } from '../../../i18n/written-locale.js';
import type { PlacedColumn } from '../../grid/columns/use-column-table.js';
import type { CellPlace } from '../../grid/table/navigation.js';
import type { GridRecord } from '../../grid/window/page-slot.js';
import type { RecordWindow } from '../../grid/window/record-window.js';
import { LIVE_MARK } from '../../live/rows/live-rows.js';
import { stagedValue } from '../model/staged-edits.js';
import type { Editing } from '../use-editing.js';
import { CellEditor, type Leave } from './cell-editor.js';
import { draftOf } from './draft.js';

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
  /** The id of the record and the field whose editor is open. */
  readonly open: { readonly id: string; readonly field: string } | undefined;
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

  function begin(place: CellPlace): boolean {
    const record = window.at(place.row);
    const field = columns[place.column - 1]?.name;
    if (editing === undefined || record === undefined || field === undefined) return false;
    if (editing.columnOf(field) === undefined || record[LIVE_MARK] === 'deleted') return false;
    if (record._cut?.includes(field) !== true) setCell({ place, record, field });
    else
      editing
        .wholeValue(record, field)
        .then(({ whole }) => setCell({ place, record: whole, field }), onFailure);
    return true;
  }

  const column = cell && editing?.columnOf(cell.field);
  if (cell === undefined || editing === undefined || column === undefined) {
    return { begin, open: undefined, element: undefined };
  }
  const { place, record, field } = cell;
  const before = record[field];
  const row = editing.state.rows.get(record._id);
  const misfit = row?.fields[field]?.misfit;
  const start =
    misfit === undefined
      ? draftOf(stagedValue(row, field, before), column, writtenLocale())
      : { text: misfit.text, isNull: false };
  return {
    begin,
    open: { id: record._id, field },
    element: (
      <CellEditor
        key={`${record._id} ${field}`}
        {...{ field, column, start, before }}
        onLeave={(entered, to) => {
          setCell(undefined);
          if (entered !== undefined) {
            editing.stage([{ record: editing.edited(record), field, before, entered }]);
          }
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
