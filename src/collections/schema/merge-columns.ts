import { invalid } from '../../kernel/errors.js';
import { isJsonObject, type JsonObject } from '../../kernel/json.js';
import { type ColumnDefinition, declaredColumn } from '../../storage/collection-shape.js';
import { type Columns, parseColumns } from '../schema.js';

/**
 * A schema with `properties` merged into it: what is absent stays, of a known column also its type or nullability alone.
 * A new column, and one with a new type, gets a number that no column had before. Throws 400 naming the column and the
 * reason.
 */
export function mergeColumns(existing: Columns, properties: unknown): Columns {
  if (!isJsonObject(properties))
    throw invalid('properties: expects an object of column name to {type, nullable}');
  const known = Object.entries(existing).map(([name, column]) => [name, asProperty(column)] as const);
  const sent = Object.entries(properties).map(([name, property]) => {
    const before = declaredColumn(existing, name);
    return [
      name,
      before && isJsonObject(property) ? { ...asProperty(before), ...property } : property,
    ] as const;
  });
  const parsed = parseColumns(Object.fromEntries([...known, ...sent]));
  // Columns are never removed and a new number is always the highest, so no number below it was ever free.
  let highest = Math.max(0, ...Object.values(existing).map(({ number }) => number));
  const numbered = Object.entries(parsed).map(([name, column]): [string, ColumnDefinition] => {
    const before = declaredColumn(existing, name);
    return [name, { ...column, number: before?.type === column.type ? before.number : ++highest }];
  });
  return Object.fromEntries(numbered.sort(([, a], [, b]) => a.number - b.number));
}

function asProperty({ type, nullable }: ColumnDefinition): JsonObject {
  return { type, nullable };
}
