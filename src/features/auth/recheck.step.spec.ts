import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Route } from '../../platform/http/access/access-step.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import type { CredentialCache } from './credential-cache.js';
import { RightsRecheck } from './recheck.step.js';

/** The check of a route whose caller is looked up again, and the end of that look-up, for which all requests wait. */
function newCheck() {
  let found: () => void = () => {};
  const looked = new Promise<void>(resolve => {
    found = resolve;
  });
  const step = { checkFor: () => () => looked } as never;
  const none = { checkFor: () => undefined } as never;
  const recheck = new RightsRecheck(step, none, none, none, {} as CredentialCache);
  return { check: recheck.checkFor({} as Route), found };
}

/** How many of three requests with old rights go on in each turn of the event loop. */
async function going(request: Partial<PlatformRequest>): Promise<number[]> {
  const { check, found } = newCheck();
  const turns: number[] = [];
  const all = Array.from({ length: 3 }, async () => {
    await check(
      { method: 'POST', startedAt: performance.now() - 60_000, ...request } as PlatformRequest,
      {} as never,
    );
    turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
  });
  found();
  for (let turn = 0; turn < 8; turn++) {
    turns.push(0);
    await nextTurn();
  }
  await Promise.all(all);
  return turns.filter(count => count > 0);
}

it('lets requests with long bodies that waited for the same look-up go on in turns of their own', async () => {
  expect(await going({ hasLongBody: true })).toEqual([1, 1, 1]);
});

it('lets requests with short bodies go on at once', async () => {
  expect(await going({})).toEqual([3]);
});
