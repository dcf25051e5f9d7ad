import type { BatchResult } from '@typed-collections/client';
import { resolved } from './batch.js';
import { type StagedRow, type StagedRows, withoutRow } from './staged-edits.js';

/** The changes that are left after `saved` was saved: those that were made while the service wrote. */
export function afterSaving(now: StagedRows, saved: StagedRows, { results }: BatchResult): StagedRows {
  let left = now;
  [...saved.values()].forEach((row, index) => {
    const current = now.get(row.id);
    const written = results[index];
    if (current === undefined || written === undefined) return;
    left = withoutRow(left, row.id);
    if (current === row) return;
    const stored = { _etag: written._etag, ...valuesAfter(current, row) };
    const edited: StagedRow = { ...current, kind: 'updated', id: written._id };
    left = resolved(new Map(left).set(edited.id, edited), { row: edited, theirs: stored }, {});
  });
  return left;
}

/** The values that the service has now in the fields that were edited. */
function valuesAfter(current: StagedRow, saved: StagedRow): Record<string, unknown> {
  const names = new Set([...Object.keys(current.fields), ...Object.keys(saved.fields)]);
  return Object.fromEntries(
    [...names].map(name => {
      const edit = saved.fields[name];
      return [name, edit === undefined ? current.fields[name]?.before : edit.after];
    }),
  );
}
