import type { ColumnType } from '@typed-collections/client';
import { formatInstant } from '../../values/dates.js';
import type { GridRecord } from '../window/page-slot.js';

/** How a value is shown. `null`, `absent` and `empty` (text without characters) are different things. */
export type CellKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'json'
  | 'null'
  | 'absent'
  | 'empty';

export interface CellValue {
  readonly kind: CellKind;
  /** At most `MAX_CHARACTERS`; empty for `null`, `absent` and `empty`. */
  readonly text: string;
  /** True if the value is longer than the text. */
  readonly isCut: boolean;
}

/** The type of a column, or `flexible` for a field without a column. */
export type FieldType = ColumnType | 'flexible';

/** Longer texts are cut before anything is rendered. The service cuts them at the same length. */
export const MAX_CHARACTERS = 200;

const NOTHING = { text: '', isCut: false };

/** The value of a field of a record as the grid shows it. Instants are shown in `zone`, by default the browser's. */
export function cellValue(
  record: GridRecord,
  name: string,
  type: FieldType,
  locale: string,
  zone?: string,
): CellValue {
  if (!Object.hasOwn(record, name)) return { kind: 'absent', ...NOTHING };
  const value = record[name];
  if (value === null || value === undefined) return { kind: 'null', ...NOTHING };
  if (value === '') return { kind: 'empty', ...NOTHING };
  // The service sends the beginning of a long value as text, whatever its type.
  const isCut = record._cut?.includes(name) === true;
  if (typeof value === 'number') return { kind: 'number', text: String(value), isCut };
  if (typeof value === 'boolean') return { kind: 'boolean', text: String(value), isCut };
  if (typeof value !== 'string') return shortened('json', JSON.stringify(value), isCut);
  if (isCut && (type === 'json' || type === 'array')) return shortened('json', value, isCut);
  if (type === 'datetime') return { kind: 'datetime', text: formatInstant(value, locale, zone), isCut };
  return shortened(type === 'date' ? 'date' : 'text', value, isCut);
}

function shortened(kind: CellKind, text: string, isCut: boolean): CellValue {
  const isLong = text.length > MAX_CHARACTERS;
  const shown = isLong ? wholeCharacters(text.slice(0, MAX_CHARACTERS)) : text;
  return { kind, text: shown.replace(/\r\n|\r|\n/g, ' ⏎ '), isCut: isCut || isLong };
}

/** Removes half of a character that was cut in two. */
function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '');
}

/** A whole value as text: strings as they are, everything else as JSON. */
export function wholeText(value: unknown, indent?: number): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, indent) ?? '');
}
