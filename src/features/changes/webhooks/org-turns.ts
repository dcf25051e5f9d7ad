import { setTimeout as pause } from 'node:timers/promises';

/** Maximum number of organizations whose work runs at once. */
const MOST_AT_ONCE = 4;
/** Of these, organizations whose last run was slow, so that they leave room for the others. */
const MOST_SLOW = 2;
const SLOW_MS = 1_000;
/** How long a pass waits for the last of its runs. Slower ones continue beside the next passes. */
const LAST_MS = 250;

/** Runs work of organizations side by side, and of each organization one run at a time. */
export class OrgTurns {
  // biome-ignore lint/plugin/bounded-maps: work in progress, which a constant limits
  private readonly running = new Map<string, Promise<void>>();
  // biome-ignore lint/plugin/bounded-maps: organizations with active webhooks
  private readonly slow = new Set<string>();
  /** Organizations in the order in which their last runs began. */
  // biome-ignore lint/plugin/bounded-maps: organizations with active webhooks
  private readonly begun = new Set<string>();

  /** @param work must not reject. */
  constructor(private readonly work: (orgId: string) => Promise<void>) {}

  /**
   * Starts a run of each organization as soon as there is room. Leaves out those that are still running, and slow ones
   * without room: a later pass starts them first.
   */
  async pass(orgIds: readonly string[]): Promise<void> {
    for (const id of this.inTurn(orgIds)) {
      if (this.running.has(id) || !this.hasRoomFor(id)) continue;
      while (this.running.size >= MOST_AT_ONCE) await Promise.race(this.running.values());
      this.start(id);
    }
    await Promise.race([this.ended(), pause(LAST_MS)]);
  }

  /** Resolves when all current runs have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private inTurn(orgIds: readonly string[]): string[] {
    const current = new Set(orgIds);
    for (const id of [...this.begun].filter(each => !current.has(each))) {
      this.begun.delete(id);
      this.slow.delete(id);
    }
    return [...orgIds.filter(id => !this.begun.has(id)), ...this.begun];
  }

  private hasRoomFor(id: string): boolean {
    if (!this.slow.has(id)) return true;
    return [...this.running.keys()].filter(each => this.slow.has(each)).length < MOST_SLOW;
  }

  private start(id: string): void {
    this.begun.delete(id);
    this.begun.add(id);
    const from = performance.now();
    const run = this.work(id).finally(() => {
      this.running.delete(id);
      if (performance.now() - from > SLOW_MS) this.slow.add(id);
      else this.slow.delete(id);
    });
    this.running.set(id, run);
  }
}
