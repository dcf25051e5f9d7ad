import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { meQuery } from '../../api/session.js';
import { type StagedState, StagedStore } from './model/staged-store.js';
import { editsKey, readEdits, writeEdits } from './model/stored-edits.js';

export interface Staged {
  readonly store: StagedStore;
  readonly state: StagedState;
}

/** The unsaved changes of a person in a collection. All tabs of the browser have the same ones. */
export function useStagedStore(collectionId: string): Staged {
  const { data: me } = useQuery(meQuery);
  const key = editsKey(me?.id ?? me?.principal?.id ?? '', collectionId);
  const store = useMemo(() => {
    const restored = new StagedStore();
    restored.replace(readEdits(localStorage, key));
    return restored;
  }, [key]);
  const state = useSyncExternalStore(store.subscribe, store.getState);
  const [isStored, setStored] = useState(true);
  useEffect(
    () => store.subscribe(() => setStored(writeEdits(localStorage, key, store.getState().rows))),
    [store, key],
  );
  useEffect(() => {
    const follow = (event: StorageEvent) => {
      if (event.key === key) store.replace(readEdits(localStorage, key));
    };
    window.addEventListener('storage', follow);
    return () => window.removeEventListener('storage', follow);
  }, [store, key]);
  const isEmpty = state.rows.size === 0;
  useEffect(() => {
    if (isEmpty) return;
    const ask = (event: BeforeUnloadEvent) => {
      // Signing out has asked already, and has forgotten the changes.
      if (!isStored || localStorage.getItem(key) !== null) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isEmpty, isStored, key]);
  return { store, state };
}
