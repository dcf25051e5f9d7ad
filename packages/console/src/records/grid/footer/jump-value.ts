import type { SortValue } from '@typed-collections/client';
import { numberIn, wholeNumberIn } from '../../../values/numbers-by-locale.js';
import { typed as typedText } from '../../edit/model/typed-text.js';
import type { FieldType } from '../../values/cell-value.js';

/** The value that was typed, as a value of the column; undefined if it is not one. */
export function jumpValue(text: string, type: FieldType, locale: string): SortValue | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  if (type === 'integer') return wholeNumberIn(typed, locale) ?? numberIn(typed, locale);
  if (type === 'double') return numberIn(typed, locale);
  if (type === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : undefined;
  if (type === 'flexible') return flexibleValue(text, locale);
  return text;
}

/** A flexible field has values of any type: what reads as a number is one, as in an editor. */
function flexibleValue(text: string, locale: string): SortValue {
  const entered = typedText(text, { type: 'flexible', isNullable: true }, locale);
  return 'value' in entered && typeof entered.value === 'number' ? entered.value : text;
}
