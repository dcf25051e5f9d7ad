import { Injectable } from '@nestjs/common';
import type { ChangedIds } from '../../base/kernel/id.js';

type Listener = (changed: ChangedIds) => void;

/**
 * Notifies the listeners of this process at once when this process has changed rights or credentials. Other processes
 * are notified through NOTIFY, some milliseconds later.
 */
@Injectable()
export class CredentialChanges {
  private readonly listeners: Listener[] = [];

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  announce(changed: ChangedIds): void {
    for (const listener of this.listeners) listener(changed);
  }
}
