/**
 * Tells this process at once that somebody's rights or credentials were changed here. Other instances hear it
 * through NOTIFY; this saves the one that made the change those milliseconds.
 */
export abstract class CredentialChanges {
  abstract subscribe(listener: () => void): void;
  abstract announce(): void;
}

export class LocalCredentialChanges extends CredentialChanges {
  private readonly listeners: (() => void)[] = [];

  subscribe(listener: () => void): void {
    this.listeners.push(listener);
  }

  announce(): void {
    for (const listener of this.listeners) listener();
  }
}
