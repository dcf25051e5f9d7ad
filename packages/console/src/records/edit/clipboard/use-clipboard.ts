import type { AnyCollection, Collection } from '@typed-collections/client';
import { useRef } from 'react';
import { t } from '../../../i18n/language.js';
import { writtenLocale } from '../../../values/written-locale.js';
import type { PlacedColumn } from '../../grid/columns/use-column-table.js';
import type { GridRecord } from '../../window/page-slot.js';
import type { RecordWindow } from '../../window/record-window.js';
import { withChanges } from '../cell/cell-mark.js';
import { MOST_RECORDS } from '../model/batch.js';
import { readWhole } from '../model/records.js';
import { fromSpreadsheet, toSpreadsheet } from '../model/spreadsheet-text.js';
import { cellText } from '../model/typed-text.js';
import type { Editing } from '../use-editing.js';
import { type CellRange, newRows, type PlacedText, placedTexts } from './cell-range.js';
import { type PasteTarget, pastedCells } from './pasted-cells.js';

type FieldAt = PasteTarget['fieldAt'];

interface ClipboardOptions {
  readonly collection: Collection<AnyCollection>;
  readonly window: RecordWindow;
  readonly columns: readonly PlacedColumn[];
  readonly editing: Editing | undefined;
  /** The instant whose records are shown; undefined for now. */
  readonly asOf: string | undefined;
  /** Puts a text on the clipboard. */
  readonly copy: (text: Promise<string>) => void;
  readonly announce: (text: string) => void;
  readonly onFailure: (error: unknown) => void;
  /** Tells, for all to see, that some of the texts have no place. */
  readonly onLeftOut: (text: string) => void;
}

export interface Clipboard {
  readonly copyRange: (range: CellRange) => void;
  /** Pastes at a range. False if nothing can be pasted there. */
  readonly paste: (text: string, range: CellRange) => boolean;
  /** Pastes rows into a collection that has none. False if nothing can be pasted. */
  readonly pasteRows: (text: string) => boolean;
}

/** Ranges of cells from and to spreadsheets. What is pasted is staged. */
export function useClipboard(options: ClipboardOptions): Clipboard {
  const { copy, editing, onFailure, announce, onLeftOut } = options;
  // One cell is copied without the quotes of a spreadsheet, whatever it has inside: it stays one cell when it is pasted.
  const oneCell = useRef<string>(undefined);
  const stage = (editing: Editing, texts: readonly PlacedText[], fieldAt: FieldAt) => {
    paste(options, editing, texts, fieldAt).then(({ count, leftOut }) => {
      announce(t('edit.pasted', { count }));
      if (leftOut > 0) onLeftOut(t('edit.pastedPart', { count, leftOut }));
    }, onFailure);
  };
  return {
    copyRange: range =>
      copy(
        cellsOfRange(options, range).then(rows => {
          const [only, ...others] = rows.flat();
          oneCell.current = others.length === 0 ? only : undefined;
          return oneCell.current ?? toSpreadsheet(rows);
        }),
      ),
    paste: (text, range) => {
      if (editing === undefined || text === '') return false;
      const isOneCell = withoutReturns(text) === withoutReturns(oneCell.current ?? '');
      const texts = isOneCell ? [[oneCell.current as string]] : fromSpreadsheet(text);
      stage(editing, placedTexts(texts, range), column => options.columns[column - 1]?.name);
      return true;
    },
    pasteRows: text => {
      if (editing === undefined || text === '') return false;
      const names = options.columns.map(({ name }) => name);
      const { fields, rows } = newRows(
        fromSpreadsheet(text),
        names.filter(name => editing.columnOf(name) !== undefined),
      );
      const top = options.window.getState().end;
      const below = { top, bottom: top, left: 1, right: 1 };
      stage(editing, placedTexts(rows, below), column => fields[column - 1]);
      return true;
    },
  };
}

/** Clipboards of some systems end lines in their own way. */
function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

async function cellsOfRange(options: ClipboardOptions, range: CellRange): Promise<string[][]> {
  const { columns, editing } = options;
  const locale = writtenLocale();
  const shown = columns.slice(range.left - 1, range.right);
  const rows = Array.from({ length: range.bottom - range.top + 1 }, (_, place) => range.top + place);
  const records = await wholeRecords(options, rows, new Set(shown.map(({ name }) => name)));
  return rows.flatMap(row => {
    const record = records.get(row);
    if (record === undefined) return [];
    const changed = withChanges(record, editing?.state.rows.get(record._id));
    return [shown.map(({ name, type }) => cellText(changed[name], type, locale))];
  });
}

/** The records of rows, with whole values of these fields. Those that the grid has cut or forgotten are read. */
async function wholeRecords(
  { window, collection, asOf }: ClipboardOptions,
  rows: readonly number[],
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<number, GridRecord>> {
  const isWhole = (row: number) => {
    const record = window.at(row);
    return record !== undefined && record._cut?.some(name => names.has(name)) !== true;
  };
  const missing = rows.flatMap(row => (isWhole(row) ? [] : (window.idAt(row) ?? [])));
  const read = new Map<string, GridRecord>();
  for (let from = 0; from < missing.length; from += MOST_RECORDS) {
    const part = missing.slice(from, from + MOST_RECORDS);
    for (const record of await readWhole(collection, part, [...names], asOf)) read.set(record._id, record);
  }
  return new Map(
    rows.flatMap(row => {
      const record = { ...window.at(row), ...read.get(window.idAt(row) ?? '') };
      return record._id === undefined ? [] : [[row, record as GridRecord] as const];
    }),
  );
}

async function paste(
  options: ClipboardOptions,
  editing: Editing,
  texts: readonly PlacedText[],
  fieldAt: FieldAt,
): Promise<{ readonly count: number; readonly leftOut: number }> {
  const { window } = options;
  const { end, atEnd } = window.getState();
  const names = new Set(texts.flatMap(({ column }) => fieldAt(column) ?? []));
  const records = await wholeRecords(options, [...new Set(texts.map(({ row }) => row))], names);
  const { cells, leftOut } = pastedCells(texts, {
    recordAt: row => records.get(row),
    isBelow: row => atEnd && row >= end,
    fieldAt,
    columnOf: editing.columnOf,
    edited: editing.edited,
    staged: editing.state.rows.keys(),
    locale: writtenLocale(),
  });
  editing.stage(cells);
  return { count: cells.length, leftOut };
}
