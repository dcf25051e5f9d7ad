import type { GridRecord } from '../../window/page-slot.js';
import { MOST_RECORDS } from '../model/batch.js';
import { newRecordId } from '../model/records.js';
import type { EditedRecord, StagedCell } from '../model/staged-edits.js';
import { pasted, type TypedColumn } from '../model/typed-text.js';
import type { PlacedText } from './cell-range.js';

/** Where texts are pasted. */
export interface PasteTarget {
  /** The record of a row, with the whole values of the fields that are pasted. */
  readonly recordAt: (row: number) => GridRecord | undefined;
  /** True for rows below the last record: they become new records. */
  readonly isBelow: (row: number) => boolean;
  readonly fieldAt: (column: number) => string | undefined;
  /** Undefined for fields that cannot be edited. */
  readonly columnOf: (field: string) => TypedColumn | undefined;
  readonly edited: (record: GridRecord) => EditedRecord;
  /** Ids of records that have changes already. */
  readonly staged: Iterable<string>;
  readonly locale: string;
}

/** The changes that pasting makes, and how many texts have no place. */
interface Pasted {
  readonly cells: readonly StagedCell[];
  readonly leftOut: number;
}

/** The changes that pasting makes. Texts without a cell that can be edited are left out, as are more records than one batch saves. */
export function pastedCells(texts: readonly PlacedText[], target: PasteTarget): Pasted {
  const { recordAt, isBelow, fieldAt, columnOf, edited, locale } = target;
  const staged = new Set(target.staged);
  const titles = titlesByRow(texts);
  const added = new Map<number, EditedRecord>();
  const newRecordAt = (row: number): EditedRecord => {
    const record = added.get(row) ?? { kind: 'inserted', id: newRecordId(), title: titles.get(row) ?? '' };
    added.set(row, record);
    return record;
  };
  const cells: StagedCell[] = [];
  let leftOut = 0;
  for (const { row, column, text } of texts) {
    const field = fieldAt(column);
    const typedColumn = field === undefined ? undefined : columnOf(field);
    const stored = recordAt(row);
    const isNew = stored === undefined;
    // An empty cell says nothing about a new record, or about a field that the record does not have.
    if (text === '' && (isNew || field === undefined || stored[field] === undefined)) continue;
    const isPlaced = field !== undefined && typedColumn !== undefined && (!isNew || isBelow(row));
    const isFull = staged.size >= MOST_RECORDS && (isNew ? !added.has(row) : !staged.has(stored._id));
    if (!isPlaced || isFull) {
      leftOut += 1;
      continue;
    }
    const record = isNew ? newRecordAt(row) : edited(stored);
    staged.add(record.id);
    const before = stored?.[field];
    cells.push({ record, field, before, entered: pasted(text, typedColumn, locale, before) });
  }
  return { cells, leftOut };
}

/** What people call the new record of a row: its first text. */
function titlesByRow(texts: readonly PlacedText[]): ReadonlyMap<number, string> {
  const titles = new Map<number, string>();
  for (const { row, text } of texts) if (text !== '' && !titles.has(row)) titles.set(row, text);
  return titles;
}
