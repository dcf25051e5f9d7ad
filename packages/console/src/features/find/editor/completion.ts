import { type Columns, columnType, type FieldType, SYSTEM_FIELDS } from '../../../values/field-types.js';
import { TYPE_NAMES } from '../model/choices.js';

/** Where the cursor is: at a name or at a value, below these names and positions. */
export interface Place {
  readonly kind: 'name' | 'value';
  readonly path: readonly (string | number)[];
}

export interface Suggestion {
  /** What is written, as JSON without the colon. */
  readonly json: string;
  readonly kind: 'column' | 'field' | 'operator' | 'value';
  /** The type of a column. */
  readonly type?: FieldType;
}

const LOGIC = ['$and', '$or', '$nor'];
const COMPARISON = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin'];
const TEXT = ['$regex', '$options', '$search'];
const LIST = ['$all', '$size', '$elemMatch'];
const BITS = ['$mod', '$bitsAllSet', '$bitsAnySet', '$bitsAllClear', '$bitsAnyClear'];
const OPEN = ['$exists', '$type'];
const EVERY = [...COMPARISON, '$not', ...TEXT, ...LIST, ...BITS, ...OPEN];

const BY_TYPE: Readonly<Record<FieldType, readonly string[]>> = {
  text: [...COMPARISON, ...TEXT, '$not'],
  integer: [...COMPARISON, ...BITS, '$not'],
  double: [...COMPARISON, ...BITS, '$not'],
  boolean: ['$eq', '$ne', '$in', '$nin'],
  date: [...COMPARISON, '$not'],
  datetime: [...COMPARISON, '$not'],
  id: [...COMPARISON, '$not'],
  array: [...LIST, '$eq', '$ne', '$in', '$nin', '$search', '$not'],
  json: EVERY,
};

/** What can stand at a place of a filter: fields and `$and` where conditions are, operators below a field. */
export function suggestionsAt(
  place: Place,
  columns: Columns,
  fields: readonly string[],
): readonly Suggestion[] {
  return place.kind === 'name' ? names(place.path, columns, fields) : values(place.path, columns);
}

function names(path: Place['path'], columns: Columns, fields: readonly string[]): readonly Suggestion[] {
  const last = nameAbove(path);
  if (last === '$elemMatch') return EVERY.map(operator);
  if (last === undefined || LOGIC.includes(last)) {
    return [
      ...Object.entries(columns).map(
        ([name, { type }]): Suggestion => ({ json: JSON.stringify(name), kind: 'column', type }),
      ),
      ...Object.entries(SYSTEM_FIELDS).map(
        ([name, { type }]): Suggestion => ({ json: JSON.stringify(name), kind: 'column', type }),
      ),
      ...fields.map((name): Suggestion => ({ json: JSON.stringify(name), kind: 'field' })),
      ...LOGIC.map(operator),
      ...(last === undefined ? [operator('$search')] : []),
    ];
  }
  const field = fieldAbove(path);
  const type = field === undefined ? undefined : columnType(field, columns);
  return (type === undefined ? EVERY : BY_TYPE[type]).map(operator);
}

function values(path: Place['path'], columns: Columns): readonly Suggestion[] {
  const last = nameAbove(path);
  if (last === '$exists') return ['true', 'false'].map(value);
  if (last === '$type') return TYPE_NAMES.map(name => value(JSON.stringify(name)));
  const field = fieldAbove(path);
  const type = field === undefined ? undefined : columnType(field, columns);
  return type === 'boolean' ? ['true', 'false', 'null'].map(value) : [];
}

const operator = (name: string): Suggestion => ({ json: JSON.stringify(name), kind: 'operator' });
const value = (json: string): Suggestion => ({ json, kind: 'value' });

/** The innermost name, without positions in lists. */
function nameAbove(path: Place['path']): string | undefined {
  return path.findLast(part => typeof part === 'string') as string | undefined;
}

/** The innermost name that is no operator. */
function fieldAbove(path: Place['path']): string | undefined {
  return path.findLast(part => typeof part === 'string' && !part.startsWith('$')) as string | undefined;
}
