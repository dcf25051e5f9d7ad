import { useQuery } from '@tanstack/react-query';
import type { AnyCollection, Collection } from '@typed-collections/client';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { meQuery } from '../../api/session.js';
import { titleOfRecord } from '../../values/names.js';
import { writtenLocale } from '../../values/written-locale.js';
import { isSystemField } from '../grid/columns/columns.js';
import type { GridRecord } from '../window/page-slot.js';
import { readWhole } from './model/records.js';
import { refitted } from './model/refitted.js';
import { type EditedRecord, type StagedCell, withCells } from './model/staged-edits.js';
import { type StagedState, StagedStore } from './model/staged-store.js';
import { StoredBatch } from './model/stored-batch.js';
import { type ChangedRows, editsKey, StoredEdits, sentKey } from './model/stored-edits.js';
import type { TypedColumn } from './model/typed-text.js';
import { type Saving, useSaving } from './use-saving.js';

/** How records are edited. Nothing of it is there for people who may only read. */
export interface Editing extends Staged {
  readonly saving: Saving;
  /** The column of a field; undefined if the field cannot be edited. */
  readonly columnOf: (field: string) => TypedColumn | undefined;
  /** A record as it was read, for changes of it. */
  readonly edited: (record: Readonly<Record<string, unknown>>) => EditedRecord;
  readonly stage: (cells: readonly StagedCell[]) => void;
  /** A record whose value of a field is whole. Values that the grid has cut are read. */
  readonly wholeValue: (record: GridRecord, field: string) => Promise<WholeValue>;
}

interface WholeValue {
  readonly whole: GridRecord;
  readonly before: unknown;
}

interface EditingOptions {
  readonly info: CollectionInfo;
  readonly collection: Collection<AnyCollection>;
  readonly onWritten: (ids: readonly string[]) => Promise<void>;
}

/** Undefined for people who may not write. */
export function useEditing({ info, collection, onWritten }: EditingOptions): Editing | undefined {
  const { collection_id: id, schema, my_rights: rights } = info;
  const { store, state, uncertain, alone } = useStagedStore(id);
  const saving = useSaving({ collection, store, uncertain, alone, onWritten });
  const model = useMemo(
    () => ({
      columnOf: (field: string): TypedColumn | undefined => columnOf(schema, field),
      edited: (record: Readonly<Record<string, unknown>>): EditedRecord => ({
        kind: 'updated',
        id: String(record._id),
        title: titleOfRecord(record, schema),
        etag: String(record._etag),
      }),
      stage: (cells: readonly StagedCell[]) => store.change(rows => withCells(rows, cells)),
      wholeValue: async (record: GridRecord, field: string): Promise<WholeValue> => {
        if (record._cut?.includes(field) !== true) return { whole: record, before: record[field] };
        const [read] = await readWhole(collection, [record._id], [field]);
        const whole = { ...record, ...read };
        return { whole, before: whole[field] };
      },
    }),
    [store, schema, collection],
  );
  useEffect(() => {
    const { rows } = store.getState();
    const now = refitted(rows, model.columnOf, writtenLocale());
    if (now !== rows) store.replace(now);
  }, [store, model]);
  return rights.includes('write') ? { store, state, saving, ...model } : undefined;
}

/** A field whose name is a path or an operator for the service cannot be set by its name. */
function columnOf(schema: CollectionInfo['schema'], field: string): TypedColumn | undefined {
  const column = Object.hasOwn(schema, field) ? schema[field] : undefined;
  if (column !== undefined) return { type: column.type, isNullable: column.nullable };
  if (field === '' || isSystemField(field) || /^\$|\./.test(field)) return undefined;
  return { type: 'flexible', isNullable: true };
}

interface Staged {
  readonly store: StagedStore;
  readonly state: StagedState;
}

/** The unsaved changes of a person, and how to save them while no other tab of the browser does. */
interface SharedStaged extends Staged {
  /** The last batch, if it is not known whether the service has written it. */
  readonly uncertain: StoredBatch;
  readonly alone: <T>(save: () => Promise<T>) => Promise<T>;
}

/** The unsaved changes of a person in a collection. All tabs of the browser have the same ones. */
function useStagedStore(collectionId: string): SharedStaged {
  const { data: me } = useQuery(meQuery);
  const key = editsKey(me?.id ?? me?.principal?.id ?? '', collectionId);
  const { store, stored, uncertain } = useMemo(() => restored(key), [key]);
  const state = useSyncExternalStore(store.subscribe, store.getState);
  const [isStored, setStored] = useState(true);
  useEffect(() => {
    const write = () => setStored(stored.write(store.getState().rows));
    const unsubscribe = store.subscribe(write);
    const unfollow = followOtherTabs(stored, changes => {
      stored.learn(changes);
      store.adopt(changes);
    });
    return () => {
      unsubscribe();
      unfollow();
    };
  }, [store, stored]);
  const isEmpty = state.rows.size === 0;
  useEffect(() => {
    if (isEmpty) return;
    const ask = (event: BeforeUnloadEvent) => {
      // Signing out has asked already, and has forgotten the changes.
      if (!isStored || stored.hasAny) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isEmpty, isStored, stored]);
  return {
    store,
    state,
    uncertain,
    alone: save =>
      oneTabAtATime(key, () => {
        // What another tab has saved meanwhile is not written again.
        const changes = stored.changes();
        stored.learn(changes);
        store.adopt(changes);
        return save();
      }),
  };
}

function restored(key: string) {
  const stored = new StoredEdits(localStorage, key);
  const store = new StagedStore();
  store.replace(stored.read());
  return { store, stored, uncertain: new StoredBatch(localStorage, sentKey(key)) };
}

/** Calls `adopt` with what other tabs change; with many changes at once if they come together. Returns how to stop. */
function followOtherTabs(stored: StoredEdits, adopt: (changes: ChangedRows) => void): () => void {
  let waiting: ChangedRows = new Map();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    timer = undefined;
    const changes = waiting;
    waiting = new Map();
    adopt(changes);
  };
  const follow = (event: StorageEvent) => {
    const changes = stored.changeOf(event);
    if (changes === undefined) return;
    waiting = new Map([...waiting, ...changes]);
    timer ??= setTimeout(tell);
  };
  window.addEventListener('storage', follow);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('storage', follow);
  };
}

/** Pages without https have no locks: there every tab works for itself. */
function oneTabAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks === undefined ? work() : navigator.locks.request(name, work);
}
