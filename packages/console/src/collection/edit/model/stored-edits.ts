import { isObject } from '../../find/model/json.js';
import { NO_ROWS, type StagedRow, type StagedRows } from './staged-edits.js';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const PREFIX = 'edits:';

/** The place of the changes that a person has not saved in a collection. Other people of this browser have their own. */
export function editsKey(person: string, collection: string): string {
  return `${PREFIX}${person}:${collection}`;
}

/** The changes that are stored, without whatever is not valid. */
export function readEdits(store: Store, key: string): StagedRows {
  try {
    const stored: unknown = JSON.parse(store.getItem(key) ?? '[]');
    if (!Array.isArray(stored)) return NO_ROWS;
    return new Map(stored.filter(isStagedRow).map(row => [row.id, row]));
  } catch {
    return NO_ROWS;
  }
}

function isStagedRow(row: unknown): row is StagedRow {
  if (!isObject(row) || typeof row.id !== 'string' || typeof row.title !== 'string') return false;
  const isKnown = row.kind === 'inserted' || (row.kind === 'updated' && typeof row.etag === 'string');
  return isKnown && isObject(row.fields) && Object.values(row.fields).every(isObject);
}

/** Stores the changes, so that a reload and a session that ends lose nothing. False if the browser does not store them. */
export function writeEdits(store: Store, key: string, rows: StagedRows): boolean {
  try {
    if (rows.size === 0) store.removeItem(key);
    else store.setItem(key, JSON.stringify([...rows.values()]));
    return true;
  } catch {
    return false;
  }
}

/** True if anybody has unsaved changes in this browser. */
export function hasEdits(store: Storage): boolean {
  return keysOf(store).length > 0;
}

/** Forgets the changes of everybody in every collection. */
export function forgetEdits(store: Storage): void {
  for (const key of keysOf(store)) store.removeItem(key);
}

function keysOf(store: Storage): readonly string[] {
  return Object.keys(store).filter(key => key.startsWith(PREFIX));
}
