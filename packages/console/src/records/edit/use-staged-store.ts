import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { meQuery } from '../../api/session.js';
import { type StagedState, StagedStore } from './model/staged-store.js';
import { StoredBatch } from './model/stored-batch.js';
import { type ChangedRows, editsKey, StoredEdits, sentKey } from './model/stored-edits.js';

export interface Staged {
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
export function useStagedStore(collectionId: string): SharedStaged {
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
