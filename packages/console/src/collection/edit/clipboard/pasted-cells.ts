import type { GridRecord } from '../../grid/window/page-slot.js';
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

/** The changes that pasting makes. Texts without a cell that can be edited are left out, as are more records than one batch saves. */
export function pastedCells(texts: readonly PlacedText[], target: PasteTarget): StagedCell[] {
  const { recordAt, isBelow, fieldAt, columnOf, edited, locale } = target;
  const staged = new Set(target.staged);
  const added = new Map<number, EditedRecord>();
  const newRecordAt = (row: number): EditedRecord => {
    const title = texts.find(each => each.row === row && each.text !== '')?.text ?? '';
    const record = added.get(row) ?? { kind: 'inserted', id: newRecordId(), title };
    added.set(row, record);
    return record;
  };
  return texts.flatMap(({ row, column, text }): StagedCell[] => {
    const field = fieldAt(column);
    const typedColumn = field === undefined ? undefined : columnOf(field);
    if (field === undefined || typedColumn === undefined) return [];
    const stored = recordAt(row);
    if (stored === undefined && (!isBelow(row) || text === '')) return [];
    const record = stored === undefined ? newRecordAt(row) : edited(stored);
    if (!staged.has(record.id) && staged.size >= MOST_RECORDS) return [];
    staged.add(record.id);
    const before = stored?.[field];
    // An empty cell says nothing about a field that the record does not have.
    if (text === '' && before === undefined) return [];
    return [{ record, field, before, entered: pasted(text, typedColumn, locale, before) }];
  });
}
