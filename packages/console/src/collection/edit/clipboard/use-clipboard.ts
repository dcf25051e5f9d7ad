import type { AnyCollection, Collection } from '@typed-collections/client';
import { t } from '../../../i18n/language.js';
import type { PlacedColumn } from '../../grid/columns/use-column-table.js';
import type { GridRecord } from '../../grid/window/page-slot.js';
import type { RecordWindow } from '../../grid/window/record-window.js';
import { withChanges } from '../cell/cell-mark.js';
import { MOST_RECORDS } from '../model/batch.js';
import { newRecordId, readWhole } from '../model/records.js';
import { fromSpreadsheet, toSpreadsheet } from '../model/spreadsheet-text.js';
import type { EditedRecord, StagedCell } from '../model/staged-edits.js';
import { cellText, pasted } from '../model/typed-text.js';
import type { Editing } from '../use-editing.js';
import { writtenLocale } from '../written-locale.js';
import { type CellRange, type PlacedText, placedTexts } from './cell-range.js';

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
      pasteAt(options, editing, placedTexts(fromSpreadsheet(text), range)).then(
        ({ count, leftOut }) =>
          announce(t(leftOut > 0 ? 'edit.pastedPart' : 'edit.pasted', { count, leftOut })),
        onFailure,
      );
      return true;
    },
  };
}

async function textOfRange(options: ClipboardOptions, range: CellRange): Promise<string> {
  const { window, columns, editing, collection } = options;
  const locale = writtenLocale();
  const shown = columns.slice(range.left - 1, range.right);
  const records: GridRecord[] = [];
  for (let row = range.top; row <= range.bottom; row += 1) {
    const record = window.at(row);
    if (record !== undefined) records.push(record);
  }
  const names = shown.map(({ name }) => name);
  const whole = await wholeRecords(collection, records, names);
  return toSpreadsheet(
    whole.map(record => {
      const changed = withChanges(record, editing?.state.rows.get(record._id));
      return shown.map(({ name, type }) => cellText(changed[name], type, locale));
    }),
  );
}

/** The records with whole values of these fields. */
async function wholeRecords(
  collection: Collection<AnyCollection>,
  records: readonly GridRecord[],
  names: readonly string[],
): Promise<readonly GridRecord[]> {
  const cut = records.filter(({ _cut }) => _cut?.some(name => names.includes(name)));
  const read = new Map<string, GridRecord>();
  for (let from = 0; from < cut.length; from += MOST_RECORDS) {
    const ids = cut.slice(from, from + MOST_RECORDS).map(({ _id }) => _id);
    for (const record of await readWhole(collection, ids, names)) read.set(record._id, record);
  }
  return records.map(record => ({ ...record, ...read.get(record._id) }));
}

async function pasteAt(
  { window, columns, collection }: ClipboardOptions,
  editing: Editing,
  texts: readonly PlacedText[],
): Promise<{ readonly count: number; readonly leftOut: number }> {
  const { end, atEnd } = window.getState();
  const rows = [...new Set(texts.map(({ row }) => row))];
  const known = rows.flatMap(row => window.at(row) ?? []);
  const names = columns.map(({ name }) => name);
  const whole = await wholeRecords(collection, known, names);
  const byId = new Map(whole.map(record => [record._id, record]));
  const added = new Map<number, EditedRecord>();
  const titleOf = (row: number) => texts.find(each => each.row === row && each.text !== '')?.text ?? '';
  const targetOf = (row: number): { edited: EditedRecord; stored: GridRecord | undefined } | undefined => {
    const id = window.at(row)?._id;
    const stored = id === undefined ? undefined : byId.get(id);
    if (stored !== undefined) return { edited: editing.edited(stored), stored };
    if (!atEnd || row < end) return undefined;
    const edited = added.get(row) ?? { kind: 'inserted', id: newRecordId(), title: titleOf(row) };
    added.set(row, edited);
    return { edited, stored: undefined };
  };
  const cells: StagedCell[] = [];
  const staged = new Set(editing.state.rows.keys());
  for (const { row, column, text } of texts) {
    const field = columns[column - 1]?.name;
    const typedColumn = field === undefined ? undefined : editing.columnOf(field);
    if (field === undefined || typedColumn === undefined) continue;
    const target = targetOf(row);
    if (target === undefined || (staged.size >= MOST_RECORDS && !staged.has(target.edited.id))) continue;
    staged.add(target.edited.id);
    const before = target.stored?.[field];
    const isNothing = text === '' && (before === undefined || before === null);
    if (isNothing && typedColumn.isNullable) continue;
    const entered = pasted(text, typedColumn, writtenLocale(), before);
    cells.push({ record: target.edited, field, before, entered });
  }
  editing.stage(cells);
  return { count: cells.length, leftOut: texts.length - cells.length };
}
