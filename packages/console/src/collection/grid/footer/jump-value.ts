import type { SortValue } from '@typed-collections/client';
import { numberIn } from '../../../i18n/numbers-by-locale.js';
import type { FieldType } from '../values/cell-value.js';

/** The value that was typed, as a value of the column; undefined if it is not one. */
export function jumpValue(text: string, type: FieldType, locale: string): SortValue | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  if (type === 'integer' || type === 'double') return numberIn(typed, locale);
  if (type === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : undefined;
  // A flexible field has values of any type: what looks like a number is one.
  if (type === 'flexible') return numberIn(typed, locale) ?? text;
  return text;
}
