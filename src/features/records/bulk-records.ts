import { inSlices } from '../../base/kernel/bounds/slices.js';
import { type Clock, DAY_MS } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { isJsonObject, type JsonValue } from '../../base/kernel/json.js';
import { canonical } from '../../engine/filter/update/index.js';
import { type CollectionShape, physicalOf } from '../../engine/storage/collection-shape.js';
import {
  idOf,
  layoutOf,
  MergedRow,
  type Misfit,
  type Row,
  type RowList,
} from '../../engine/storage/records/record-layout.js';
import type { Collection } from '../collections/collection.entity.js';

/**
 * Rows that are serialized without a pause: about 100 ms for the largest body, 1 ms for usual ones. With more pieces,
 * joining them would take as long as serializing.
 */
const ROWS_AT_ONCE = 1_000;
/** Maximum number of misfits in one error. */
const MAX_REPORTED = 100;

/** The records of a request as a list. Throws 400 outside 1 to `most`. */
export function recordList(records: unknown, most: number): readonly unknown[] {
  const list = Array.isArray(records) ? records : [records];
  if (records === undefined || records === null) throw invalid(`records: expects 1 to ${most} records`);
  if (list.length < 1 || list.length > most) {
    throw invalid(`records: expects 1 to ${most} records, not ${list.length}`);
  }
  return list;
}

/** The names of the fields that each record sends, for a caller with rules; nothing for others, who need no check. */
export function sentNames(
  shape: CollectionShape,
  records: readonly unknown[],
): readonly (readonly string[])[] {
  if (shape.restricted === undefined) return [];
  const { ignored } = layoutOf(shape);
  return records.map(record =>
    isJsonObject(record) ? Object.keys(record).filter(name => !ignored.has(name)) : [],
  );
}

/** The expiry time of records that are written now; null means never. */
export function expiry(clock: Clock, days: number): Date | null {
  return days === 0 ? null : new Date(clock.now().getTime() + days * DAY_MS);
}

/** The values of records for the table. Throws the error that `refuse` makes from the misfits. */
export function layOut(
  shape: CollectionShape,
  records: readonly unknown[],
  refuse: (misfits: readonly Misfit[]) => PlatformError,
): RowList[] {
  const layout = layoutOf(shape);
  const misfits: Misfit[] = [];
  const lists = records.map((record, position) => layout.list(record, position, misfits));
  if (misfits.length > 0) throw refuse(misfits);
  return lists;
}

/** Like `layOut`, for many or large records: other requests run in between. */
export function layOutMany(
  shape: CollectionShape,
  records: readonly unknown[],
  refuse: (misfits: readonly Misfit[]) => PlatformError,
): RowList[] | Promise<RowList[]> {
  const layout = layoutOf(shape);
  const misfits: Misfit[] = [];
  const lists: RowList[] = [];
  const fitting = () => {
    if (misfits.length > 0) throw refuse(misfits);
    return lists;
  };
  const rest = inSlices(records.length, position => {
    lists.push(layout.list(records[position], position, misfits));
  });
  return rest === undefined ? fitting() : rest.then(fitting);
}

/** The JSON text of rows. For many rows, other requests run in between. */
export function jsonOf(rows: readonly (Row | RowList)[]): string | Promise<string> {
  if (rows.length <= ROWS_AT_ONCE) return JSON.stringify(rows);
  const texts: string[] = [];
  const joined = () => texts.join(',');
  const rest = inSlices(Math.ceil(rows.length / ROWS_AT_ONCE), piece => {
    const begin = piece * ROWS_AT_ONCE;
    const end = begin + ROWS_AT_ONCE;
    const text = JSON.stringify(rows.slice(begin, end));
    texts.push(text.slice(begin === 0 ? 0 : 1, end < rows.length ? -1 : undefined));
  });
  return rest === undefined ? joined() : rest.then(joined);
}

/** Records as an insert sends them. Their lists would take several times as much memory while the insert waits. */
export interface ListsAsJson {
  readonly json: string;
  readonly count: number;
  /** The list itself, if there is only one. */
  readonly only: RowList | undefined;
}

/** The lists as JSON, in an order in which two inserts cannot deadlock. */
export function asJson(
  collection: Collection,
  lists: readonly RowList[],
): ListsAsJson | Promise<ListsAsJson> {
  const only = lists.length === 1 ? lists[0] : undefined;
  const text = jsonOf(listsInOrder(collection, lists));
  const made = (json: string) => ({ json, count: lists.length, only });
  return text instanceof Promise ? text.then(made) : made(text);
}

/** The rows in the order of the request. */
export function rowsOf(collection: Collection, { json }: ListsAsJson): Row[] {
  const layout = layoutOf(collection);
  const lists: RowList[] = JSON.parse(json);
  return lists.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)).map(list => layout.rowOf(list));
}

/** 400 for misfits of an insert: column, expected type and row. */
export function refuseInsert(misfits: readonly Misfit[]): PlatformError {
  return invalid(summary(misfits), misfits.slice(0, MAX_REPORTED));
}

/** 422 for misfits of a bulk insert. */
export function refuseBulk(misfits: readonly Misfit[]): PlatformError {
  return new PlatformError(
    'BatchRejected',
    `Nothing was written: ${summary(misfits)}`,
    misfits.slice(0, MAX_REPORTED),
  );
}

function summary(misfits: readonly Misfit[]): string {
  const [first] = misfits as [Misfit];
  const more = misfits.length > 1 ? ` (and ${misfits.length - 1} more)` : '';
  return `records.${first.row}.${first.column}: ${first.problem}${more}`;
}

/**
 * Merges the rows of a bulk upsert to one row per key. Later rows of a key overwrite the fields of earlier ones, as if
 * they had been sent one after the other. Throws 422 where the key is missing.
 */
export function mergedByKey(shape: CollectionShape, rows: readonly Row[], key: string): Row[] {
  const physical = physicalOf(shape, key);
  const merged = new Map<string, MergedRow>();
  rows.forEach((row, position) => {
    const value = row[physical] ?? null;
    if (value === null)
      throw refuseBulk([
        { row: position, column: key, problem: 'is the upsert_key and must not be null or absent' },
      ]);
    const same = canonical(value);
    const before = merged.get(same);
    if (before === undefined) merged.set(same, new MergedRow(row));
    else before.add(row);
  });
  return [...merged.values()].map(({ row }) => row);
}

/** Sorts rows by some columns. Writers that lock equal unique values in the same order cannot deadlock. */
export function rowsInOrder(
  shape: CollectionShape,
  rows: readonly Row[],
  columns: readonly string[],
): readonly Row[] {
  const physical = columns.map(name => physicalOf(shape, name));
  return inOrder(rows, physical, (row, column) => row[column]);
}

/** Sorts lists by the columns of the first unique constraint, as `rowsInOrder`. */
export function listsInOrder(collection: Collection, lists: readonly RowList[]): readonly RowList[] {
  const layout = layoutOf(collection);
  const places = (collection.uniques[0]?.properties ?? []).flatMap(name => layout.column(name)?.place ?? []);
  return inOrder(lists, places, (list, place) => list[place]);
}

function inOrder<Each, Column>(
  rows: readonly Each[],
  columns: readonly Column[],
  value: (row: Each, column: Column) => JsonValue | undefined,
): readonly Each[] {
  if (columns.length === 0 || rows.length < 2) return rows;
  const keyed = rows.map(row => ({
    row,
    key: canonical(columns.map(column => value(row, column) ?? null)),
  }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ row }) => row);
}
