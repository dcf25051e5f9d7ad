import { useSyncExternalStore } from 'react';

/** A fact about the whole page that components show. */
export class Flag {
  private value = false;
  private readonly listeners = new Set<() => void>();

  readonly set = (value: boolean): void => {
    if (this.value === value) return;
    this.value = value;
    for (const listener of this.listeners) listener();
  };

  readonly get = (): boolean => this.value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

/** A request was refused with 401, and nobody has signed in since. */
export const sessionEnded = new Flag();

/** A request got no response, and none has got one since. */
export const serviceUnreachable = new Flag();

export function useFlag(flag: Flag): boolean {
  return useSyncExternalStore(flag.subscribe, flag.get);
}
