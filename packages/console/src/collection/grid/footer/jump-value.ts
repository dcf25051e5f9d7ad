import type { SortValue } from '@typed-collections/client';
import type { FieldType } from '../values/cell-value.js';

/** The value that was typed, as a value of the column; undefined if it is not one. */
export function jumpValue(text: string, type: FieldType): SortValue | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  if (type === 'integer' || type === 'double') return numberOf(typed);
  if (type === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : undefined;
  // A flexible field has values of any type: what looks like a number is one.
  if (type === 'flexible') return numberOf(typed) ?? text;
  return text;
}

function numberOf(text: string): number | undefined {
  const number = Number(text.replace(',', '.'));
  return Number.isFinite(number) ? number : undefined;
}
