import type { AnyCollection, Collection } from '@typed-collections/client';
import { t } from '../../../i18n/language.js';
import { writtenLocale } from '../../../i18n/written-locale.js';
import type { PlacedColumn } from '../../grid/columns/use-column-table.js';
import type { GridRecord } from '../../grid/window/page-slot.js';
import type { RecordWindow } from '../../grid/window/record-window.js';
import { withChanges } from '../cell/cell-mark.js';
import { MOST_RECORDS } from '../model/batch.js';
import { readWhole } from '../model/records.js';
import { fromSpreadsheet, toSpreadsheet } from '../model/spreadsheet-text.js';
import { cellText } from '../model/typed-text.js';
import type { Editing } from '../use-editing.js';
import { type CellRange, type PlacedText, placedTexts } from './cell-range.js';
import { pastedCells } from './pasted-cells.js';

interface ClipboardOptions {
  readonly collection: Collection<AnyCollection>;
  readonly window: RecordWindow;
  readonly columns: readonly PlacedColumn[];
  readonly editing: Editing | undefined;
  /** Puts a text on the clipboard. */
  readonly copy: (text: Promise<string>) => void;
  readonly announce: (text: string) => void;
  readonly onFailure: (error: unknown) => void;
}

export interface Clipboard {
  readonly copyRange: (range: CellRange) => void;
  /** Pastes at a range. False if nothing can be pasted there. */
  readonly paste: (text: string, range: CellRange) => boolean;
}

/** Ranges of cells from and to spreadsheets. What is pasted is staged. */
export function useClipboard(options: ClipboardOptions): Clipboard {
  const { copy, editing, onFailure, announce } = options;
  return {
    copyRange: range => copy(textOfRange(options, range)),
    paste: (text, range) => {
      if (editing === undefined || text === '') return false;
      paste(options, editing, placedTexts(fromSpreadsheet(text), range)).then(
        ({ count, leftOut }) =>
          announce(t(leftOut > 0 ? 'edit.pastedPart' : 'edit.pasted', { count, leftOut })),
        onFailure,
      );
      return true;
    },
  };
}

async function textOfRange(options: ClipboardOptions, range: CellRange): Promise<string> {
  const { columns, editing } = options;
  const locale = writtenLocale();
  const shown = columns.slice(range.left - 1, range.right);
  const rows = Array.from({ length: range.bottom - range.top + 1 }, (_, place) => range.top + place);
  const records = await wholeRecords(options, rows, new Set(shown.map(({ name }) => name)));
  return toSpreadsheet(
    rows.flatMap(row => {
      const record = records.get(row);
      if (record === undefined) return [];
      const changed = withChanges(record, editing?.state.rows.get(record._id));
      return [shown.map(({ name, type }) => cellText(changed[name], type, locale))];
    }),
  );
}

/** The records of rows, with whole values of these fields. Those that the grid has cut or forgotten are read. */
async function wholeRecords(
  { window, collection }: ClipboardOptions,
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
    for (const record of await readWhole(collection, part, [...names])) read.set(record._id, record);
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
): Promise<{ readonly count: number; readonly leftOut: number }> {
  const { window, columns } = options;
  const { end, atEnd } = window.getState();
  const fieldAt = (column: number) => columns[column - 1]?.name;
  const names = new Set(texts.flatMap(({ column }) => fieldAt(column) ?? []));
  const records = await wholeRecords(options, [...new Set(texts.map(({ row }) => row))], names);
  const cells = pastedCells(texts, {
    recordAt: row => records.get(row),
    isBelow: row => atEnd && row >= end,
    fieldAt,
    columnOf: editing.columnOf,
    edited: editing.edited,
    staged: editing.state.rows.keys(),
    locale: writtenLocale(),
  });
  editing.stage(cells);
  return { count: cells.length, leftOut: texts.length - cells.length };
}
