/** Longer names are not compared, because a comparison takes time proportional to the product of both lengths. */
const MAX_COMPARED = 64;

/**
 * The candidate that a mistyped name most likely means; undefined when none is close, and for a name of more than 64
 * characters. Case, `_` and `-` are ignored. One mistake per four characters is allowed (optimal string alignment
 * distance).
 */
export function nearest<T extends string>(name: string, candidates: Iterable<T>): T | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  const wanted = folded(name);
  let best: T | undefined;
  let fewest = Math.floor(wanted.length / 4) + 1;
  for (const candidate of candidates) {
    if (candidate.length > MAX_COMPARED) continue;
    const mistakes = distance(wanted, folded(candidate), fewest);
    if (mistakes >= fewest) continue;
    fewest = mistakes;
    best = candidate;
  }
  return best;
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** Number of insertions, deletions, replacements and swaps of neighbours between two texts, at most `limit`. */
function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit;
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const here = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      const swapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      here[column] = Math.min(
        (above[column] as number) + 1,
        (here[column - 1] as number) + 1,
        (above[column - 1] as number) + same,
        swapped ? (before[column - 2] as number) + 1 : limit,
      );
    }
    // Later rows have no smaller numbers: a swap adds one to a row whose numbers are at least `limit - 1` then.
    if (Math.min(...here) >= limit) return limit;
    before = above;
    above = here;
  }
  return Math.min(above[other.length] as number, limit);
}

/** Maximum of characters of a client's text that an error message repeats (contract, "Sizes"). */
const MAX_SHOWN = 200;

/** A client's name or value for an error message: whole, or its beginning with `…`. */
export function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}
