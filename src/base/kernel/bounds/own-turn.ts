import { setImmediate as nextTurn } from 'node:timers/promises';

/** Callers that wait, by owner. Owners are in the order in which they get turns. */
// biome-ignore lint/plugin/bounded-maps: work in progress
const waiting = new Map<string, (() => void)[]>();
let isGiving = false;
/** Who else needs turns of the event loop now. */
let others = 0;

/**
 * Waits for a turn of the event loop that no other caller gets. Call it before work that blocks the process for
 * milliseconds. Of several such pieces of work that are ready at the same time, one begins in every second turn. In one turn
 * they would hold up results of the database and short requests together. Owners, for example organizations, get turns
 * alternately, so one with much work does not delay the others.
 */
export function ownTurn(owner = ''): Promise<void> {
  return new Promise(resolve => {
    const own = waiting.get(owner);
    if (own === undefined) waiting.set(owner, [resolve]);
    else own.push(resolve);
    if (!isGiving) void giveTurns();
  });
}

/**
 * While `areNeeded`, pieces of work take at most half of the time: after each, turns without such work follow for as long
 * as it took. Each call with true needs one with false.
 */
export function shareTurns(areNeeded: boolean): void {
  others += areNeeded ? 1 : -1;
}

async function giveTurns(): Promise<void> {
  isGiving = true;
  while (waiting.size > 0) {
    await nextTurn();
    const began = performance.now();
    giveTurn();
    // Statements of short requests are sent at the end of the turn in which these arrive. In the next turn that would be
    // behind the next piece of work.
    await nextTurn();
    for (const until = 2 * performance.now() - began; others > 0 && performance.now() < until; )
      await nextTurn();
  }
  isGiving = false;
}

/** Gives the turn to the next owner, who then waits behind the others. */
function giveTurn(): void {
  const [next] = waiting;
  if (next === undefined) return;
  const [owner, own] = next;
  waiting.delete(owner);
  own.shift()?.();
  if (own.length > 0) waiting.set(owner, own);
}
