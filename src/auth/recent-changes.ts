import type { ChangedIds } from '../kernel/changed-ids.js';

/** Ids remembered one by one; beyond, everything counts as changed. */
const MAX_IDS = 10_000;

/** Which ids have changed since a moment. A moment is the number of changes heard of before it. */
export class RecentChanges {
  /** Changes heard of so far. */
  count = 0;
  private all = 0;
  private readonly last = new Map<string, number>();

  note(changed: ChangedIds): void {
    this.count += 1;
    if (changed === 'all' || this.last.size + changed.length > MAX_IDS) {
      this.all = this.count;
      this.last.clear();
      return;
    }
    for (const id of changed) this.last.set(id, this.count);
  }

  /** True when one of the ids has changed since that moment. */
  touched(ids: readonly string[], since: number): boolean {
    return this.all > since || ids.some(id => (this.last.get(id) ?? 0) > since);
  }

  /** For when nobody will ask about a moment before now. */
  clear(): void {
    this.last.clear();
  }
}
