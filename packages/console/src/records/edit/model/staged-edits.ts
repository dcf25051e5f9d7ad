import { equalJson } from '../../../values/json.js';
import type { Problem, Typed } from './typed-text.js';

/** A change of one field that is not saved yet. `undefined` stands for an absent field. */
export interface FieldEdit {
  /** The value that the record had when its field was edited. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** What was entered, if it is not a value of the column. Such a change cannot be saved. */
  readonly misfit?: { readonly text: string; readonly problem: Problem };
}

/** A record with changes that are not saved yet. */
export interface StagedRow {
  readonly kind: 'updated' | 'inserted';
  /** The `_id` of the record; a name of this page for a new record. */
  readonly id: string;
  /** What people call the record. */
  readonly title: string;
  /** The tag of the record that was edited; new records have none. */
  readonly etag?: string;
  readonly fields: Readonly<Record<string, FieldEdit>>;
}

/** All changes that are not saved, by record, in the order in which the records were edited. */
export type StagedRows = ReadonlyMap<string, StagedRow>;

export const NO_ROWS: StagedRows = new Map();

/** The record of a change. */
export type EditedRecord = Omit<StagedRow, 'fields'>;

/** One field that was edited. */
export interface StagedCell {
  readonly record: EditedRecord;
  readonly field: string;
  /** The value of the record as the service has it, whole. */
  readonly before: unknown;
  readonly entered: Typed;
}

/** The changes with more of them. A value that is again what the record has is no change. */
export function withCells(rows: StagedRows, cells: readonly StagedCell[]): StagedRows {
  const changed = new Map(rows);
  for (const { record, field, before, entered } of cells) {
    const row = changed.get(record.id) ?? { ...record, fields: {} };
    const known = row.fields[field];
    const edit = editOf(known === undefined ? before : known.before, entered);
    put(changed, edit === undefined ? withoutField(row, field) : withField(row, field, edit));
  }
  return changed;
}

function editOf(before: unknown, entered: Typed): FieldEdit | undefined {
  if ('problem' in entered) return { before, misfit: { text: entered.text, problem: entered.problem } };
  return equalJson(before, entered.value) ? undefined : { before, after: entered.value };
}

function withField(row: StagedRow, field: string, edit: FieldEdit): StagedRow {
  return { ...row, fields: { ...row.fields, [field]: edit } };
}

function withoutField(row: StagedRow, field: string): StagedRow {
  const { [field]: _, ...fields } = row.fields;
  return { ...row, fields };
}

/** A record without changes is not staged. A new record is staged also without values. */
function put(rows: Map<string, StagedRow>, row: StagedRow): void {
  if (row.kind === 'updated' && Object.keys(row.fields).length === 0) rows.delete(row.id);
  else rows.set(row.id, row);
}

/** The changes with a new record, or with other values of one. */
export function withNewRecord(
  rows: StagedRows,
  record: EditedRecord,
  values: Readonly<Record<string, unknown>>,
): StagedRows {
  const fields = Object.fromEntries(Object.entries(values).map(([name, after]) => [name, { after }]));
  return new Map(rows).set(record.id, { ...record, fields });
}

export function withoutRow(rows: StagedRows, id: string): StagedRows {
  const others = new Map(rows);
  others.delete(id);
  return others;
}

export function withoutCell(rows: StagedRows, id: string, field: string): StagedRows {
  const row = rows.get(id);
  if (row === undefined) return rows;
  const others = new Map(rows);
  put(others, withoutField(row, field));
  return others;
}

/** The fields that cannot be saved as they are. */
export function misfitsOf(rows: StagedRows): readonly { readonly id: string; readonly field: string }[] {
  return [...rows.values()].flatMap(({ id, fields }) =>
    Object.keys(fields).flatMap(field => (fields[field]?.misfit === undefined ? [] : [{ id, field }])),
  );
}

/** The value that a record will have in a field when the changes are saved. */
export function stagedValue(row: StagedRow | undefined, field: string, stored: unknown): unknown {
  const edit = row?.fields[field];
  return edit === undefined || edit.misfit !== undefined ? stored : edit.after;
}

/** The number of changed values, and of new records. */
export function countChanges(rows: StagedRows): number {
  let count = 0;
  for (const { kind, fields } of rows.values()) {
    count += kind === 'inserted' ? 1 : Object.keys(fields).length;
  }
  return count;
}
