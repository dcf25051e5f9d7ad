import { invalid } from '../../base/kernel/errors.js';
import { isJsonObject } from '../../base/kernel/json.js';
import { type FieldPath, parseFieldPath } from './field-path.js';

/** The fields of a record to show. `_id` is separate, as in MongoDB. */
export interface Projection {
  readonly mode: 'include' | 'exclude';
  readonly paths: readonly FieldPath[];
  readonly id: boolean;
}

const MAX_FIELDS = 500;

/**
 * Parses `{a: 1, "b.c": 1}`, `{a: 0}` or `["a", "b.c"]`; undefined shows all fields. Throws `invalid()` when a
 * projection both includes and excludes (except `_id`), or when one path contains another.
 */
export function parseProjection(json: unknown): Projection | undefined {
  const entries = entriesOf(json);
  if (entries.length === 0) return undefined;
  if (entries.length > MAX_FIELDS) throw invalid(`fields takes at most ${MAX_FIELDS} names`);
  const named = entries.map(([name, shown]) => ({ path: parseFieldPath(name), shown: isShown(name, shown) }));
  const id = named.find(isId)?.shown;
  const fields = named.filter(field => !isId(field));
  // `{_id: 1}` alone includes and `{_id: 0}` alone excludes. Otherwise the other fields decide.
  const include = fields[0]?.shown ?? id ?? false;
  if (fields.some(({ shown }) => shown !== include))
    throw invalid('fields: use either 1 (include) or 0 (exclude) for all fields; only _id can differ');
  const paths = fields.map(({ path }) => path);
  refuseOverlap(paths);
  return Object.freeze({
    mode: include ? 'include' : 'exclude',
    paths: Object.freeze(paths),
    id: id ?? true,
  });
}

function entriesOf(json: unknown): [unknown, unknown][] {
  if (json === undefined) return [];
  // Checked first, because a list may have a million names.
  if (Array.isArray(json) && json.length > MAX_FIELDS)
    throw invalid(`fields takes at most ${MAX_FIELDS} names`);
  if (Array.isArray(json)) return [...new Set(json)].map(name => [name, 1]);
  if (isJsonObject(json)) return Object.entries(json);
  throw invalid('fields must be an object such as {"title": 1} or an array of names');
}

function isShown(name: unknown, shown: unknown): boolean {
  if (shown === 1 || shown === true) return true;
  if (shown === 0 || shown === false) return false;
  throw invalid(`fields: ${JSON.stringify(name).slice(0, 100)} must be 1 or 0`);
}

function isId({ path }: { path: FieldPath }): boolean {
  return path.length === 1 && path[0] === '_id';
}

function refuseOverlap(paths: readonly FieldPath[]): void {
  const names = new Set(paths.map(path => path.join('.')));
  for (const path of paths) {
    const above = path.slice(0, -1).map((_, index) => path.slice(0, index + 1).join('.'));
    const overlap = above.find(name => names.has(name));
    if (overlap !== undefined) throw invalid(`fields: ${path.join('.')} and ${overlap} overlap`);
  }
}
