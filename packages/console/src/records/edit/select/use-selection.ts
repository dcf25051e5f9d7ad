import { useState } from 'react';
import type { RecordWindow } from '../../window/record-window.js';
import { NOTHING_CHOSEN, type RowSelection, toggled } from './row-selection.js';

export interface Selection extends RowSelection {
  readonly toggle: (row: number, isRange: boolean) => void;
  readonly chooseAll: () => void;
  readonly clear: () => void;
  /** The records of the open question whether to delete them. */
  readonly asked: AskedRecords | undefined;
  readonly askToDelete: (records: AskedRecords) => void;
  readonly endQuestion: () => void;
}

/** Ids of records, or all records that match the filter. */
export type AskedRecords = readonly string[] | 'all';

/** The chosen records of the list of the grid. Another list begins without any. */
export function useSelection(window: RecordWindow, list: string): Selection {
  const [chosen, setChosen] = useState({ list, selection: NOTHING_CHOSEN });
  const [asked, setAsked] = useState<AskedRecords>();
  const selection = chosen.list === list ? chosen.selection : NOTHING_CHOSEN;
  const choose = (next: RowSelection) => setChosen({ list, selection: next });
  return {
    ...selection,
    toggle: (row, isRange) => choose(toggled(selection, row, isRange, at => window.idAt(at))),
    chooseAll: () => choose({ ...selection, isAll: true }),
    clear: () => choose(NOTHING_CHOSEN),
    asked,
    askToDelete: setAsked,
    endQuestion: () => setAsked(undefined),
  };
}
