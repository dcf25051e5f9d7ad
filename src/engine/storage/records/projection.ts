import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/kernel/json.js';
import type { FieldPath, Projection } from '../../filter/index.js';
import { ANSWER_FIELDS, AUTHOR_FIELDS } from '../collection-shape.js';
import type { TopLevelFields } from './row-json.js';

/** What records show beside the fields of a projection. */
export interface ShownRecords {
  /** Values are cut (`previewJson`). */
  readonly isPreview?: boolean | undefined;
  readonly withAuthors?: boolean | undefined;
}

/**
 * Applies the rest of a projection to a record that PostgreSQL has already reduced to whole top-level fields: deeper
 * paths, through arrays as in MongoDB. Without deeper paths the text is returned unchanged. A value that a preview has
 * cut is shown as its beginning, whichever of its paths are named.
 */
export function projector(
  projection: Projection | undefined,
  { isPreview = false, withAuthors = false }: ShownRecords = {},
): (record: string) => string {
  if (projection === undefined || !hasDeepPaths(projection)) return record => record;
  const deep = projection.paths.filter(isDeep);
  const project = projection.mode === 'include' ? include : exclude;
  const whole = projection.paths.filter(path => path.length === 1);
  const paths =
    projection.mode === 'include'
      ? [
          ...whole,
          ...deep,
          ...ADDED_PATHS,
          ...(withAuthors ? AUTHOR_PATHS : []),
          ...(projection.id ? [['_id']] : []),
        ]
      : deep;
  const named = tree(paths);
  return record => {
    const whole: JsonObject = JSON.parse(record);
    const shown = project(whole, named) as JsonObject;
    return JSON.stringify(isPreview ? { ...shown, ...beginnings(whole) } : shown);
  };
}

/** True if a projection names fields inside documents, which PostgreSQL does not project. */
export function hasDeepPaths(projection: Projection | undefined): boolean {
  return projection?.paths.some(isDeep) ?? false;
}

function isDeep(path: FieldPath): boolean {
  return path.length > 1;
}

const ADDED_PATHS: readonly FieldPath[] = ANSWER_FIELDS.map(name => [name]);
const AUTHOR_PATHS: readonly FieldPath[] = AUTHOR_FIELDS.map(([name]) => [name]);

/** The fields that a preview has cut to texts: a path in them cannot be shown. */
function beginnings(record: JsonObject): JsonObject {
  const cut = record._cut;
  if (!Array.isArray(cut)) return {};
  return Object.fromEntries(
    cut.flatMap(name => (typeof name === 'string' && name in record ? [[name, record[name]]] : [])),
  ) as JsonObject;
}

/**
 * The paths of a projection as a tree, so that each field of a record is looked up once, however many paths there are.
 */
interface Named {
  /** True if one of the paths ends at this field. */
  isWhole: boolean;
  readonly below: Map<string, Named>;
}

function tree(paths: readonly FieldPath[]): Named {
  const root: Named = { isWhole: false, below: new Map() };
  for (const path of paths) {
    let at = root;
    for (const part of path) {
      const next = at.below.get(part) ?? { isWhole: false, below: new Map() };
      at.below.set(part, next);
      at = next;
    }
    at.isWhole = true;
  }
  return root;
}

function include(value: JsonValue, named: Named): JsonValue {
  if (Array.isArray(value)) return value.filter(isContainer).map(each => include(each, named));
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const name in value) {
    const inner = value[name] as JsonValue;
    const at = named.below.get(name);
    if (at?.isWhole) kept[name] = inner;
    else if (at !== undefined && isContainer(inner)) kept[name] = include(inner, at);
  }
  return kept;
}

function exclude(value: JsonValue, named: Named): JsonValue {
  if (Array.isArray(value)) return value.map(each => exclude(each, named));
  if (!isJsonObject(value) || !holdsAny(value, named)) return value;
  const kept: JsonObject = {};
  for (const name in value) {
    const inner = value[name] as JsonValue;
    const at = named.below.get(name);
    if (at === undefined) kept[name] = inner;
    else if (!at.isWhole) kept[name] = exclude(inner, at);
  }
  return kept;
}

/** Most objects of a large record contain no projected field, so they need no copy. */
function holdsAny(value: JsonObject, named: Named): boolean {
  for (const name in value) if (named.below.has(name)) return true;
  return false;
}

function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}

/**
 * The part of a projection that the statement applies: whole top-level fields. Deeper paths are applied afterwards.
 * `authors`: adds the author fields to those that the projection names.
 */
export function topLevel(projection: Projection | undefined, authors = false): TopLevelFields | undefined {
  if (projection === undefined) return authors ? ALL_WITH_AUTHORS : undefined;
  const id = projection.id ? ['_id'] : [];
  const added = authors ? AUTHOR_FIELDS.map(([name]) => name) : [];
  if (projection.mode === 'include')
    return { only: new Set([...id, ...added, ...projection.paths.map(path => path[0] as string)]) };
  const whole = projection.paths.filter(path => path.length === 1).map(path => path[0] as string);
  return { without: new Set(projection.id ? whole : ['_id', ...whole]), authors };
}

/** All fields with the authors. */
// biome-ignore lint/plugin/bounded-maps: stays empty
export const ALL_WITH_AUTHORS: TopLevelFields = { without: new Set(), authors: true };
