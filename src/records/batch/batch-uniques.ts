import type { Collection } from '../../collections/collection.entity.js';
import type { Rows } from '../../database/statements.js';
import { canonical } from '../../filter/update/index.js';
import { Slices } from '../../kernel/bounds/slices.js';
import { PlatformError } from '../../kernel/errors.js';
import { newId } from '../../kernel/id.js';
import type { JsonObject, JsonValue } from '../../kernel/json.js';
import { type IndexDefinition, physicalOf } from '../../storage/collection-shape.js';
import type { RecordStore } from '../../storage/record-store.js';
import { batchConflictsStatement, temporaryValue, type Vacating } from '../../storage/records/batch.js';
import type { Row } from '../../storage/records/record-layout.js';
import { ifStale } from '../../storage/stale.js';

/** A record that a batch writes, with its values before and after; without `before` it is new. */
export interface KeyedRecord {
  readonly index: number;
  readonly id: string;
  /** Values of the columns of unique constraints by their physical names. */
  readonly before?: JsonObject | undefined;
  readonly after: JsonObject;
}

/** Unique constraints with a column among `names`. */
export function uniquesOver({ uniques }: Collection, names: ReadonlySet<string>): readonly IndexDefinition[] {
  return uniques.filter(({ properties }) => properties.some(name => names.has(name)));
}

/** Equal for records that a unique constraint keeps apart; undefined when a value is null, because nulls differ. */
function keyOf(
  collection: Collection,
  { properties }: IndexDefinition,
  values: JsonObject,
): string | undefined {
  const key = properties.map(name => values[physicalOf(collection, name)] ?? null);
  return key.includes(null) ? undefined : canonical(key);
}

/** The keys of records for a unique constraint. Long values take long, so other requests run in between. */
async function keysOf(
  collection: Collection,
  unique: IndexDefinition,
  values: readonly JsonObject[],
): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  const slices = new Slices();
  for (const each of values) {
    keys.push(keyOf(collection, unique, each));
    await slices.pause();
  }
  return keys;
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

/** 422 `ConstraintViolation` with the operations whose records would repeat a unique value. */
export async function uniqueRefusal(
  store: RecordStore,
  collection: Collection,
  unique: IndexDefinition,
  records: readonly KeyedRecord[],
  deleted: readonly string[],
): Promise<PlatformError> {
  const { properties } = unique;
  const keys = await keysOf(
    collection,
    unique,
    records.map(each => each.after),
  );
  const keyed = records.flatMap((record, index) => {
    const key = keys[index];
    return key === undefined ? [] : [{ record, key }];
  });
  const seen = new Set<string>();
  let offenders = keyed.flatMap(({ record, key }) => {
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated ? [record.index] : [];
  });
  if (offenders.length === 0) {
    const changed = records.flatMap(({ id, before }) => (before === undefined ? [] : [id]));
    const rows: Row[] = keyed.map(({ record }) => ({ ...record.after, _id: record.id }));
    const statement = batchConflictsStatement(collection, properties, JSON.stringify(rows), [
      ...deleted,
      ...changed,
    ]);
    const rowsFound = await store.readPrimary(collection, statement).catch(ifStale((): Rows => []));
    const found = new Set(rowsFound.map(([id]) => id));
    offenders = keyed.flatMap(({ record }) => (found.has(record.id) ? [record.index] : []));
  }
  offenders.sort((a, b) => a - b);
  const [first] = offenders;
  return new PlatformError(
    'ConstraintViolation',
    `Nothing was written: ${properties.join(', ')} must be unique${first === undefined ? '' : `; operations.${first} repeats an existing value`}.`,
    offenders.map(row => ({ row, column: properties[0], properties })),
  );
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
