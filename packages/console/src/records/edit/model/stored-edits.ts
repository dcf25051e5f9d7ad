import { isObject } from '../../../values/json.js';
import type { StagedRow, StagedRows } from './staged-edits.js';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Records whose changes are other ones now, by id. `undefined`: the record has none any more. */
export type ChangedRows = ReadonlyMap<string, StagedRow | undefined>;

const PREFIX = 'edits:';
const SENT = 'sent-';

/** The place of the changes that a person has not saved in a collection. Other people of this browser have their own. */
export function editsKey(person: string, collection: string): string {
  return `${PREFIX}${person}:${collection}`;
}

/** The place of the batch of these changes that was sent last. */
export function sentKey(key: string): string {
  return SENT + key;
}

/**
 * The changes that a person has not saved in a collection, in the storage of the browser, so that a reload and a session
 * that ends lose nothing. Each record has an entry of its own, so that two tabs that change records at the same moment do
 * not overwrite each other's.
 */
export class StoredEdits {
  /** The entries as this tab has read or written them last. */
  private known: StagedRows = new Map();
  /** Records are in the order in which they were edited, in whichever tab. */
  private readonly places = new Map<string, number>();
  private lastPlace = 0;
  private readonly prefix: string;

  constructor(
    private readonly store: Store,
    private readonly key: string,
  ) {
    this.prefix = `${key}:`;
  }

  /** What is stored, without whatever is not valid. */
  read(): StagedRows {
    const rows = this.stored();
    // What version 1.0 has stored gets entries of its own with the next change.
    this.known = this.formerRows().length > 0 ? new Map() : rows;
    return rows;
  }

  private stored(): StagedRows {
    const entries = keysOf(this.store, this.prefix).flatMap(key => {
      const entry = entryOf(this.store.getItem(key));
      return entry === undefined ? [] : [entry];
    });
    entries.sort((a, b) => a.place - b.place);
    for (const { place, row } of entries) this.places.set(row.id, place);
    return new Map([...this.formerRows(), ...entries.map(({ row }) => [row.id, row] as const)]);
  }

  /** Stores what this tab has changed. False if the browser does not store it. */
  write(rows: StagedRows): boolean {
    const { known, store, prefix } = this;
    try {
      for (const id of known.keys()) if (!rows.has(id)) store.removeItem(prefix + id);
      for (const [id, row] of rows) {
        if (known.get(id) === row) continue;
        store.setItem(prefix + id, JSON.stringify({ place: this.placeOf(id), row }));
      }
      store.removeItem(this.key);
      this.known = rows;
      return true;
    } catch {
      return false;
    }
  }

  /** What another tab has changed. Undefined for an event about something else. */
  changeOf({ key, newValue }: Pick<StorageEvent, 'key' | 'newValue'>): ChangedRows | undefined {
    if (key === null) return new Map([...this.known.keys()].map(id => [id, undefined]));
    return key.startsWith(this.prefix)
      ? new Map([[key.slice(this.prefix.length), entryOf(newValue)?.row]])
      : undefined;
  }

  /** True if the browser keeps any change of this person in this collection. */
  get hasAny(): boolean {
    return this.stored().size > 0;
  }

  /** What other tabs have changed since this one has read or written it last. */
  changes(): ChangedRows {
    const { known } = this;
    const now = this.stored();
    const gone = [...known.keys()].filter(id => !now.has(id));
    const others = [...now].filter(([id, row]) => JSON.stringify(known.get(id)) !== JSON.stringify(row));
    return new Map<string, StagedRow | undefined>([...gone.map(id => [id, undefined] as const), ...others]);
  }

  /** Takes note of what another tab has stored. */
  learn(changes: ChangedRows): void {
    this.known = withChangedRows(this.known, changes);
  }

  private placeOf(id: string): number {
    const place = this.places.get(id) ?? Math.max(this.lastPlace + 1, Date.now());
    this.places.set(id, place);
    this.lastPlace = Math.max(this.lastPlace, place);
    return place;
  }

  /** Changes that version 1.0 has stored, in one entry for all of them. */
  private formerRows(): readonly (readonly [string, StagedRow])[] {
    const rows = parsed(this.store.getItem(this.key));
    return Array.isArray(rows) ? rows.filter(isStagedRow).map(row => [row.id, row] as const) : [];
  }
}

/** The rows with others in the place of some of them. */
export function withChangedRows(rows: StagedRows, changes: ChangedRows): StagedRows {
  const changed = new Map(rows);
  for (const [id, row] of changes) {
    if (row === undefined) changed.delete(id);
    else changed.set(id, row);
  }
  return changed;
}

/** True if anybody has unsaved changes in this browser. */
export function hasEdits(store: Storage): boolean {
  return keysOf(store, PREFIX).length > 0;
}

/** Forgets the changes of everybody in every collection. */
export function forgetEdits(store: Storage): void {
  for (const prefix of [PREFIX, sentKey(PREFIX)]) {
    for (const key of keysOf(store, prefix)) store.removeItem(key);
  }
}

function keysOf(store: Store, prefix: string): readonly string[] {
  return Object.keys(store).filter(key => key.startsWith(prefix));
}

interface Entry {
  readonly place: number;
  readonly row: StagedRow;
}

function entryOf(text: string | null): Entry | undefined {
  const entry = parsed(text);
  if (!isObject(entry) || typeof entry.place !== 'number' || !isStagedRow(entry.row)) return undefined;
  return { place: entry.place, row: entry.row };
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}

/** True for changes of a record as they are stored. */
export function isStagedRow(row: unknown): row is StagedRow {
  if (!isObject(row) || typeof row.id !== 'string' || typeof row.title !== 'string') return false;
  const isKnown = row.kind === 'inserted' || (row.kind === 'updated' && typeof row.etag === 'string');
  return isKnown && isObject(row.fields) && Object.values(row.fields).every(isObject);
}
