import { setImmediate as nextTurn } from 'node:timers/promises';

/** Resolves in the turn of the event loop after the last turn that was given away. */
let free: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop that no other caller gets. Call it before work that blocks the process for
 * milliseconds. Of several such pieces of work that are ready at the same time, each begins in a turn of its own, with another
 * turn in between, in which the process handles results of the database and short requests. In one turn they would
 * hold those up together.
 */
export function ownTurn(): Promise<void> {
  const turn = free.then(() => nextTurn());
  free = turn.then(() => nextTurn());
  return turn;
}
