import { invalid } from '../kernel/errors.js';
import { isJsonObject } from '../kernel/json.js';
import { shortened } from '../kernel/text.js';
import { type FieldPath, parseFieldPath } from './field-path.js';

export interface SortField {
  readonly path: FieldPath;
  readonly direction: 1 | -1;
}

/** Fields in order of precedence. The last is always `_id`, which makes the order total. */
export type Sort = readonly SortField[];

const MAX_FIELDS = 32;

/**
 * Parses `{field: 1|-1, …}`; undefined means `{_id: 1}`. Ties are ordered by `_id` in the direction of the last field.
 * Fields after `_id` have no effect. Throws `invalid()`.
 */
export function parseSort(json: unknown): Sort {
  if (json !== undefined && !isJsonObject(json))
    throw invalid('sort must be an object such as {"created_at": -1}');
  const entries = Object.entries(json ?? {});
  if (entries.length > MAX_FIELDS) throw invalid(`sort takes at most ${MAX_FIELDS} fields`);
  const fields = entries.map(([name, direction]) => parseField(name, direction));
  const tie = fields.findIndex(({ path }) => path.join('.') === '_id');
  if (tie >= 0) return Object.freeze(fields.slice(0, tie + 1));
  return Object.freeze([...fields, { path: ['_id'], direction: fields.at(-1)?.direction ?? 1 }]);
}

function parseField(name: string, direction: unknown): SortField {
  const path = parseFieldPath(name);
  if (direction !== 1 && direction !== -1)
    throw invalid(`sort: the direction of ${JSON.stringify(shortened(name))} must be 1 or -1`);
  return Object.freeze({ path, direction });
}
