import { setImmediate as nextTurn } from 'node:timers/promises';

/** Who waits, by owner. The owner at the beginning gets the next turn. */
const waiting = new Map<string, (() => void)[]>();
let isGiving = false;

/**
 * Waits for a turn of the event loop that nobody else gets. Call it before work that blocks the process for milliseconds.
 * Several such pieces of work that are ready at the same time begin in turns of their own, with another turn after
 * each, in which the process handles results of the database and short requests. In one turn they would hold those up
 * together. Owners, for example organizations, get turns alternately: one with much work does not delay the others.
 */
export function ownTurn(owner = ''): Promise<void> {
  return new Promise(resolve => {
    const own = waiting.get(owner);
    if (own === undefined) waiting.set(owner, [resolve]);
    else own.push(resolve);
    if (!isGiving) void giveTurns();
  });
}

async function giveTurns(): Promise<void> {
  isGiving = true;
  while (waiting.size > 0) {
    await nextTurn();
    giveTurn();
    await nextTurn();
  }
  isGiving = false;
}

/** Gives the turn to the next owner, who then waits behind the others. */
function giveTurn(): void {
  for (const [owner, own] of waiting) {
    waiting.delete(owner);
    own.shift()?.();
    if (own.length > 0) waiting.set(owner, own);
    return;
  }
}
