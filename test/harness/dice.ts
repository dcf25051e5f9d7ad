/** How long a random test runs: 1, or more in `npm run test:long`. */
export const TIMES = Number(process.env.TIMES ?? 1);

/** The seed of a random test: `SEED`, or the default. */
export function seedOr(otherwise: number): number {
  return Number(process.env.SEED ?? otherwise);
}

/** Random numbers that a seed repeats (mulberry32). */
export class Dice {
  constructor(private seed: number) {}

  below(limit: number): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let t = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  some<T>(list: readonly T[], most: number): T[] {
    return [...new Set(Array.from({ length: 1 + this.below(most) }, () => this.of(list)))];
  }
}
