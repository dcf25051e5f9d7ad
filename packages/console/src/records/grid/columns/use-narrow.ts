import { useSyncExternalStore } from 'react';

const query = window.matchMedia('(max-width: 700px)');

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** True on a phone: columns are not pinned, and the panel of a record covers the page. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}
