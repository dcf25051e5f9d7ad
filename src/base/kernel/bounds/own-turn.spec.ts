import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ownTurn, shareTurns } from './own-turn.js';

it('gives each caller a turn of the event loop, in the order of the calls, with another turn in between', async () => {
  const turns: string[][] = [];
  const taken = ['a', 'b', 'c'].map(async name => {
    await ownTurn();
    turns.at(-1)?.push(name);
  });
  for (let turn = 0; turn < 8; turn++) {
    turns.push([]);
    await nextTurn();
  }
  await Promise.all(taken);
  const begin = turns.findIndex(names => names.length > 0);
  expect(turns.slice(begin, begin + 5)).toEqual([['a'], [], ['b'], [], ['c']]);
});

it('lets owners take turns, so that one with much work does not delay the others', async () => {
  const order: string[] = [];
  const many = Array.from({ length: 5 }, () => ownTurn('many').then(() => order.push('many')));
  const few = ownTurn('few').then(() => order.push('few'));
  await Promise.all([...many, few]);
  expect(order).toEqual(['many', 'few', 'many', 'many', 'many', 'many']);
});

it('lets what was called later begin after the work of the earlier caller', async () => {
  const order: string[] = [];
  const first = ownTurn().then(() => order.push('first'));
  await nextTurn();
  const second = ownTurn().then(() => order.push('second'));
  setImmediate(() => order.push('other'));
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'other', 'second']);
});

/** Keeps the process busy. */
function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('leaves half of the time to others that need turns', async () => {
  shareTurns(true);
  const ends: number[] = [];
  const begins: number[] = [];
  const work = [1, 2].map(async () => {
    await ownTurn();
    begins.push(performance.now());
    block(20);
    ends.push(performance.now());
  });
  await Promise.all(work);
  shareTurns(false);
  expect((begins[1] as number) - (ends[0] as number)).toBeGreaterThanOrEqual(20);
});
