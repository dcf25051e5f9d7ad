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

/** Takes a step for each index: at once, and nothing to await, where that is quick. Else other requests run in between. */
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
