import { newId } from '../../../base/kernel/id.js';
import type { JsonObject, JsonValue } from '../../../base/kernel/json.js';
import { type IndexDefinition, physicalOf } from '../../../engine/storage/collection-shape.js';
import { temporaryValue, type Vacating } from '../../../engine/storage/records/batch.js';
import type { Collection } from '../../collections/collection.entity.js';
import { type KeyedRecord, keysOf } from '../unique-conflicts.js';

/** Unique constraints with a column among `names`. */
export function uniquesOver({ uniques }: Collection, names: ReadonlySet<string>): readonly IndexDefinition[] {
  return uniques.filter(({ properties }) => properties.some(name => names.has(name)));
}

/**
 * The temporary values that changed records need, so that one of them can take a unique value that another one gives
 * up in the same statement. PostgreSQL checks a unique index after each row, not at the end of the statement.
 */
export async function vacatings(
  collection: Collection,
  uniques: readonly IndexDefinition[],
  changed: readonly KeyedRecord[],
): Promise<Vacating[]> {
  const found: Vacating[] = [];
  if (changed.length < 2) return found;
  for (const unique of uniques) {
    const before = await keysOf(
      collection,
      unique,
      changed.map(each => each.before ?? {}),
    );
    const after = await keysOf(
      collection,
      unique,
      changed.map(each => each.after),
    );
    const holders = new Map(before.map((key, index) => [key, index]));
    const vacated = after.flatMap((key, index) => {
      const holder = key === undefined ? undefined : holders.get(key);
      return holder === undefined || holder === index ? [] : [(changed[holder] as KeyedRecord).id];
    });
    const vacating = vacatingOf(collection, unique, vacated);
    if (vacating !== undefined) found.push(vacating);
  }
  return found;
}

/** Temporary values for records that have to give up their values in a unique constraint; undefined when none can. */
export function vacatingOf(
  collection: Collection,
  unique: IndexDefinition,
  ids: readonly string[],
): Vacating | undefined {
  const column = ids.length === 0 ? undefined : vacatedColumn(collection, unique);
  if (column === undefined) return undefined;
  return { column, values: ids.map(_id => ({ _id, v: temporary(collection, column) })) };
}

/** A column of the constraint that can be null, otherwise one whose type has values that no client sends. */
function vacatedColumn({ columns }: Collection, { properties }: IndexDefinition): string | undefined {
  return (
    properties.find(name => columns[name]?.nullable) ??
    properties.find(name => columns[name] !== undefined && columns[name].type !== 'boolean')
  );
}

function temporary({ columns }: Collection, name: string): string | null {
  const column = columns[name];
  if (column === undefined || column.nullable) return null;
  return temporaryValue(column.type, newId()) ?? null;
}

/** The values of some columns, by their physical names. */
export function valuesOf(
  collection: Collection,
  uniques: readonly IndexDefinition[],
  row: Readonly<Record<string, JsonValue>>,
): JsonObject {
  const physical = uniques.flatMap(({ properties }) => properties.map(name => physicalOf(collection, name)));
  return Object.fromEntries(physical.map(name => [name, row[name] ?? null]));
}
