import { Slices } from '../../base/kernel/bounds/slices.js';
import { PlatformError } from '../../base/kernel/errors.js';
import type { JsonObject } from '../../base/kernel/json.js';
import { canonical } from '../../engine/filter/update/index.js';
import { type IndexDefinition, physicalOf } from '../../engine/storage/collection-shape.js';
import type { RecordStore } from '../../engine/storage/record-store.js';
import { conflictsStatement, type Replaced } from '../../engine/storage/records/upsert.js';
import { ifStale } from '../../engine/storage/stale.js';
import type { Collection } from '../collections/collection.entity.js';

/** Maximum number of rows in one error. */
const MAX_REPORTED = 100;

/** A record that a request writes, with its values before and after; without `before` it is new. */
export interface KeyedRecord {
  /** Its position in the request. */
  readonly index: number;
  readonly id: string;
  /** Values of the columns of unique constraints by their physical names. */
  readonly before?: JsonObject | undefined;
  readonly after: JsonObject;
}

/** A write that the database refused for a unique constraint. */
interface RefusedWrite {
  /** The constraint that the database named. */
  readonly broken: IndexDefinition;
  /** The name of the list in the request. */
  readonly list: 'records' | 'operations';
  readonly records: readonly KeyedRecord[];
  readonly replaced: Replaced;
  readonly code?: 'ConstraintViolation' | 'AlreadyExists' | undefined;
}

/** The keys of records for a unique constraint. Long values take long, so other requests run in between. */
export async function keysOf(
  collection: Collection,
  { properties }: IndexDefinition,
  values: readonly JsonObject[],
): Promise<(string | undefined)[]> {
  const physical = properties.map(name => physicalOf(collection, name));
  const keys: (string | undefined)[] = [];
  const slices = new Slices();
  for (const each of values) {
    keys.push(keyOf(physical, each));
    await slices.pause();
  }
  return keys;
}

/** Equal for records that a unique constraint keeps apart; undefined when a value is null, because nulls differ. */
function keyOf(physical: readonly string[], values: JsonObject): string | undefined {
  const key = physical.map(name => values[name] ?? null);
  return key.includes(null) ? undefined : canonical(key);
}

/**
 * 422 `ConstraintViolation`, or another `code`, with every row that repeats a unique value, of a stored record or of another row. The
 * database names only the first constraint that it found broken, so the others are searched too.
 */
export async function uniqueRefusal(
  store: RecordStore,
  collection: Collection,
  write: RefusedWrite,
): Promise<PlatformError> {
  const { broken, list } = write;
  const isBroken = ({ properties }: IndexDefinition) => properties.join() === broken.properties.join();
  // While indexes are being built, the other constraints may not be enforced yet.
  const others = collection.status === 'ready' ? collection.uniques.filter(each => !isBroken(each)) : [];
  const details: RepeatedValue[] = [];
  for (const unique of [broken, ...others]) {
    const { properties } = unique;
    const offenders = await offendersOf(store, collection, unique, write);
    details.push(...offenders.map(row => ({ row, column: properties[0], properties })));
  }
  if (details.length > 0) return repeatedValues(details, list, write.code);
  const text = `Nothing was written: ${broken.properties.join(', ')} must be unique.`;
  return new PlatformError(write.code ?? 'ConstraintViolation', text, []);
}

/** A row that repeats a unique value. */
interface RepeatedValue {
  readonly row: number;
  readonly column: string | undefined;
  readonly properties: readonly string[];
}

/** The refusal of these rows, at least one. `list`: as in `RefusedWrite`. */
export function repeatedValues(
  rows: readonly RepeatedValue[],
  list: RefusedWrite['list'],
  code: RefusedWrite['code'] = 'ConstraintViolation',
): PlatformError {
  const details = rows.toSorted((a, b) => a.row - b.row);
  const [{ row, properties }] = details as [RepeatedValue];
  return new PlatformError(
    code,
    `Nothing was written: ${properties.join(', ')} must be unique; ${list}.${row} repeats an existing value.`,
    details.slice(0, MAX_REPORTED),
  );
}

/** Positions of the records that repeat a value of an earlier record of the request, or of a stored one. */
async function offendersOf(
  store: RecordStore,
  collection: Collection,
  unique: IndexDefinition,
  { records, replaced }: RefusedWrite,
): Promise<number[]> {
  const keyed = await keyedRecords(collection, unique, records);
  if (keyed.length === 0) return [];
  const columns = 'key' in replaced ? [replaced.key, ...unique.properties] : unique.properties;
  const physical = columns.map(name => physicalOf(collection, name));
  const rows = keyed.map(({ record: { id, after } }) => ({
    ...Object.fromEntries(physical.map(name => [name, after[name] ?? null])),
    _id: id,
  }));
  const statement = conflictsStatement(collection, unique.properties, JSON.stringify(rows), replaced);
  const stored = await store.readPrimary(collection, statement).catch(ifStale((): string[] => []));
  const found = new Set(stored);
  const ownKey = 'key' in replaced ? physicalOf(collection, replaced.key) : undefined;
  // Rows of an upsert with the same key are one record.
  const ownerOf = ({ id, after }: KeyedRecord) =>
    ownKey === undefined ? id : canonical(after[ownKey] ?? null);
  const holders = new Map(
    keyed.flatMap(each => (each.isKept ? [[each.key, ownerOf(each.record)] as const] : [])),
  );
  return keyed.flatMap(({ record, key }) => {
    if (found.has(record.id)) return [record.index];
    const owner = ownerOf(record);
    const holder = holders.get(key) ?? owner;
    holders.set(key, holder);
    return holder === owner ? [] : [record.index];
  });
}

interface Keyed {
  readonly record: KeyedRecord;
  readonly key: string;
  /** True when the record has had this key before, so that another record repeats it. */
  readonly isKept: boolean;
}

async function keyedRecords(
  collection: Collection,
  unique: IndexDefinition,
  records: readonly KeyedRecord[],
): Promise<Keyed[]> {
  const valuesOf = (each: (record: KeyedRecord) => JsonObject) =>
    keysOf(collection, unique, records.map(each));
  const before = await valuesOf(record => record.before ?? {});
  const after = await valuesOf(record => record.after);
  return records.flatMap((record, place) => {
    const key = after[place];
    return key === undefined ? [] : [{ record, key, isKept: key === before[place] }];
  });
}
