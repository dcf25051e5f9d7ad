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
    const here = new Array<number>(other.length + 1).fill(limit);
    here[0] = row;
    let least = row;
    // Every other column is at least `limit` away from the diagonal, which is as many insertions or deletions.
    const last = Math.min(other.length, row + limit - 1);
    for (let column = Math.max(1, row - limit + 1); column <= last; column += 1) {
      const same = one[row - 1] === other[column - 1];
      let mistakes = (above[column - 1] as number) + (same ? 0 : 1);
      mistakes = Math.min(mistakes, (above[column] as number) + 1, (here[column - 1] as number) + 1);
      if (
        !same &&
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1]
      )
        mistakes = Math.min(mistakes, (before[column - 2] as number) + 1);
      here[column] = mistakes;
      if (mistakes < least) least = mistakes;
    }
    // No later row has a smaller number. A swap adds one to the row above this one, whose numbers are at least limit - 1.
    if (least >= limit) return limit;
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
