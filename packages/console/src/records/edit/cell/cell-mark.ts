import { t } from '../../../i18n/language.js';
import type { GridRecord } from '../../window/page-slot.js';
import type { StagedRow } from '../model/staged-edits.js';
import type { Refusal } from '../model/staged-store.js';

/** How a cell looks that has a change: `meanwhile` if somebody else has changed the record since it was edited. */
export interface CellMark {
  readonly look: 'changed' | 'meanwhile' | 'wrong';
  /** What the look means, for screen readers and as tooltip. */
  readonly text: string;
}

export function markOf(
  record: GridRecord,
  field: string,
  row: StagedRow | undefined,
  refusal: Refusal | undefined,
): CellMark | undefined {
  const edit = row?.fields[field];
  const refused = refusal?.[field];
  if (refused !== undefined) return { look: 'wrong', text: refused };
  if (edit === undefined) return undefined;
  if (edit.misfit !== undefined) return { look: 'wrong', text: t(`edit.problem_${edit.misfit.problem}`) };
  if (record._etag !== row?.etag) return { look: 'meanwhile', text: t('edit.markMeanwhile') };
  return { look: 'changed', text: t('edit.markChanged') };
}

/** The record as it will be when its changes are saved. What is not a value is shown as it was entered. */
export function withChanges(record: GridRecord, row: StagedRow | undefined): GridRecord {
  if (row === undefined) return record;
  const shown: Record<string, unknown> & GridRecord = { ...record };
  for (const [field, { after, misfit }] of Object.entries(row.fields)) {
    if (misfit !== undefined) shown[field] = misfit.text;
    else if (after === undefined) delete shown[field];
    else shown[field] = after;
  }
  return { ...shown, _cut: record._cut?.filter(field => row.fields[field] === undefined) };
}
