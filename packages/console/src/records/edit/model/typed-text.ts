import { booleanIn } from '../../../values/boolean-words.js';
import { dateIn, datetimeIn, localClock } from '../../../values/dates-by-locale.js';
import { isObject } from '../../../values/json.js';
import { isAmbiguous, numberIn, numberText, wholeNumberIn } from '../../../values/numbers-by-locale.js';
import type { FieldType } from '../../values/cell-value.js';

/** Why a text is not a value of a column. */
export type Problem =
  | 'required'
  | 'integer'
  | 'double'
  | 'ambiguous'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'json'
  | 'array';

/** What somebody entered: a value, or a text that is not one. The value `undefined` is an absent field. */
export type Typed = { readonly value: unknown } | { readonly text: string; readonly problem: Problem };

/** The column of a value. Flexible fields take every type. */
export interface TypedColumn {
  readonly type: FieldType;
  readonly isNullable: boolean;
}

/**
 * The value of a text in a column. `before` is the value that it replaces: a flexible field that has a text keeps text.
 * An empty text is null, except where the column is of text.
 */
export function typed(text: string, column: TypedColumn, locale: string, before?: unknown): Typed {
  const { type } = column;
  if (type === 'text') return { value: text };
  if (type === 'flexible') return flexible(text, locale, before);
  const trimmed = text.trim();
  if (trimmed === '') return nullIn(column);
  const value = valueIn(trimmed, text, type, locale);
  if (value !== undefined) return { value };
  return { text, problem: type === 'double' && isAmbiguous(trimmed, locale) ? 'ambiguous' : type };
}

/** The value of a cell of a spreadsheet. An empty cell is null where the column can have it. */
export function pasted(text: string, column: TypedColumn, locale: string, before?: unknown): Typed {
  return text === '' && column.isNullable ? { value: null } : typed(text, column, locale, before);
}

/** Null, or why the column cannot have it. */
export function nullIn({ isNullable }: TypedColumn): Typed {
  return isNullable ? { value: null } : { text: '', problem: 'required' };
}

/** Undefined if the text is not a value of the type. */
function valueIn(trimmed: string, text: string, type: FieldType, locale: string): unknown {
  switch (type) {
    case 'integer':
      return wholeNumberIn(trimmed, locale);
    case 'double':
      return numberIn(trimmed, locale);
    case 'boolean':
      return booleanIn(trimmed);
    case 'date':
      return dateIn(trimmed, locale);
    case 'datetime':
      return datetimeIn(trimmed, locale);
    case 'array':
      return listIn(text);
    default:
      return jsonIn(trimmed);
  }
}

/**
 * A text that reads as a number, a boolean, a list or an object is one, unless the field has a text now. Only a number as
 * the console writes it is one: `04109`, `+49 341 123` and `1e5` are codes, and would lose characters.
 */
function flexible(text: string, locale: string, before: unknown): Typed {
  if (typeof before === 'string' || text.trim() === '') return { value: text };
  const json = jsonIn(text);
  if (typeof before === 'object' && before !== null) {
    return json === undefined ? { text, problem: 'json' } : { value: json };
  }
  if (typeof json === 'boolean' || (typeof json === 'object' && json !== null)) return { value: json };
  if (typeof json === 'number' && JSON.stringify(json) === text) return { value: json };
  const number = numberIn(text, locale);
  return { value: number !== undefined && numberText(number, locale) === text ? number : text };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A list of texts: as JSON, one on each line, or on one line with commas between them. */
function listIn(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith('[')) {
    const lines = text.split(/\r?\n/);
    return lines.length === 1 && text.includes(',') ? text.split(',').map(item => item.trim()) : lines;
  }
  const value = jsonIn(text);
  return Array.isArray(value) && value.every(item => typeof item === 'string') ? value : undefined;
}

/** A value as its editor shows it; `typed` makes the same value of it. */
export function textOf(value: unknown, type: FieldType, locale: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return numberText(value, locale);
  if (type === 'datetime' && typeof value === 'string') return localClock(value);
  if (type === 'array' && Array.isArray(value) && isLines(value)) return value.join('\n');
  if (typeof value === 'string' && type !== 'json') return value;
  return JSON.stringify(value, null, isObject(value) || Array.isArray(value) ? 2 : undefined);
}

/** A value as a cell of a spreadsheet. */
export function cellText(value: unknown, type: FieldType, locale: string): string {
  if (type === 'array' || isObject(value) || Array.isArray(value)) return JSON.stringify(value ?? null);
  return textOf(value, type, locale);
}

function isLines(items: readonly unknown[]): boolean {
  if (items.length === 0) return false;
  // A single line with commas is a list of several texts.
  if (items.length === 1 && (items[0] === '' || String(items[0]).includes(','))) return false;
  return (
    items.every(item => typeof item === 'string' && !/[\r\n]/.test(item)) &&
    !String(items[0]).trimStart().startsWith('[')
  );
}
