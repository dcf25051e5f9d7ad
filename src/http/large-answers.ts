import type { Response } from 'express';
import type { ByteBudget } from '../kernel/byte-budget.js';
import type { PlatformRequest } from './platform-request.js';

/** Shorter answers are not counted. */
const LARGE_BYTES = 256 * 1024;
/** A client that takes nothing of a large answer for so long is given up. */
const STALL_MS = 60_000;

/** Counts a large answer, for as long as it is kept for its client, to the memory of the caller's organization. */
export type CountAnswer = (response: Response, bytes: number) => void;

export function countingAnswers(budget: ByteBudget): CountAnswer {
  return (response, bytes) => {
    if (bytes < LARGE_BYTES) return;
    const owner = (response.req as PlatformRequest).membership?.orgId ?? '';
    budget.force(owner, bytes);
    response.once('close', () => budget.give(owner, bytes));
    response.setTimeout(STALL_MS, () => response.destroy());
  };
}
