import type { AnyCollection, BatchOperation, BatchResult, Update } from '@typed-collections/client';
import { equalJson } from '../../../values/json.js';
import { type FieldEdit, type StagedRow, type StagedRows, withoutRow } from './staged-edits.js';
import type { Refusal } from './staged-store.js';

export type Operation = BatchOperation<AnyCollection>;

/** Records that the service writes in one transaction. */
export const MOST_RECORDS = 1_000;

/** The operations that save the changes, in the order of the records. Each applies to the version that was edited only. */
export function operationsOf(rows: StagedRows): Operation[] {
  return [...rows.values()].map(({ kind, id, etag, fields }): Operation => {
    if (kind === 'inserted') return { insert: valuesOf(fields, 'after') };
    return {
      update: { _id: id, ...(etag !== undefined && { if_match: etag }), update: updateTo(fields, 'after') },
    };
  });
}

/** The operations that take back what was saved, unless somebody has changed the records since. */
export function inverseOf(rows: StagedRows, { results }: BatchResult): Operation[] {
  return [...rows.values()].map(({ kind, fields }, index): Operation => {
    const { _id = '', _etag } = results[index] ?? {};
    const named = { _id, ...(typeof _etag === 'string' && { if_match: _etag }) };
    return kind === 'inserted'
      ? { delete: named }
      : { update: { ...named, update: updateTo(fields, 'before') } };
  });
}

type Side = 'before' | 'after';

function valuesOf(fields: StagedRow['fields'], side: Side): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, edit]) => edit[side] !== undefined);
  return Object.fromEntries(given.map(([name, edit]) => [name, edit[side]]));
}

function updateTo(fields: StagedRow['fields'], side: Side): Update<AnyCollection> {
  const set = valuesOf(fields, side);
  const removed = Object.keys(fields).filter(name => !Object.hasOwn(set, name));
  return {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(removed.length > 0 && { $unset: Object.fromEntries(removed.map(name => [name, '' as const])) }),
  };
}

/** A refused operation. `row` counts the operations; without a column, the problem concerns the whole record. */
export interface RefusedOperation {
  readonly row: number;
  readonly column: string | null;
  /** Missing where the columns `properties` would repeat a unique value. */
  readonly problem?: string;
  readonly properties?: readonly string[];
}

/** What the service found wrong, at the records and fields that it concerns. */
export function refusalsOf(
  rows: StagedRows,
  refused: readonly RefusedOperation[],
  textOf: (operation: RefusedOperation) => string,
): ReadonlyMap<string, Refusal> {
  const ids = [...rows.keys()];
  const refusals = new Map<string, Record<string, string>>();
  for (const operation of refused) {
    const id = ids[operation.row];
    if (id === undefined) continue;
    refusals.set(id, { ...refusals.get(id), [operation.column ?? '']: textOf(operation) });
  }
  return refusals;
}

/** A record that somebody else wrote after it was edited here. */
export interface Conflict {
  readonly row: StagedRow;
  /** The record as it is now; undefined if it is gone. */
  readonly theirs: Readonly<Record<string, unknown>> | undefined;
}

/** The changed fields that the other person changed too, and to something else. */
export function contested({ row, theirs }: Conflict): readonly string[] {
  return Object.entries(row.fields).flatMap(([name, edit]) =>
    theirs === undefined || equalJson(theirs[name], edit.before) || equalJson(theirs[name], edit.after)
      ? []
      : [name],
  );
}

/** Whose value of a field is kept. */
export type Choice = 'mine' | 'theirs';

/**
 * The changes on top of what the others saved: fields whose choice is `theirs` are given up, all others are changes of the
 * record as it is now. Changes of a record that is gone are given up.
 */
export function resolved(
  rows: StagedRows,
  { row, theirs }: Conflict,
  choices: Readonly<Record<string, Choice>>,
): StagedRows {
  if (theirs === undefined) return withoutRow(rows, row.id);
  const kept = Object.entries(row.fields).filter(
    ([name, { after, misfit }]) =>
      choices[name] !== 'theirs' && (misfit !== undefined || !equalJson(theirs[name], after)),
  );
  if (kept.length === 0) return withoutRow(rows, row.id);
  const fields = kept.map(([name, edit]): [string, FieldEdit] => [name, { ...edit, before: theirs[name] }]);
  return new Map(rows).set(row.id, {
    ...row,
    etag: String(theirs._etag),
    fields: Object.fromEntries(fields),
  });
}
