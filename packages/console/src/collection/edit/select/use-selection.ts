import { useState } from 'react';
import type { RecordWindow } from '../../grid/window/record-window.js';
import { NOTHING_CHOSEN, type RowSelection, toggled } from './row-selection.js';

export interface Selection extends RowSelection {
  readonly toggle: (row: number, isRange: boolean) => void;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

/** The chosen records of the list of the grid. Another list begins without any. */
export function useSelection(window: RecordWindow, list: string): Selection {
  const [chosen, setChosen] = useState({ list, selection: NOTHING_CHOSEN });
  const selection = chosen.list === list ? chosen.selection : NOTHING_CHOSEN;
  const choose = (next: RowSelection) => setChosen({ list, selection: next });
  return {
    ...selection,
    toggle: (row, isRange) => choose(toggled(selection, row, isRange, at => window.idAt(at))),
    chooseAll: () => choose({ ...selection, isAll: true }),
    clear: () => choose(NOTHING_CHOSEN),
  };
}
