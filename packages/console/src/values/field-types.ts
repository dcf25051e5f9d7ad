import { isObject } from './json.js';
import { numberIn, wholeNumberIn } from './numbers-by-locale.js';

/** The types of columns, and `id` for the id of a record. */
export type FieldType =
  | 'text'
  | 'integer'
  | 'double'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'json'
  | 'array'
  | 'id';

/** The columns of a collection, as the service describes them. */
export type Columns = Readonly<Record<string, { readonly type: FieldType; readonly nullable: boolean }>>;

/** The fields that every record has. */
export const SYSTEM_FIELDS: Columns = {
  _id: { type: 'id', nullable: false },
  created_at: { type: 'datetime', nullable: false },
  updated_at: { type: 'datetime', nullable: false },
};

/** The types that a person can choose for a field without a column. */
export const CHOOSABLE = ['text', 'double', 'boolean', 'date', 'datetime', 'array', 'json'] as const;

/** The type of a column or of a system field; undefined for flexible fields and paths. */
export function columnType(field: string, columns: Columns): FieldType | undefined {
  if (Object.hasOwn(SYSTEM_FIELDS, field)) return SYSTEM_FIELDS[field]?.type;
  if (Object.hasOwn(columns, field)) return columns[field]?.type;
  const root = field.slice(0, field.indexOf('.'));
  return Object.hasOwn(columns, root) && columns[root]?.type === 'array' ? 'text' : undefined;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

/** The type by which a value of a flexible field is edited. */
export function typeOfJson(value: unknown): FieldType {
  if (typeof value === 'number') return 'double';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value) || isObject(value)) return 'json';
  if (typeof value !== 'string') return 'text';
  if (DATE.test(value)) return 'date';
  return INSTANT.test(value) ? 'datetime' : 'text';
}

/** True if the editor of a type can show the value. */
export function fits(type: FieldType, value: unknown): boolean {
  switch (type) {
    case 'integer':
    case 'double':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'json':
      return value !== undefined;
    case 'date':
      return typeof value === 'string' && DATE.test(value);
    case 'datetime':
      return typeof value === 'string' && (INSTANT.test(value) || DATE.test(value));
    default:
      return typeof value === 'string';
  }
}

/** The value that an editor of a type begins with; undefined where a person must enter one. */
export function initialValue(type: FieldType): unknown {
  return type === 'boolean' ? true : undefined;
}

/** What a person typed as a value of a type; undefined if it is none. */
export function parseValue(type: FieldType, text: string, locale: string): unknown {
  if (type === 'integer') return wholeNumberIn(text, locale) ?? numberIn(text, locale);
  if (type === 'double') return numberIn(text, locale);
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (type !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a value in an editor. */
export function textOf(type: FieldType, value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value);
}
