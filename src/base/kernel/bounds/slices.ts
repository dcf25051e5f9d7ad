import { ownTurn } from './own-turn.js';

/** Time for which work may block the event loop before other requests run. */
const SLICE_MS = 15;

/** Divides long work into slices, so that other requests run in between. Create one for each piece of work. */
export class Slices {
  private since = performance.now();

  /** Call it after each small step, and await the promise if there is one. */
  pause(): Promise<void> | undefined {
    return performance.now() - this.since < SLICE_MS ? undefined : this.rest();
  }

  private async rest(): Promise<void> {
    await ownTurn();
    this.since = performance.now();
  }
}

/**
 * Runs `step` for each index. Short work is done at once and returns undefined; longer work lets other requests run in
 * between.
 */
export function inSlices(count: number, step: (index: number) => void): Promise<void> | undefined {
  const slices = new Slices();
  for (let index = 0; index < count; index++) {
    step(index);
    const pause = slices.pause();
    if (pause !== undefined) return others(pause, slices, index + 1, count, step);
  }
  return undefined;
}

async function others(
  pause: Promise<void>,
  slices: Slices,
  from: number,
  count: number,
  step: (index: number) => void,
): Promise<void> {
  await pause;
  for (let index = from; index < count; index++) {
    step(index);
    await slices.pause();
  }
}
