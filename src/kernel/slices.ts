import { setImmediate as nextTurn } from 'node:timers/promises';

/** A piece of work keeps the event loop for about so long before other requests run. */
const SLICE_MS = 15;

/** Cuts long work into slices, so that other requests run in between. One for each piece of work. */
export class Slices {
  private since = performance.now();

  /** To be awaited, if anything, after each small step. */
  pause(): Promise<void> | undefined {
    return performance.now() - this.since < SLICE_MS ? undefined : this.rest();
  }

  private async rest(): Promise<void> {
    await nextTurn();
    this.since = performance.now();
  }
}
