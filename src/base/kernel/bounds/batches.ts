/**
 * Repeats work that handles at most `size` rows, each time in a transaction of its own, until fewer are left or `signal`
 * is aborted. `batch` returns the number of rows that it has handled. Returns their sum.
 */
export async function inBatches(
  size: number,
  signal: AbortSignal | undefined,
  batch: () => Promise<number>,
): Promise<number> {
  for (let total = 0; ; ) {
    const count = await batch();
    total += count;
    if (count < size || signal?.aborted) return total;
  }
}
