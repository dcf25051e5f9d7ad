import { numberText } from '../../../values/numbers-by-locale.js';
import type { FieldType } from '../../values/cell-value.js';
import type { FieldEdit, StagedRows } from './staged-edits.js';
import { nullIn, type Typed, type TypedColumn, typed } from './typed-text.js';

/**
 * The changes as values of the columns as they are now: somebody may have changed the type of a column since. What is not
 * a value any more is marked with the reason. The same map if nothing changes.
 */
export function refitted(
  rows: StagedRows,
  columnOf: (field: string) => TypedColumn | undefined,
  locale: string,
): StagedRows {
  const changed = new Map(rows);
  for (const row of rows.values()) {
    for (const [field, edit] of Object.entries(row.fields)) {
      const column = columnOf(field);
      const entered = column && newValue(edit, column, locale);
      if (entered === undefined) continue;
      const known = changed.get(row.id) ?? row;
      changed.set(row.id, { ...known, fields: { ...known.fields, [field]: editOf(edit, entered) } });
    }
  }
  return [...changed].every(([id, row]) => rows.get(id) === row) ? rows : changed;
}

/** Undefined if the change fits as it is. */
function newValue(
  { after, misfit, before }: FieldEdit,
  column: TypedColumn,
  locale: string,
): Typed | undefined {
  if (misfit !== undefined) {
    const isOfColumn = [column.type, 'ambiguous', 'required'].includes(misfit.problem);
    return isOfColumn ? undefined : typed(misfit.text, column, locale, before);
  }
  if (after === undefined) return undefined;
  if (after === null) return column.isNullable ? undefined : nullIn(column);
  if (fits(after, column.type)) return undefined;
  const text = typeof after === 'number' ? numberText(after, locale) : after;
  return typed(typeof text === 'string' ? text : JSON.stringify(text), column, locale, before);
}

function editOf({ before }: FieldEdit, entered: Typed): FieldEdit {
  return 'problem' in entered
    ? { before, misfit: { text: entered.text, problem: entered.problem } }
    : { before, after: entered.value };
}

function fits(value: unknown, type: FieldType): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'double':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'text':
      return typeof value === 'string';
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
    case 'datetime':
      return typeof value === 'string' && value.includes('T') && !Number.isNaN(Date.parse(value));
    case 'array':
      return Array.isArray(value) && value.every(item => typeof item === 'string');
    default:
      return true;
  }
}
