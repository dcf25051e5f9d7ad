import { useSyncExternalStore } from 'react';

let ended = false;
const listeners = new Set<() => void>();

function change(value: boolean): void {
  if (ended === value) return;
  ended = value;
  for (const listener of listeners) listener();
}

/** A request was refused with 401: the shell asks to sign in again over the open page, which keeps what was typed. */
export const sessionEnded = (): void => change(true);

/** Somebody is signed in again. */
export const sessionBegan = (): void => change(false);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** True from the first refused request until somebody is signed in again. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, () => ended);
}
