/** A message that so many attempts could not deliver is dead, after a day and a half. */
export const MAX_ATTEMPTS = 10;

const FIRST_SECONDS = 5;
const LONGEST_SECONDS = 12 * 3_600;
/** Many messages that failed together must not come together again. */
const SPREAD = 0.2;

/**
 * Seconds to wait behind the attempt of this number, from 1: 5 s, four times as long each time, at most 12 hours, and a fifth
 * more or less.
 *
 * @param chance from 0 to 1
 */
export function retryDelay(attempt: number, chance: number): number {
  const seconds = Math.min(FIRST_SECONDS * 4 ** (attempt - 1), LONGEST_SECONDS);
  return seconds + seconds * SPREAD * (2 * chance - 1);
}
