import type { FieldPath, Projection } from '../filter/index.js';
import { isJsonObject, type JsonValue } from '../kernel/json.js';

/**
 * What a projection still has to do to a record that PostgreSQL has already cut to whole top-level fields: deeper
 * paths, through arrays as MongoDB does. Without such paths the text goes through untouched.
 */
export function cutter(projection: Projection | undefined): (record: string) => string {
  const deep = projection?.paths.filter(path => path.length > 1) ?? [];
  if (projection === undefined || deep.length === 0) return record => record;
  const cut = projection.mode === 'include' ? include : exclude;
  const whole = projection.paths.filter(path => path.length === 1);
  const paths =
    projection.mode === 'include' ? [...whole, ...deep, ...(projection.id ? [['_id']] : [])] : deep;
  return record => JSON.stringify(cut(JSON.parse(record), paths));
}

function include(value: JsonValue, paths: readonly FieldPath[]): JsonValue {
  if (Array.isArray(value)) return value.filter(isContainer).map(each => include(each, paths));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, JsonValue][] => {
    const below = pathsBelow(paths, name);
    if (below.some(path => path.length === 0)) return [[name, inner]];
    return below.length > 0 && isContainer(inner) ? [[name, include(inner, below)]] : [];
  });
  return Object.fromEntries(entries);
}

function exclude(value: JsonValue, paths: readonly FieldPath[]): JsonValue {
  if (Array.isArray(value)) return value.map(each => exclude(each, paths));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, JsonValue][] => {
    const below = pathsBelow(paths, name);
    if (below.some(path => path.length === 0)) return [];
    return [[name, below.length > 0 ? exclude(inner, below) : inner]];
  });
  return Object.fromEntries(entries);
}

function pathsBelow(paths: readonly FieldPath[], name: string): FieldPath[] {
  return paths.filter(([first]) => first === name).map(path => path.slice(1));
}

function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}
