import type { ChangedIds } from '../kernel/changed-ids.js';

type Listener = (changed: ChangedIds) => void;

/**
 * Tells this process at once whose rights or credentials were changed here. Other instances hear it through NOTIFY; this
 * saves the one that made the change those milliseconds.
 */
export abstract class CredentialChanges {
  abstract subscribe(listener: Listener): void;
  abstract announce(changed: ChangedIds): void;
}

export class LocalCredentialChanges extends CredentialChanges {
  private readonly listeners: Listener[] = [];

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  announce(changed: ChangedIds): void {
    for (const listener of this.listeners) listener(changed);
  }
}
